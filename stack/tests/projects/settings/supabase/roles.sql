alter role anon set statement_timeout = '3s';
alter role "authenticator" set "statement_timeout" to '10s';
create role reporting login noinherit password 'reporting';
