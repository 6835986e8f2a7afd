create role webhook nologin;
