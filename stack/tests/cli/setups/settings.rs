//! Settings that are wrong: in the project's file, in the environment.

use super::{CONFIG, NOTHING, SetUp, assert_refusals};

macro_rules! config {
    ($what:literal, $content:literal) => {
        SetUp {
            what: $what,
            files: &[(CONFIG, $content)],
            ..NOTHING
        }
    };
}

const PROJECT: &[SetUp<'_>] = &[
    config!("not TOML", "project_id = \"own\"\n[auth\n"),
    config!(
        "a key twice",
        "[auth]\nsite_url = \"http://a.b\"\nsite_url = \"http://a.b\"\n"
    ),
    config!("a port that is text", "[api]\nport = \"fifty\"\n"),
    config!("a port that is none", "[db]\nport = 70000\n"),
    config!(
        "a switch that is text",
        "[auth]\nenable_signup = \"maybe\"\n"
    ),
    config!(
        "a list of numbers",
        "[auth]\nadditional_redirect_urls = [5]\n"
    ),
    config!(
        "a pattern with an open bracket",
        "[auth]\nadditional_redirect_urls = [\"http://[\"]\n"
    ),
    config!(
        "an address that is none",
        "[auth]\nsite_url = \"localhost\"\n"
    ),
    config!(
        "a duration in words",
        "[auth.email]\nmax_frequency = \"5 seconds\"\n"
    ),
    config!(
        "a rule that is none",
        "[auth]\npassword_requirements = \"strong\"\n"
    ),
    config!(
        "passwords longer than any",
        "[auth]\nminimum_password_length = 100\n"
    ),
    config!(
        "a limit below nothing",
        "[auth.rate_limit]\nemail_sent = -3\n"
    ),
    config!(
        "half a mail server",
        "[auth.email.smtp]\nenabled = true\nport = 587\n"
    ),
    config!(
        "a mail server on no port",
        "[auth.email.smtp]\nenabled = true\nhost = \"a.b\"\nport = 0\nuser = \"u\"\n\
             pass = \"p\"\nadmin_email = \"a@a.b\"\n"
    ),
    config!(
        "a variable that is not set",
        "[auth.external.github]\nenabled = true\n\
             client_id = \"env(GITHUB_ID)\"\nsecret = \"x\"\n"
    ),
    config!(
        "a mail of no file",
        "[auth.email.template.invite]\ncontent_path = \"./no.html\"\n"
    ),
    config!("another Postgres", "[db]\nmajor_version = 9\n"),
    config!(
        "a secret that is guessed",
        "[auth]\njwt_secret = \"short\"\n"
    ),
    SetUp {
        what: "an override of no meaning",
        variables: &[("SUPABASE_DB_PORT", "many")],
        ..NOTHING
    },
    SetUp {
        what: "a line that is no assignment",
        files: &[("supabase/.env", "A=1\nexport and more\n")],
        ..NOTHING
    },
];

#[test]
fn a_wrong_project_file_is_told_by_file_line_and_key() {
    assert_refusals("project", PROJECT);
}

macro_rules! variable {
    ($what:literal, $name:literal, $value:literal) => {
        SetUp {
            what: $what,
            variables: &[($name, $value)],
            ..NOTHING
        }
    };
}

macro_rules! production {
    ($what:literal $(, $name:literal = $value:literal)*) => {
        SetUp {
            what: $what,
            variables: &[
                ("WILDFIRE_ENV", "production"),
                ("SUPABASE_PUBLIC_URL", "https://prompts.example.com"),
                $(($name, $value),)*
            ],
            ..NOTHING
        }
    };
}

const VARIABLES: &[SetUp<'_>] = &[
    variable!("a mode that is none", "WILDFIRE_ENV", "prod"),
    variable!("a gateway that is none", "WILDFIRE_GATEWAY", "open"),
    variable!("proxies without number", "WILDFIRE_TRUST_PROXY", "maybe"),
    variable!("a name to listen on", "WILDFIRE_HOST", "example.com"),
    variable!("the network in development", "WILDFIRE_HOST", "0.0.0.0"),
    variable!("a level that is none", "WILDFIRE_LOG", "loud"),
    variable!("a log that is none", "WILDFIRE_LOG_FORMAT", "JSON"),
    variable!("a switch that is none", "WILDFIRE_PROMPTS", "nope"),
    variable!("an app that is not built", "WILDFIRE_WEB_DIR", "nowhere"),
    variable!("no Postgres there", "WILDFIRE_PG_BIN", "nowhere"),
    variable!("a life that ends before", "GOTRUE_JWT_EXP", "-5"),
    variable!("a limit in words", "GOTRUE_RATE_LIMIT_EMAIL_SENT", "many"),
    variable!("keys that lack a part", "JWT_KEYS", "[{\"kty\":\"oct\"}]"),
    variable!("a token that is short", "METRICS_TOKEN", "x"),
    variable!("another database", "DATABASE_URL", "mysql://localhost"),
    variable!(
        "nothing listens",
        "DATABASE_URL",
        "postgres://me:p@127.0.0.1:1/postgres"
    ),
    variable!(
        "nobody of that name",
        "DATABASE_URL",
        "postgres://me:p@no.invalid/postgres"
    ),
    variable!("a feature that is not built", "GOTRUE_SAML_ENABLED", "true"),
    SetUp {
        what: "no address of production",
        variables: &[("WILDFIRE_ENV", "production")],
        ..NOTHING
    },
    production!(
        "an address without scheme",
        "SUPABASE_PUBLIC_URL" = "prompts.example.com"
    ),
    production!(
        "an address all can read",
        "SUPABASE_PUBLIC_URL" = "http://prompts.example.com"
    ),
    production!("a secret that is guessed", "JWT_SECRET" = "short"),
    production!(
        "a secret that everybody knows",
        "JWT_SECRET" = "super-secret-jwt-token-with-at-least-32-characters-long"
    ),
    production!(
        "a key of another secret",
        "ANON_KEY" = "eyJhbGciOiJIUzI1NiJ9.e30.AAAA"
    ),
];

#[test]
fn a_wrong_variable_is_told_by_its_name() {
    assert_refusals("variables", VARIABLES);
}
