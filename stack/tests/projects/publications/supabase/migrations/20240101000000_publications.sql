create schema app;
create table app.items (id int primary key, name text);

-- For the search index and the warehouse.
create publication powersync for all tables;
create publication warehouse for tables in schema public, app
  with (publish = 'insert, update', publish_via_partition_root = true);

insert into app.items values (1, 'one');
update app.items set name = 'two';
