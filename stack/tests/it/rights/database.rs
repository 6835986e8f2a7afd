//! Role × thing × verb, from the catalogue of a database that was just made.

use platform::pg::migrate::run_all;
use platform::pg::{Client, Executor as _, Params};
use platform_test::TestDatabase;
use stack::SERVICES;

use super::grid::Grid;
use super::{no_gaps_but, reviewed};

const HEADER: &str =
    "Who may do what in the database, read from its catalogue. Superusers may do everything and are
left out, and so is what belongs to an extension. `public` is everybody. A column shows all that its
role may do, also what everybody may and what it inherits; `others` names who may do more than
everybody.
";

/// What is not as it should be: may only become shorter.
const GAPS: &[&str] = &[];

/// A database as `wildfire start` makes it, with the tables of every service that is listed.
async fn fresh() -> (TestDatabase, Client) {
    let database = TestDatabase::create().await;
    let roles = SERVICES.iter().flat_map(|service| service.logins());
    let urls = roles.map(|role| (role, database.url(role))).collect();
    let mut admin = database.superuser().await;
    let parts = SERVICES.iter().flat_map(|service| service.migrations);
    run_all(parts, &mut admin, &urls).await.unwrap();
    (database, admin)
}

#[actix_web::test]
async fn every_right_in_the_database_is_a_reviewed_one() {
    let (_database, admin) = fresh().await;
    let mut text = HEADER.to_owned();
    let roles = roles(&admin).await;
    for section in SECTIONS {
        section.write(&admin, &roles, &mut text).await;
    }
    reviewed("database", &text);
}

#[actix_web::test]
async fn nothing_in_the_database_is_open_by_mistake() {
    let (_database, admin) = fresh().await;
    let found = admin.query(GAPS_OF_DATABASE, &[]).await.unwrap();
    let found: Vec<String> = found.iter().map(|row| row.get(0)).collect();
    no_gaps_but(GAPS, &found);
}

/// Everybody, and every role that has not all rights anyway.
async fn roles(admin: &Client) -> Vec<String> {
    let rows = admin.query(ROLES, &[&COLUMNS.as_slice()]).await.unwrap();
    let others = rows.iter().map(|row| row.get(0));
    COLUMNS
        .map(str::to_owned)
        .into_iter()
        .chain(others)
        .collect()
}

/// One table of the file.
struct Section {
    title: &'static str,
    headings: &'static [&'static str],
    /// Whether each role has a column.
    by_role: bool,
    sql: &'static str,
}

impl Section {
    async fn write(&self, admin: &Client, roles: &[String], text: &mut String) {
        let columns: &[&str] = if self.by_role { &COLUMNS } else { &[] };
        let others = self.by_role.then_some("others");
        let headings = self.headings.iter().chain(columns).copied().chain(others);
        let mut grid = Grid::new(self.title, headings);
        let params: Params<'_> = if self.by_role { &[&roles] } else { &[] };
        for row in admin.query(self.sql, params).await.unwrap() {
            let mut cells: Vec<String> = row.get(0);
            if self.by_role {
                cells.extend(by_role(roles, &row.get::<_, Vec<String>>(1)));
            }
            grid.row(cells);
        }
        grid.write(text);
    }
}

/// What the roles with a column may do, and those of the others that may do more than everybody.
fn by_role(roles: &[String], rights: &[String]) -> Vec<String> {
    let (columns, others) = rights.split_at(COLUMNS.len());
    let more = roles[COLUMNS.len()..].iter().zip(others);
    let more = more.filter(|(_, rights)| **rights != columns[0]);
    let more: Vec<String> = more
        .map(|(role, rights)| format!("{role} {rights}"))
        .collect();
    columns.iter().cloned().chain([more.join(", ")]).collect()
}

/// Who has a column: everybody, and the roles that requests and the product's administrator act as.
const COLUMNS: [&str; 6] = [
    "public",
    "anon",
    "authenticated",
    "service_role",
    "authenticator",
    "postgres",
];

/// All other roles, but for the one of a service that other tests of this process have.
const ROLES: &str = "select rolname::text from pg_roles
    where not rolsuper and rolname !~ '^(pg_|dummy$)' and rolname <> all($1::text[]) order by rolname";

const SECTIONS: [Section; 9] = [
    Section {
        title: "Roles",
        headings: &["role", "log in", "attributes", "acts as (i: and has its rights at once)"],
        by_role: false,
        sql: "select array[
                rolname::text,
                case when rolcanlogin then 'yes' else '' end,
                concat_ws(' ', case when rolbypassrls then 'bypassrls' end,
                    case when rolcreaterole then 'createrole' end,
                    case when rolcreatedb then 'createdb' end,
                    case when rolreplication then 'replication' end,
                    case when not rolinherit then 'noinherit' end),
                coalesce((select string_agg(
                        m.roleid::regrole::text || case when m.inherit_option then '(i)' else '' end,
                        ' ' order by m.roleid::regrole::text)
                    from pg_auth_members m where m.member = r.oid and (m.set_option or m.inherit_option)), '')
            ]
            from pg_roles r where not rolsuper and rolname !~ '^(pg_|dummy$)' order by rolname",
    },
    Section {
        title: "The database: c connect, C create schemas, t temporary tables",
        headings: &["owner"],
        by_role: true,
        sql: "select array[pg_get_userbyid(datdba)::text],
              array(select concat(case when has_database_privilege(r.name, d.oid, 'connect') then 'c' end,
                    case when has_database_privilege(r.name, d.oid, 'create') then 'C' end,
                    case when has_database_privilege(r.name, d.oid, 'temporary') then 't' end)
                from unnest($1::text[]) with ordinality as r (name, place) order by place)
            from pg_database d where datname = current_database()",
    },
    Section {
        title: "Schemas: U use, C create in it",
        headings: &["schema", "owner"],
        by_role: true,
        sql: "select array[nspname::text, pg_get_userbyid(nspowner)::text],
              array(select concat(case when has_schema_privilege(r.name, n.oid, 'usage') then 'U' end,
                    case when has_schema_privilege(r.name, n.oid, 'create') then 'C' end)
                from unnest($1::text[]) with ordinality as r (name, place) order by place)
            from pg_namespace n
            where nspname !~ '^pg_' and nspname <> 'information_schema' order by nspname",
    },
    Section {
        title: "Tables and views: r read, a add, w change, d delete, D truncate, x refer to, t trigger, m maintain",
        headings: &["table", "kind", "owner", "row security"],
        by_role: true,
        sql: "select array[n.nspname || '.' || c.relname,
                case c.relkind when 'r' then 'table' when 'p' then 'partitioned' when 'v' then 'view'
                    when 'm' then 'materialized' else 'foreign' end,
                pg_get_userbyid(relowner)::text,
                case when c.relkind not in ('r', 'p') then ''
                    when relforcerowsecurity then 'forced' when relrowsecurity then 'on' else 'OFF' end],
              array(select concat(
                    case when has_table_privilege(r.name, c.oid, 'select') then 'r' end,
                    case when has_table_privilege(r.name, c.oid, 'insert') then 'a' end,
                    case when has_table_privilege(r.name, c.oid, 'update') then 'w' end,
                    case when has_table_privilege(r.name, c.oid, 'delete') then 'd' end,
                    case when has_table_privilege(r.name, c.oid, 'truncate') then 'D' end,
                    case when has_table_privilege(r.name, c.oid, 'references') then 'x' end,
                    case when has_table_privilege(r.name, c.oid, 'trigger') then 't' end,
                    case when has_table_privilege(r.name, c.oid, 'maintain') then 'm' end)
                from unnest($1::text[]) with ordinality as r (name, place) order by place)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p', 'v', 'm', 'f')
              and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
              and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
                and d.objid = c.oid and d.deptype = 'e')
            order by n.nspname, c.relname",
    },
    Section {
        title: "Columns with rights of their own",
        headings: &["column", "granted"],
        by_role: false,
        sql: "select array[n.nspname || '.' || c.relname || '.' || a.attname,
                (select string_agg(case when acl.grantee = 0 then 'public'
                        else pg_get_userbyid(acl.grantee)::text end
                        || ' ' || lower(acl.privilege_type), ', '
                    order by acl.grantee::regrole::text, acl.privilege_type)
                 from aclexplode(a.attacl) acl)]
            from pg_attribute a join pg_class c on c.oid = a.attrelid
                join pg_namespace n on n.oid = c.relnamespace
            where a.attacl is not null and n.nspname !~ '^pg_'
            order by n.nspname, c.relname, a.attnum",
    },
    Section {
        title: "Policies",
        headings: &["table", "policy", "kind", "for", "to", "rule"],
        by_role: false,
        sql: r"select array[schemaname || '.' || tablename, policyname::text, lower(permissive),
                lower(cmd), array_to_string(roles, ' '),
                concat_ws(' ', 'using ' || regexp_replace(qual, '\s+', ' ', 'g'),
                    'check ' || regexp_replace(with_check, '\s+', ' ', 'g'))]
            from pg_policies order by schemaname, tablename, policyname",
    },
    Section {
        title: "Functions: x execute",
        headings: &["function", "owner", "runs as", "search path"],
        by_role: true,
        sql: "select array[n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
                pg_get_userbyid(proowner)::text,
                case when prosecdef then 'OWNER' else '' end,
                coalesce((select substr(setting, 13) from unnest(proconfig) setting
                    where setting like 'search_path=%'), '')],
              array(select case when has_function_privilege(r.name, p.oid, 'execute') then 'x' else '' end
                from unnest($1::text[]) with ordinality as r (name, place) order by place)
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace
            where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
              and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass
                and d.objid = p.oid and d.deptype = 'e')
            order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)",
    },
    Section {
        title: "Sequences: U use, r read, w set",
        headings: &["sequence", "owner"],
        by_role: true,
        sql: "select array[n.nspname || '.' || c.relname, pg_get_userbyid(relowner)::text],
              array(select concat(
                    case when has_sequence_privilege(r.name, c.oid, 'usage') then 'U' end,
                    case when has_sequence_privilege(r.name, c.oid, 'select') then 'r' end,
                    case when has_sequence_privilege(r.name, c.oid, 'update') then 'w' end)
                from unnest($1::text[]) with ordinality as r (name, place) order by place)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind = 'S' and n.nspname !~ '^pg_'
              and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
                and d.objid = c.oid and d.deptype = 'e')
            order by n.nspname, c.relname",
    },
    Section {
        title: "What is made later",
        headings: &["by", "in", "what", "granted"],
        by_role: false,
        sql: "select array[pg_get_userbyid(defaclrole)::text,
                coalesce(n.nspname::text, ''),
                case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences'
                    when 'f' then 'functions' when 'T' then 'types' else 'schemas' end,
                (select string_agg(who || ' ' || verbs, ', ' order by who) from (
                    select case when acl.grantee = 0 then 'public'
                            else pg_get_userbyid(acl.grantee)::text end as who,
                        string_agg(case acl.privilege_type when 'SELECT' then 'r' when 'INSERT' then 'a'
                            when 'UPDATE' then 'w' when 'DELETE' then 'd' when 'TRUNCATE' then 'D'
                            when 'REFERENCES' then 'x' when 'TRIGGER' then 't' when 'MAINTAIN' then 'm'
                            when 'EXECUTE' then 'x' else 'U' end, '' order by acl.privilege_type) as verbs
                    from aclexplode(d.defaclacl) acl group by 1) granted)]
            from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
            order by pg_get_userbyid(defaclrole), n.nspname, defaclobjtype",
    },
];

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
