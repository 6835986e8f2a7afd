//! Where a right can be in a database, each with the text that reads it from the catalogue.
//!
//! A row is a thing, what there is to say about it, and, where roles have rights to it, those of each
//! of `$1`, in that order. What belongs to an extension is left out, as the extensions of a server are.

/// One part of the file.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// Whether the roles are asked for.
    pub(super) by_role: bool,
    pub(super) sql: &'static str,
}

/// What each role may do to a thing.
macro_rules! by_role {
    ($title:literal, $select:literal, [$($letter:literal $asked:literal),+], $from:literal) => {
        Section {
            title: $title,
            by_role: true,
            sql: concat!(
                "select ", $select, ",
                array(select concat(", $("case when ", $asked, " then '", $letter, "' end, ",)+ "'')
                    from unnest($1::text[]) with ordinality as r (name, place) order by place) ",
                $from
            ),
        }
    };
}

/// What is the same for everybody.
const fn section(title: &'static str, sql: &'static str) -> Section {
    Section {
        title,
        by_role: false,
        sql,
    }
}

pub(super) const SECTIONS: [Section; 19] = [
    section(
        "Roles",
        "select rolname::text || ': ' || coalesce(nullif(concat_ws(', ',
                case when rolsuper then 'SUPERUSER' end, case when rolcanlogin then 'log in' end,
                case when rolbypassrls then 'bypass row security' end,
                case when rolcreaterole then 'create roles' end,
                case when rolcreatedb then 'create databases' end,
                case when rolreplication then 'replication' end,
                case when not rolinherit then 'inherits nothing' end,
                case when rolconnlimit <> -1 then 'connections ' || rolconnlimit end,
                case when rolvaliduntil is not null then 'until ' || rolvaliduntil end), ''), '.'), ''
            from pg_roles where rolname !~ '^pg_' order by rolname",
    ),
    section(
        "Acts as: i has its rights at once, s may become it, a may make others members",
        "select m.roleid::regrole || ' ' || concat(case when bool_or(m.inherit_option) then 'i' end,
                case when bool_or(m.set_option) then 's' end, case when bool_or(m.admin_option) then 'a' end),
              m.member::regrole::text
            from pg_auth_members m
            where m.member::regrole::text !~ '^pg_'
            group by m.member, m.roleid
            order by m.member::regrole::text, m.roleid::regrole::text",
    ),
    section(
        "Settings from login on",
        "select setting, case s.setrole when 0 then 'everybody' else s.setrole::regrole::text end
                || case s.setdatabase when 0 then '' else ', in this database' end
            from pg_db_role_setting s, unnest(s.setconfig) setting
            where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
            order by 2, 1",
    ),
    by_role!(
        "The database: c connect, C create schemas, t temporary tables",
        "'the database', 'owner ' || datdba::regrole",
        ["c" "has_database_privilege(r.name, d.oid, 'connect')",
         "C" "has_database_privilege(r.name, d.oid, 'create')",
         "t" "has_database_privilege(r.name, d.oid, 'temporary')"],
        "from pg_database d where datname = current_database()"
    ),
    by_role!(
        "Schemas: U use, C create in it",
        "nspname::text, 'owner ' || nspowner::regrole",
        ["U" "has_schema_privilege(r.name, n.oid, 'usage')",
         "C" "has_schema_privilege(r.name, n.oid, 'create')"],
        "from pg_namespace n
         where nspname !~ '^pg_' and nspname <> 'information_schema' order by nspname"
    ),
    by_role!(
        "Tables and views: r read, a add, w change, d delete, D truncate, x refer to, t trigger, m maintain",
        "n.nspname || '.' || c.relname,
         case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
             when 'm' then 'materialized view' else 'foreign table' end
         || ' of ' || relowner::regrole
         || case when c.relkind in ('r', 'p') then ', row security ' || case
                 when relforcerowsecurity then 'forced' when relrowsecurity then 'on' else 'OFF' end
             when c.reloptions && array['security_invoker=true', 'security_invoker=on']
                 then ', with the rights of who asks'
             else ', with the rights of its OWNER' end",
        ["r" "has_table_privilege(r.name, c.oid, 'select')",
         "a" "has_table_privilege(r.name, c.oid, 'insert')",
         "w" "has_table_privilege(r.name, c.oid, 'update')",
         "d" "has_table_privilege(r.name, c.oid, 'delete')",
         "D" "has_table_privilege(r.name, c.oid, 'truncate')",
         "x" "has_table_privilege(r.name, c.oid, 'references')",
         "t" "has_table_privilege(r.name, c.oid, 'trigger')",
         "m" "has_table_privilege(r.name, c.oid, 'maintain')"],
        "from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'v', 'm', 'f')
           and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
           and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
             and d.objid = c.oid and d.deptype = 'e')
         order by n.nspname, c.relname"
    ),
    section(
        "Columns with rights of their own",
        "select n.nspname || '.' || c.relname || '.' || a.attname,
              (select string_agg(distinct case acl.grantee when 0 then 'public'
                      else acl.grantee::regrole::text end || ' ' || lower(acl.privilege_type), ', ')
               from aclexplode(a.attacl) acl)
            from pg_attribute a join pg_class c on c.oid = a.attrelid
                join pg_namespace n on n.oid = c.relnamespace
            where a.attacl is not null and n.nspname !~ '^pg_'
            order by n.nspname, c.relname, a.attnum",
    ),
    section(
        "Policies",
        r"select concat(p.polname, ': ', case when p.polpermissive then 'permissive' else 'RESTRICTIVE' end,
                  ', ', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
                    when 'd' then 'delete' else 'all' end,
                  ', to ', (select string_agg(case who when 0 then 'public' else who::regrole::text end, ' ')
                    from unnest(p.polroles) who),
                  E'\nusing ' || pg_get_expr(p.polqual, p.polrelid, true),
                  E'\ncheck ' || pg_get_expr(p.polwithcheck, p.polrelid, true)),
              p.polrelid::regclass::text
            from pg_policy p order by 2, p.polname",
    ),
    section(
        "Triggers: what runs when a table is written, by whomever",
        r"select t.tgname || case t.tgenabled when 'O' then '' when 'D' then ' (OFF)' else ' (always)' end
                || ': ' || regexp_replace(pg_get_triggerdef(t.oid, true),
                  '^.*? TRIGGER \S+ (.*?) ON \S+ (.*) EXECUTE FUNCTION (.*)$', E'\\1 \\2\n\\3'),
              t.tgrelid::regclass::text
            from pg_trigger t where not t.tgisinternal
            order by t.tgrelid::regclass::text, t.tgname",
    ),
    section(
        "Event triggers: what runs when anybody changes the schema",
        "select evtname || case evtenabled when 'O' then '' when 'D' then ' (OFF)' else ' (always)' end
                || ': ' || evtevent || coalesce(' ' || array_to_string(evttags, ', '), '')
                || ' execute ' || evtfoid::regproc,
              'owner ' || evtowner::regrole
            from pg_event_trigger order by 2, evtname",
    ),
    section(
        "Rules: what happens in place of a statement",
        "select r.rulename || case r.ev_enabled when 'O' then '' else ' (not as usual)' end
                || ': ' || pg_get_ruledef(r.oid, true),
              r.ev_class::regclass::text
            from pg_rewrite r join pg_class c on c.oid = r.ev_class
                join pg_namespace n on n.oid = c.relnamespace
            where r.rulename <> '_RETURN' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
            order by 2, r.rulename",
    ),
    by_role!(
        "Functions: x execute",
        "n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
         'of ' || proowner::regrole
             || case when prosecdef then ', with the rights of its OWNER' else '' end
             || coalesce(', ' || (select string_agg(setting, ', ' order by setting)
                 from unnest(proconfig) setting), '')",
        ["x" "has_function_privilege(r.name, p.oid, 'execute')"],
        "from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
           and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass
             and d.objid = p.oid and d.deptype = 'e')
         order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)"
    ),
    by_role!(
        "Sequences: U use, r read, w set",
        "n.nspname || '.' || c.relname, 'of ' || relowner::regrole",
        ["U" "has_sequence_privilege(r.name, c.oid, 'usage')",
         "r" "has_sequence_privilege(r.name, c.oid, 'select')",
         "w" "has_sequence_privilege(r.name, c.oid, 'update')"],
        "from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind = 'S' and n.nspname !~ '^pg_'
           and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
             and d.objid = c.oid and d.deptype = 'e')
         order by n.nspname, c.relname"
    ),
    by_role!(
        "Types that no table makes: U use",
        "n.nspname || '.' || t.typname,
         case t.typtype when 'd' then 'domain' when 'e' then 'enum' when 'c' then 'record'
             when 'r' then 'range' when 'm' then 'ranges' else 'type' end || ' of ' || typowner::regrole",
        ["U" "has_type_privilege(r.name, t.oid, 'usage')"],
        "from pg_type t join pg_namespace n on n.oid = t.typnamespace
         where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and t.typelem = 0
           and (t.typrelid = 0 or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
           and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass
             and d.objid = t.oid and d.deptype = 'e')
         order by n.nspname, t.typname"
    ),
    section(
        "Publications: what leaves for whoever may replicate",
        "select case when p.puballtables then '(all tables)' else coalesce(
                  (select string_agg(pr.prrelid::regclass::text, ', ' order by pr.prrelid::regclass::text)
                   from pg_publication_rel pr where pr.prpubid = p.oid), '(no table)') end
                || (select coalesce(string_agg(', all of ' || pn.pnnspid::regnamespace, ''), '')
                    from pg_publication_namespace pn where pn.pnpubid = p.oid)
                || ': ' || concat_ws(', ', case when pubinsert then 'insert' end,
                  case when pubupdate then 'update' end, case when pubdelete then 'delete' end,
                  case when pubtruncate then 'truncate' end),
              pubname || ', owner ' || pubowner::regrole
            from pg_publication p order by 2",
    ),
    section(
        "Rights that may be passed on, but for their owners'",
        "select thing, acl.grantee::regrole::text
            from (
                select nspname::text, nspowner, nspacl from pg_namespace
                union all
                select 'the database', datdba, datacl from pg_database where datname = current_database()
                union all
                select c.oid::regclass::text, relowner, relacl from pg_class c
                where not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
                  and d.objid = c.oid and d.deptype = 'e')
                union all
                select p.oid::regprocedure::text, proowner, proacl from pg_proc p
                where not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass
                  and d.objid = p.oid and d.deptype = 'e')
                union all
                select a.attrelid::regclass || '.' || a.attname, c.relowner, a.attacl
                from pg_attribute a join pg_class c on c.oid = a.attrelid
                union all
                select 'type ' || oid::regtype, typowner, typacl from pg_type
            ) things (thing, owner, acls), aclexplode(acls) acl
            where acl.is_grantable and acl.grantee <> owner
            group by 1, 2 order by 2, 1",
    ),
    section(
        "Grants on what is neither of these",
        "select thing || ': ' || string_agg(case acl.grantee when 0 then 'public'
                else acl.grantee::regrole::text end || ' ' || lower(acl.privilege_type), ', '
                order by acl.grantee::regrole::text, acl.privilege_type), ''
            from (
                select 'setting ' || parname, paracl from pg_parameter_acl
                union all
                select 'language ' || lanname, lanacl from pg_language
                union all
                select 'wrapper ' || fdwname, fdwacl from pg_foreign_data_wrapper
                union all
                select 'server ' || srvname, srvacl from pg_foreign_server
                union all
                select 'tablespace ' || spcname, spcacl from pg_tablespace
                union all
                select 'large object ' || oid, lomacl from pg_largeobject_metadata
            ) things (thing, acls), aclexplode(acls) acl
            group by thing order by thing",
    ),
    section(
        "Postgres' own things whose rights are not as they came",
        "select things.thing || ': ' || array_to_string(now.acls, ', '), ''
            from (
                select 'function ' || p.oid::regprocedure, 'pg_proc'::regclass, p.oid, proowner, proacl, 'f'
                from pg_proc p where pronamespace = 'pg_catalog'::regnamespace
                union all
                select 'table ' || c.oid::regclass, 'pg_class'::regclass, c.oid, relowner, relacl, 'r'
                from pg_class c where relnamespace = 'pg_catalog'::regnamespace
                union all
                select 'schema ' || nspname, 'pg_namespace'::regclass, n.oid, nspowner, nspacl, 'n'
                from pg_namespace n where nspname = 'pg_catalog'
            ) things (thing, class, oid, owner, acls, kind)
            left join pg_init_privs came on came.objoid = things.oid and came.classoid = things.class
                and came.objsubid = 0,
            lateral (select array(select a::text
                from unnest(coalesce(things.acls, acldefault(kind::\"char\", owner))) a order by 1)) now (acls),
            lateral (select array(select a::text
                from unnest(coalesce(initprivs, acldefault(kind::\"char\", owner))) a order by 1)) before (acls)
            where now.acls <> before.acls
              and not exists (select from pg_depend d where d.classid = things.class
                and d.objid = things.oid and d.deptype = 'e')
            order by things.thing",
    ),
    section(
        "What is made later, and whose it is by then; * and they may pass it on",
        "select concat(case when n.nspname is null then 'anywhere' else 'in ' || n.nspname end, ': ',
                case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences'
                    when 'f' then 'functions' when 'T' then 'types' else 'schemas' end),
              concat('by ', defaclrole::regrole, ': ', (select string_agg(verbs || ' ' || who, ', ' order by verbs, who)
                from (
                    select who, string_agg(verb, '' order by place) as verbs
                    from (
                        select case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end as who,
                            array_position(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE',
                              'REFERENCES', 'TRIGGER', 'MAINTAIN', 'EXECUTE', 'USAGE', 'CREATE'],
                              acl.privilege_type) as place,
                            case acl.privilege_type when 'SELECT' then 'r' when 'INSERT' then 'a'
                                when 'UPDATE' then 'w' when 'DELETE' then 'd' when 'TRUNCATE' then 'D'
                                when 'REFERENCES' then 'x' when 'TRIGGER' then 't' when 'MAINTAIN' then 'm'
                                when 'EXECUTE' then 'x' when 'CREATE' then 'C' else 'U' end
                            || case when acl.is_grantable then '*' else '' end as verb
                        from aclexplode(d.defaclacl) acl
                    ) granted group by who
                ) granted))
            from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
            order by defaclrole::regrole::text, 2, n.nspname, defaclobjtype",
    ),
];
