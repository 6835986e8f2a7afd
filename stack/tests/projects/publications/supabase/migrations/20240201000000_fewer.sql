alter publication warehouse set (publish = 'insert');
drop publication powersync;
create publication powersync for table app.items;
