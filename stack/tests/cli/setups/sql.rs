//! SQL that fails.

use std::fs;
use std::os::unix::fs::symlink;

use super::super::installation::Installation;
use super::{NOTHING, SetUp, assert_reviewed, describe, refusal, told};

const FIRST: &str = "supabase/migrations/20240101000000_first.sql";

/// SQL that fails, as a migration of a project whose database is there.
const SQL: &[(&str, &str)] = &[
    (
        "a word misspelled",
        "create table a (id int);\n\n-- ä\nselekt 1;\n",
    ),
    ("a quote that does not end", "select 1;\nselect 'abc;\n"),
    (
        "a body that does not end",
        "create function f() returns int language sql as $$ select 1;\n",
    ),
    (
        "no table of that name",
        "select 1;\ninsert into nowhere values (1);\n",
    ),
    (
        "rows for a terminal",
        "create table a (id int);\ncopy a from stdin;\n1\n\\.\n",
    ),
    (
        "a command of psql",
        "\\restrict abc\nselect 1;\n\\unrestrict abc\n",
    ),
    ("a byte of value 0", "select 1;\nselect '\0';\n"),
    (
        "more rights than there are",
        "create role chief superuser;\n",
    ),
    ("somebody else's schema", "drop schema auth cascade;\n"),
    (
        "a setting of the server",
        "alter system set work_mem = '1GB';\n",
    ),
];

#[test]
fn wrong_sql_is_told_by_file_and_line() {
    let installation = Installation::new();
    assert!(installation.run(&["migrate"]).status.success());
    let mut text = String::new();
    for (what, sql) in SQL {
        installation.write(FIRST, sql);
        let refused = refusal(&installation, &["migrate"]);
        let setup = SetUp {
            what,
            files: &[(FIRST, sql)],
            arguments: &["migrate"],
            ..NOTHING
        };
        describe(&mut text, &setup, &told(&installation, &refused));
    }
    let mut other = |what, make: &dyn Fn(), path: &str| {
        make();
        let refused = refusal(&installation, &["migrate"]);
        let setup = SetUp {
            what,
            arguments: &["migrate"],
            ..NOTHING
        };
        describe(&mut text, &setup, &told(&installation, &refused));
        fs::remove_file(installation.path().join(path)).unwrap();
    };
    let in_project = |path: &str| installation.path().join(path);
    installation.write(FIRST, "select 1;\n");
    let second = FIRST.replace("first", "second");
    other(
        "two files of one version",
        &|| installation.write(&second, "select 2;\n"),
        &second,
    );
    other(
        "text that is not UTF-8",
        &|| fs::write(in_project(FIRST), b"select 1;\nselect '\xff';\n").unwrap(),
        FIRST,
    );
    other(
        "a link to itself",
        &|| symlink(in_project(FIRST), in_project(FIRST)).unwrap(),
        FIRST,
    );
    let seed = "supabase/seed.sql";
    other(
        "a seed",
        &|| installation.write(seed, "\ninsert into no values (1);\n"),
        seed,
    );
    let roles = "supabase/roles.sql";
    other(
        "a role",
        &|| installation.write(roles, "create role;\n"),
        roles,
    );
    assert_reviewed("sql", &text);
}
