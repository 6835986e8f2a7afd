//! Who may do what, from the catalogue of a database that `stack::postgres` just made.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use platform::pg::{Client, Executor as _, Params};

use super::opened::{compose, embedded, managed};
use super::sections::{SECTIONS, Section};
use super::{no_gaps_but, reviewed};

const HEADER: &str = "Who may do what in the database that `wildfire start` makes, read from its catalogue. Things of which
the same is to be said stand together below it. What a role may do is all of it, also what it inherits;
who may no more than everybody (`public`) is not named. Superusers may do everything and are left out,
and so is what belongs to an extension.
";

const HEADER_OF_DIFFERENCE: &str =
    "What is different (+ only here, - only in the database of `wildfire start`) where somebody brings the
server. Whoever is a superuser here or there, or has what one has there, is ADMINISTRATOR.
";

/// It reads everything where a superuser could let it, and nothing elsewhere: that it acts as
/// `pg_read_all_data` says so once.
const READ_ONLY: &str = "supabase_read_only_user";

/// What is not as it should be: may only become shorter.
const GAPS: &[&str] = &[];

/// What there is to say about a thing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    about: String,
    thing: String,
}

/// The entries of each section.
type Report = Vec<Vec<Entry>>;

#[actix_web::test]
async fn every_right_in_the_database_is_a_reviewed_one() {
    let opened = embedded().await;
    let roles = roles(&opened.admin).await;
    let report = report(&opened.admin, &roles).await;
    let mut text = HEADER.to_owned();
    for (section, entries) in SECTIONS.iter().zip(&report) {
        write(&mut text, section, "", entries);
    }
    reviewed("database", &text);
}

#[actix_web::test]
async fn every_right_that_is_different_on_somebody_elses_server_is_a_reviewed_one() {
    let usual = embedded().await;
    for (name, other) in [("compose", compose().await), ("managed", managed().await)] {
        let others = roles(&other.admin).await;
        let mut shared = roles(&usual.admin).await;
        shared.retain(|role| others.contains(role) && role != READ_ONLY);
        let here = unnamed(report(&other.admin, &shared).await, other.administrators);
        let there = unnamed(report(&usual.admin, &shared).await, other.administrators);
        let mut text = HEADER_OF_DIFFERENCE.to_owned();
        for (section, (here, there)) in SECTIONS.iter().zip(here.iter().zip(&there)) {
            write(&mut text, section, "- ", &without(there, here));
            write(&mut text, section, "+ ", &without(here, there));
        }
        reviewed(&format!("database_{name}"), &text);
    }
}

#[actix_web::test]
async fn nothing_in_the_database_is_open_by_mistake() {
    let opened = embedded().await;
    let found = opened.admin.query(GAPS_OF_DATABASE, &[]).await.unwrap();
    let found: Vec<String> = found.iter().map(|row| row.get(0)).collect();
    no_gaps_but(GAPS, &found);
}

/// What changes who may do what, and the section that has to say so.
const CHANGES: [(&str, &str); 24] = [
    ("alter role anon bypassrls", "Roles"),
    ("alter role authenticator superuser", "Roles"),
    ("grant anon to authenticator with admin option", "Acts as"),
    ("alter role anon reset statement_timeout", "Settings"),
    ("alter database postgres set row_security = off", "Settings"),
    (
        "revoke temporary on database postgres from public",
        "The database",
    ),
    ("grant create on schema wildfire to anon", "Schemas"),
    ("revoke select on wildfire.prompts from anon", "Tables"),
    (
        "alter table wildfire.prompts disable row level security",
        "Tables",
    ),
    (
        "revoke update (role) on wildfire.organization_members from authenticated",
        "Columns",
    ),
    (
        "alter policy prompts_select on wildfire.prompts to public",
        "Policies",
    ),
    (
        "drop trigger prompts_require_session on wildfire.prompts",
        "Triggers",
    ),
    (
        "alter table wildfire.prompts disable trigger prompts_require_session",
        "Triggers",
    ),
    (
        "alter event trigger wildfire_keep_policies disable",
        "Event triggers",
    ),
    (
        "create rule nothing as on delete to wildfire.prompts do instead nothing",
        "Rules",
    ),
    (
        "grant execute on function wildfire_private.restore_prompt to anon",
        "Functions",
    ),
    (
        "alter function wildfire_private.caller() security definer",
        "Functions",
    ),
    (
        "grant usage on sequence wildfire.prompts_id_seq to anon",
        "Sequences",
    ),
    ("revoke usage on type auth.aal_level from public", "Types"),
    (
        "alter publication supabase_realtime add table wildfire.prompts",
        "Publications",
    ),
    (
        "grant select on wildfire.prompts to service_role with grant option",
        "Rights that",
    ),
    (
        "grant set on parameter session_replication_role to anon",
        "Grants on",
    ),
    (
        "grant execute on function pg_read_file(text) to anon",
        "Postgres' own",
    ),
    (
        "alter default privileges for role wildfire_owner in schema wildfire
           grant select on tables to anon",
        "What is made later",
    ),
];

#[actix_web::test]
async fn a_right_that_is_taken_away_or_added_is_seen_in_its_section() {
    let opened = embedded().await;
    let roles = roles(&opened.admin).await;
    let before = report(&opened.admin, &roles).await;
    let mut untouched: Vec<&str> = SECTIONS.iter().map(|section| section.title).collect();
    for (change, title) in CHANGES {
        opened.admin.batch("begin").await.unwrap();
        opened.admin.batch(change).await.unwrap();
        let after = report(&opened.admin, &roles).await;
        opened.admin.batch("rollback").await.unwrap();
        let pairs = SECTIONS.iter().zip(before.iter().zip(&after));
        let mut seen = pairs.filter(|(_, (before, after))| before != after);
        let seen = seen.any(|(section, _)| section.title.starts_with(title));
        assert!(seen, "nobody would see: {change}");
        untouched.retain(|untouched| !untouched.starts_with(title));
    }
    assert_eq!(untouched, Vec::<&str>::new());
}

/// Everybody, and every role that has not all rights anyway.
async fn roles(admin: &Client) -> Vec<String> {
    let rows = admin.query(ROLES, &[]).await.unwrap();
    let others = rows.iter().map(|row| row.get(0));
    [PUBLIC.to_owned()].into_iter().chain(others).collect()
}

const PUBLIC: &str = "public";

const ROLES: &str = "select rolname::text from pg_roles
    where not rolsuper and rolname !~ '^pg_' order by rolname";

async fn report(admin: &Client, roles: &[String]) -> Report {
    // So that every name is a whole one.
    admin.batch("set search_path to ''").await.unwrap();
    let mut report = Report::new();
    for section in &SECTIONS {
        let params: Params<'_> = if section.by_role { &[&roles] } else { &[] };
        let rows = admin.query(section.sql, params).await.unwrap();
        let entries = rows.iter().map(|row| {
            let mut about: String = row.get(1);
            if section.by_role {
                about += &rights(roles, &row.get::<_, Vec<String>>(2));
            }
            let thing = row.get(0);
            Entry { about, thing }
        });
        report.push(entries.collect());
    }
    report
}

/// A line for all that may do the same.
fn rights(roles: &[String], rights: &[String]) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for (role, may) in roles.iter().zip(rights) {
        if may.is_empty() || (role != PUBLIC && *may == rights[0]) {
            continue;
        }
        match lines.iter_mut().find(|(known, _)| known == may) {
            Some((_, who)) => *who = format!("{who} {role}"),
            None => lines.push((may, role.clone())),
        }
    }
    let lines = lines.iter().map(|(may, who)| format!("\n{may}: {who}"));
    lines.collect()
}

/// The same, whatever the names of those are that may do everything.
fn unnamed(mut report: Report, administrators: &[&str]) -> Report {
    let is_inside = |letter: char| letter == '_' || letter.is_alphanumeric();
    let unnamed = |text: &str| {
        let words = text.split_inclusive(|letter| !is_inside(letter));
        let words = words.map(|word| {
            let name = word.trim_end_matches(|letter| !is_inside(letter));
            if administrators.contains(&name) {
                word.replace(name, "ADMINISTRATOR")
            } else {
                word.to_owned()
            }
        });
        words.collect()
    };
    for entry in report.iter_mut().flatten() {
        entry.about = unnamed(&entry.about);
        entry.thing = unnamed(&entry.thing);
    }
    report
}

/// The entries that another report does not have.
fn without(entries: &[Entry], others: &[Entry]) -> Vec<Entry> {
    let others: BTreeSet<_> = others.iter().collect();
    let own = entries.iter().filter(|entry| !others.contains(entry));
    own.cloned().collect()
}

/// Writes entries below what is said about them, in the order in which that comes up.
fn write(text: &mut String, section: &Section, sign: &str, entries: &[Entry]) {
    let mut abouts: Vec<&str> = Vec::new();
    for Entry { about, .. } in entries {
        if !abouts.contains(&about.as_str()) {
            abouts.push(about);
        }
    }
    if abouts.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {sign}{}", section.title);
    for about in abouts {
        text.push('\n');
        wrap(text, "", about);
        for entry in entries.iter().filter(|entry| entry.about == about) {
            let (first, more) = entry.thing.split_once('\n').unwrap_or((&entry.thing, ""));
            wrap(text, "    ", first);
            wrap(text, "        ", more);
        }
    }
}

/// Writes lines that are no longer than one can read.
fn wrap(text: &mut String, indent: &str, lines: &str) {
    const LONGEST: usize = 110;
    for line in lines.lines() {
        let mut written = indent.len();
        text.push_str(indent);
        for word in line.split_whitespace() {
            if written + 1 + word.len() > LONGEST {
                let _ = write!(text, "\n{indent}  ");
                written = indent.len() + 2;
            } else if written > indent.len() {
                text.push(' ');
                written += 1;
            }
            text.push_str(word);
            written += word.len();
        }
        text.push('\n');
    }
}

/// Tables without row security that a browser's roles can reach, and functions that run with their
/// owner's rights but find names where their caller says.
const GAPS_OF_DATABASE: &str = "
    select 'no row security: ' || n.nspname || '.' || c.relname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relrowsecurity
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and exists (select from unnest(array['anon', 'authenticated']) role
        where has_schema_privilege(role, n.oid, 'usage')
          and has_any_column_privilege(role, c.oid, 'select, insert, update'))
    union all
    select 'search path of the caller: ' || n.nspname || '.' || p.proname
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.prosecdef and n.nspname !~ '^pg_'
      and not exists (select from unnest(p.proconfig) setting where setting like 'search_path=%')
    order by 1";
