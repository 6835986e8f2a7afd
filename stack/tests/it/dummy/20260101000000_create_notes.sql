create table dummy.notes (id integer primary key, word text not null);
insert into dummy.notes values (1, 'here');
