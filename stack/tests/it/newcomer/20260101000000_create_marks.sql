create schema marks;
create table marks.marks (id integer primary key);
