//! Statements that Postgres keeps for superusers and that projects have in their files: event triggers,
//! and publications of all tables or of schemas. Who is no superuser sends a call of a function that the
//! administrator lends instead (`migrations/roles/20261122000000_lend_superuser_things.sql`), in the same
//! place of the same file, so that it holds for what follows, and lines stay where they are. Settings that
//! a role or the database is to keep are allowed first.

use platform::pg::{Client, DbError, Executor, Ident, QuoteError, Sql, column};

use super::statements::{self, Statement};
use super::words::Words;

const LENT: &str = "-- _wildfire.lent
select not r.rolsuper and exists (
  select from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace
  where n.nspname = '_wildfire' and p.proname = 'create_event_trigger'
    and has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
) as is_lent
from pg_roles as r
where r.rolname = current_user";

const ALLOW: &str = "-- _wildfire.allow_setting
select _wildfire.allow_setting($1)";

/// A statement that only a superuser may send.
#[derive(Debug, PartialEq, Eq)]
enum Reserved {
    EventTrigger {
        name: String,
        event: String,
        tags: Option<Vec<String>>,
        function: Vec<String>,
    },
    Publication {
        name: String,
        /// None for all tables.
        schemas: Option<Vec<String>>,
        options: Vec<(String, String)>,
    },
}

/// Whether functions are lent to who is logged in, and needed.
pub(super) async fn is_lent(client: &Client) -> Result<bool, DbError> {
    column(&client.query_one(LENT, &[]).await?, "is_lent")
}

/// Whether a statement is one of those, as far as its first words tell.
pub(super) fn is_reserved(statement: &Statement<'_>) -> bool {
    let begins = statement.begins(3);
    begins == "create event trigger" || begins.starts_with("create publication ")
}

/// The file with calls of lent functions in place of what only a superuser may send.
pub(super) fn borrow(sql: &Sql) -> Sql {
    let mut parts = Vec::new();
    for statement in statements::split(sql.as_str()) {
        let reserved = is_reserved(&statement).then(|| Reserved::read(statement.code()));
        let call = reserved.flatten().map(|reserved| reserved.call());
        if let Some(Ok(mut call)) = call {
            for _ in statement.code().matches('\n') {
                call.push("\n");
            }
            parts.push((statement.place(), call));
        }
    }
    sql.with_parts(parts)
}

/// The settings of the project's own that a file has roles or the database keep.
pub(super) fn settings(sql: &Sql) -> Vec<String> {
    let statements = statements::split(sql.as_str());
    statements.iter().filter_map(setting).collect()
}

/// Lets the project's owner keep them.
pub(super) async fn allow(client: &Client, settings: &[String]) -> Result<(), DbError> {
    for setting in settings {
        client.execute(ALLOW, &[setting]).await?;
    }
    Ok(())
}

fn setting(statement: &Statement<'_>) -> Option<String> {
    let mut words = Words::of_beginning(statement.code());
    words.take("alter")?;
    ["role", "user", "database"]
        .iter()
        .find_map(|it| words.take(it))?;
    words.name()?;
    if words.takes("in") {
        words.take("database")?;
        words.name()?;
    }
    words.take("set")?;
    let mut name = words.name()?;
    while words.takes(".") {
        name = format!("{name}.{}", words.name()?);
    }
    name.starts_with("app.").then_some(name)
}

impl Reserved {
    /// What is written in another way than these stays as it is, for Postgres to refuse.
    fn read(code: &str) -> Option<Self> {
        let mut words = Words::of(code)?;
        words.take("create")?;
        let read = if words.takes("publication") {
            publication(&mut words)?
        } else {
            event_trigger(&mut words)?
        };
        words.is_at_end().then_some(read)
    }

    fn call(&self) -> Result<Sql, QuoteError> {
        let mut call = Sql::new("select _wildfire.");
        match self {
            Self::EventTrigger {
                name,
                event,
                tags,
                function,
            } => {
                call.push("create_event_trigger(");
                call.push(Sql::literal(name)?).push(", ");
                call.push(Sql::literal(event)?).push(", ");
                call.push(list(tags.as_deref())?).push(", ");
                let names: Result<Vec<_>, _> = function.iter().map(|it| plain(it)).collect();
                let signature = format!("{}()", names?.join("."));
                call.push(Sql::literal(&signature)?)
                    .push("::pg_catalog.regprocedure)");
            }
            Self::Publication {
                name,
                schemas,
                options,
            } => {
                call.push("create_publication(");
                call.push(Sql::literal(name)?).push(", ");
                call.push(list(schemas.as_deref())?).push(", ");
                let options = options
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone().into()));
                let options = serde_json::Value::Object(options.collect());
                call.push(Sql::literal(&options.to_string())?)
                    .push("::pg_catalog.jsonb)");
            }
        }
        Ok(call)
    }
}

/// A name as people write it, for messages show it.
fn plain(name: &str) -> Result<String, QuoteError> {
    let is_plain = |it| matches!(it, 'a'..='z' | '_');
    let quoted = Ident::quote(name)?;
    Ok(if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        quoted.as_str().to_owned()
    })
}

fn list(values: Option<&[String]>) -> Result<Sql, QuoteError> {
    let Some(values) = values else {
        return Ok(Sql::new("null"));
    };
    let values: Result<Vec<_>, _> = values.iter().map(|value| Sql::literal(value)).collect();
    let mut list = Sql::new("array[");
    list.push(Sql::join(values?, ", "))
        .push("]::pg_catalog.text[]");
    Ok(list)
}

fn event_trigger(words: &mut Words) -> Option<Reserved> {
    words.take("event")?;
    words.take("trigger")?;
    let name = words.name()?;
    words.take("on")?;
    let event = words.name()?;
    let mut tags = None;
    if words.takes("when") {
        words.take("tag")?;
        words.take("in")?;
        words.take("(")?;
        tags = Some(words.separated(Words::text)?);
        words.take(")")?;
    }
    words.take("execute")?;
    words.take("function").or_else(|| words.take("procedure"))?;
    let mut function = vec![words.name()?];
    if words.takes(".") {
        function.push(words.name()?);
    }
    words.take("(")?;
    words.take(")")?;
    Some(Reserved::EventTrigger {
        name,
        event,
        tags,
        function,
    })
}

fn publication(words: &mut Words) -> Option<Reserved> {
    let name = words.name()?;
    words.take("for")?;
    let of_all = words.takes("all");
    words.take("tables")?;
    let mut schemas = None;
    if !of_all {
        words.take("in")?;
        words.take("schema")?;
        schemas = Some(words.separated(Words::name)?);
    }
    let mut options = Vec::new();
    if words.takes("with") {
        words.take("(")?;
        options = words.separated(option)?;
        words.take(")")?;
    }
    Some(Reserved::Publication {
        name,
        schemas,
        options,
    })
}

/// A switch may stand alone for true.
fn option(words: &mut Words) -> Option<(String, String)> {
    let name = words.name()?;
    let value = if words.takes("=") {
        words.text().or_else(|| words.name())?
    } else {
        "true".to_owned()
    };
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn borrowed(sql: &'static str) -> String {
        borrow(&Sql::new(sql)).as_str().to_owned()
    }

    #[test]
    fn what_only_superusers_may_send_becomes_a_call_in_its_place() {
        for (sql, expected) in [
            (
                "create event trigger watch on ddl_command_end execute procedure f();",
                "select _wildfire.create_event_trigger('watch', 'ddl_command_end', null, \
                 'f()'::pg_catalog.regprocedure);",
            ),
            (
                "create table a ();\n-- about\nCREATE EVENT TRIGGER \"Ensure RLS\"\nON ddl_command_end\n\
                 WHEN TAG IN ('CREATE TABLE', /* or */ 'SELECT INTO')\nEXECUTE FUNCTION Public.\"F\"();\nselect 1",
                "create table a ();\n-- about\nselect _wildfire.create_event_trigger('Ensure RLS', \
                 'ddl_command_end', array['CREATE TABLE', 'SELECT INTO']::pg_catalog.text[], \
                 'public.\"F\"()'::pg_catalog.regprocedure)\n\n\n;\nselect 1",
            ),
            (
                "create publication p for all tables",
                "select _wildfire.create_publication('p', null, '{}'::pg_catalog.jsonb)",
            ),
            (
                "create publication p for tables in schema public, \"B\" with (publish = 'insert', \
                 publish_via_partition_root)",
                "select _wildfire.create_publication('p', array['public', 'B']::pg_catalog.text[], \
                 '{\"publish\":\"insert\",\"publish_via_partition_root\":\"true\"}'::pg_catalog.jsonb)",
            ),
        ] {
            assert_eq!(borrowed(sql), expected, "{sql}");
        }
    }

    #[test]
    fn settings_of_the_projects_own_are_found_where_they_are_kept() {
        let sql = "alter database postgres set app.settings.jwt_secret to 'x';
          alter role anon in database postgres set \"app.a\" = 'E';
          alter user b set App.B from current;
          alter role c set pgrst.db_max_rows = 1; set app.c = 1; alter role d reset app.d";
        let expected = ["app.settings.jwt_secret", "app.a", "app.b"];
        assert_eq!(settings(&Sql::new(sql)), expected);
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for sql in [
            "create publication supabase_realtime",
            "create publication p for table a, tables in schema b",
            "select 'create publication p for all tables'",
            "create event trigger x on y when tag in ('a') and tag in ('b') execute function f()",
            "create event trigger x on y execute function f(1)",
            "create event trigger U&\"x\" on y execute function f()",
            "create event trigger x on y execute function f() trailing",
            "drop event trigger x",
            "do $$ begin create event trigger x on y execute function f(); end $$",
        ] {
            assert_eq!(borrowed(sql), sql);
        }
    }
}
