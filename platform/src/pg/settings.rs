//! What holds inside a session's transaction beside role and claims: where names are looked for, what
//! the request was, the settings of its role, a function that has a word first.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Database, DbError, Executor as _, Ident, QuoteError, Sql, column};

/// How much a transaction sees of others that run beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// What was committed before each statement.
    ReadCommitted,
    /// What was committed before its first statement.
    RepeatableRead,
    /// As if there were no others; it may have to be run again.
    Serializable,
}

impl Isolation {
    /// As Postgres writes it in `default_transaction_isolation`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            // Postgres reads nothing uncommitted either.
            "read committed" | "read uncommitted" => Some(Self::ReadCommitted),
            "repeatable read" => Some(Self::RepeatableRead),
            "serializable" => Some(Self::Serializable),
            _ => None,
        }
    }

    fn begin(self) -> &'static str {
        match self {
            Self::ReadCommitted => "begin isolation level read committed",
            Self::RepeatableRead => "begin isolation level repeatable read",
            Self::Serializable => "begin isolation level serializable",
        }
    }
}

/// The name of a setting (`storage.operation`, `timezone`): words of letters, digits and `_`, with
/// dots between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setting(Cow<'static, str>);

impl Setting {
    /// One that the program knows.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// One that comes from outside, such as from the configuration of a role or function. What is not
    /// like a name is [`QuoteError::NoSetting`].
    pub fn parse(name: &str) -> Result<Self, QuoteError> {
        let is_word = |word: &str| {
            let mut bytes = word.bytes();
            bytes
                .next()
                .is_some_and(|it| it == b'_' || it.is_ascii_alphabetic())
                && bytes.all(|it| it == b'_' || it.is_ascii_alphanumeric())
        };
        if name.split('.').all(is_word) {
            Ok(Self(Cow::Owned(name.to_owned())))
        } else {
            Err(QuoteError::NoSetting)
        }
    }

    /// Whether its value is a list of names that `set` would take for one name
    /// (`GUC_LIST_QUOTE` in Postgres, which no catalogue shows).
    fn is_list(&self) -> bool {
        [
            "search_path",
            "temp_tablespaces",
            "local_preload_libraries",
            "session_preload_libraries",
        ]
        .iter()
        .any(|list| list.eq_ignore_ascii_case(&self.0))
    }

    /// The statement that gives it a value until the transaction ends.
    fn set(&self, value: &str) -> Result<Sql, QuoteError> {
        let value = Sql::literal(value)?;
        let mut set;
        if self.is_list() {
            set = Sql::new("select set_config(");
            set.push(Sql::literal(&self.0)?)
                .push(", ")
                .push(value)
                .push(", true)");
        } else {
            let words: Result<Vec<_>, _> = self.0.split('.').map(Ident::quote).collect();
            set = Sql::new("set local ");
            set.push(Sql::join(words?, ".")).push(" = ").push(value);
        }
        Ok(set)
    }
}

/// A request as policies and functions see it: `request.method`, `request.path`, `request.headers`,
/// `request.cookies`.
#[derive(Clone, Copy, Debug)]
pub struct RequestSettings<'s> {
    /// In capitals.
    pub method: &'s str,
    /// As received, without what follows `?`.
    pub path: &'s str,
    /// A JSON object; names are in small letters.
    pub headers: &'s str,
    /// A JSON object.
    pub cookies: &'s str,
}

/// A function without parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its schema; found along the search path if `None`.
    pub schema: Option<Ident>,
    /// Its name.
    pub name: Ident,
}

/// What holds in a transaction beside role and claims, and ends with it; nothing by default. Values are
/// quoted, wherever they come from; one with a NUL is refused ([`QuoteError::Nul`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'s> {
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// How much is seen of other transactions; the role's setting if `None`.
    pub isolation: Option<Isolation>,
    /// Where names without a schema are looked for; as the login role has it if `None`.
    pub search_path: Option<&'s [Ident]>,
    /// Settings of roles; those of the role that is acted as apply.
    pub roles: Option<&'s RoleSettings>,
    /// The request.
    pub request: Option<RequestSettings<'s>>,
    /// Others, such as `storage.operation`; a later one wins.
    pub others: &'s [(Setting, &'s str)],
    /// Called as the role before the first statement. It may refuse the request by raising an error.
    pub before: Option<&'s Function>,
}

impl Settings<'_> {
    /// Everything that stands before the first statement, as one message. Whatever is quoted in it, it
    /// can be parsed: if it could not, not even `BEGIN` would run, and what follows would run as
    /// whoever logged in.
    pub(super) fn opening(&self, role: &str, claims: &str) -> Result<Sql, QuoteError> {
        // Postgres reads it as "whoever logged in", even in quotes.
        if role.eq_ignore_ascii_case("none") {
            return Err(QuoteError::NoRole);
        }
        let of_role = self.roles.and_then(|roles| roles.0.get(role));
        let isolation = self.isolation.or(of_role.and_then(|it| it.isolation));
        let mut opening = Sql::new(isolation.map_or("begin", Isolation::begin));
        if self.read_only {
            opening.push(" read only");
        }
        if let Some(path) = self.search_path {
            let path = match path {
                [] => Sql::new("''"),
                path => Sql::join(path, ", "),
            };
            opening.push("; set local search_path = ").push(path);
        }
        // Before the role: who logs in may be allowed to change a setting that the role may not.
        if let Some(of_role) = of_role {
            opening.push(&of_role.set);
        }
        opening.push("; set local role ").push(Ident::quote(role)?);
        opening
            .push("; set local request.jwt.claims = ")
            .push(Sql::literal(claims)?);
        if let Some(request) = self.request {
            let RequestSettings {
                method,
                path,
                headers,
                cookies,
            } = request;
            opening
                .push("; set local request.method = ")
                .push(Sql::literal(method)?);
            opening
                .push("; set local request.path = ")
                .push(Sql::literal(path)?);
            opening
                .push("; set local request.headers = ")
                .push(Sql::literal(headers)?);
            opening
                .push("; set local request.cookies = ")
                .push(Sql::literal(cookies)?);
        }
        for (setting, value) in self.others {
            opening.push("; ").push(setting.set(value)?);
        }
        if let Some(Function { schema, name }) = self.before {
            let name = schema
                .as_ref()
                .map_or_else(|| name.into(), |schema| schema.dot(name));
            opening.push("; select ").push(name).push("()");
        }
        Ok(opening)
    }

    /// For whom a statement is prepared, in the sense of [`super::prepared`].
    pub(super) fn acting<'r>(&self, role: &'r str) -> Cow<'r, str> {
        match self.search_path {
            None => role.into(),
            Some(path) => format!("{role}\0{}", Sql::join(path, ",").as_str()).into(),
        }
    }
}

/// Settings that `alter role … set …` gave to the roles that whoever logs in can act as. Postgres
/// applies them at a login only, which acting as a role is not.
#[derive(Clone, Debug, Default)]
pub struct RoleSettings(HashMap<String, OfRole>);

#[derive(Clone, Debug, Default)]
struct OfRole {
    isolation: Option<Isolation>,
    /// Statements, each after a semicolon.
    set: Sql,
}

// Upstream: PostgREST asks the same (`Config/Database.hs`): only what a user may set, or what the
// login role was granted; a setting for one database is not looked at. There a role's time limit
// also holds where it is longer than that of whoever logs in.
const OF_ROLES: &str = "-- pg_catalog.pg_roles.settings
with configured as (
  select r.rolname::text as role, split_part(s.setting, '=', 1) as name,
    substr(s.setting, strpos(s.setting, '=') + 1) as value
  from pg_catalog.pg_auth_members as m
  join pg_catalog.pg_roles as r on r.oid = m.roleid
  cross join lateral unnest(r.rolconfig) as s (setting)
  where m.member = (select l.oid from pg_catalog.pg_roles as l where l.rolname = current_user)
)
select distinct c.role, c.name, c.value,
  case
    when s.name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
    then nullif(s.setting::int, 0)
  end as most
from configured as c
join pg_catalog.pg_settings as s on lower(s.name) = lower(c.name)
where s.context = 'user'
  or has_parameter_privilege(current_user, s.name, 'set')
order by c.role, c.name";

impl RoleSettings {
    /// Reads them; they stay as they are until they are read again. A role may have less time than the
    /// pool gives its callers, but not more.
    pub async fn load(database: &Database) -> Result<Self, DbError> {
        let mut roles = HashMap::<String, OfRole>::new();
        for row in database.client().await?.query(OF_ROLES, &[]).await? {
            let of_role = roles.entry(column(&row, "role")?).or_default();
            let (name, value): (&str, &str) = (column(&row, "name")?, column(&row, "value")?);
            let most: Option<i32> = column(&row, "most")?;
            let longest = most.filter(|most| !is_within(value, *most));
            let longest = longest.map(|most| most.to_string());
            let value = longest.as_deref().unwrap_or(value);
            if name.eq_ignore_ascii_case("default_transaction_isolation") {
                of_role.isolation = Isolation::parse(value);
            } else {
                of_role
                    .set
                    .push("; ")
                    .push(Setting::parse(name)?.set(value)?);
            }
        }
        Ok(Self(roles))
    }
}

/// Whether a time, as Postgres writes one, is a limit at all and no longer than so many milliseconds.
fn is_within(time: &str, most: i32) -> bool {
    let unit = time.find(|it: char| it.is_ascii_alphabetic());
    let (number, unit) = time.split_at(unit.unwrap_or(time.len()));
    let milliseconds = match unit.trim_end() {
        "us" => 0.001,
        "" | "ms" => 1.0,
        "s" => 1e3,
        "min" => 6e4,
        "h" => 3.6e6,
        "d" => 8.64e7,
        _ => return false,
    };
    let time = number.trim().parse::<f64>();
    time.is_ok_and(|time| (1.0..=f64::from(most)).contains(&(time * milliseconds)))
}
