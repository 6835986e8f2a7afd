create table dummy.notes (id integer primary key, word text not null);
insert into dummy.notes values (1, 'here');
grant usage on schema dummy to authenticator;
grant select on dummy.notes to authenticator;
