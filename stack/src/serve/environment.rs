//! The environment the services read: the project's settings, then the process environment, which
//! wins; in production with what strangers' data ask for.

use std::sync::Arc;

use platform::clock::Clock;
use platform::env::{Secret, Vars};
use platform::http::HttpConfig;
use platform::jwt::{KeyError, Keyring, Verifier};

use super::context::{Mode, ServeContext};
use crate::config_toml::{GotrueContext, Var};
use crate::gateway::{Dialect, GatewayKeys, OpaqueKeys};
use crate::serve::APP_PORT;

/// The schemas that the data API offers, under `PostgREST`'s name.
const EXPOSED: &str = "PGRST_DB_SCHEMAS";
/// The prompt platform's.
const PROMPT_SCHEMA: &str = "wildfire";

/// Settings of the stack itself.
#[derive(Debug)]
pub(super) struct StackConfig {
    /// `WILDFIRE_GATEWAY` (default `local`, in production `self-hosted`): `local` passes requests
    /// without an `apikey`, `self-hosted` refuses them.
    pub(super) dialect: Dialect,
    /// What clients are allowed.
    pub(super) http: HttpConfig,
    /// `WILDFIRE_WEB_DIR`: the build of the web app.
    pub(super) web_dir: Option<String>,
    /// `WILDFIRE_WORKERS` (default: one per processor, at most 4): threads for requests.
    pub(super) workers: usize,
}

impl StackConfig {
    pub(super) fn from_env(env: &platform::env::Reader<'_>, mode: Mode) -> Self {
        let dialect = match (env.string_or("WILDFIRE_GATEWAY", "").as_str(), mode) {
            ("local", _) | ("", Mode::Development) => Dialect::Local,
            ("self-hosted", _) | ("", Mode::Production) => Dialect::SelfHosted,
            _ => {
                env.problem("WILDFIRE_GATEWAY", "must be local or self-hosted");
                Dialect::SelfHosted
            }
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            dialect,
            http: HttpConfig::from_env(env),
            web_dir: env.string("WILDFIRE_WEB_DIR"),
            workers: env.number("WILDFIRE_WORKERS", processors.min(4)).max(1),
        }
    }
}

/// Where clients reach the API.
pub(super) fn api_url(context: &ServeContext) -> String {
    let public = context
        .public_url
        .as_ref()
        .or(context.project.api.external_url.as_ref());
    public.map_or_else(
        || {
            let address = context.listeners.addresses().api;
            let ip = address.ip();
            // An address to connect to, which the unspecified one is not.
            let host = if ip.is_unspecified() {
                "127.0.0.1".to_owned()
            } else {
                ip.to_string()
            };
            let host = if ip.is_ipv6() && !ip.is_unspecified() {
                format!("[{host}]")
            } else {
                host
            };
            format!("http://{host}:{}", address.port())
        },
        |url| url.trim_end_matches('/').to_owned(),
    )
}

/// All variables of the services.
pub(super) fn vars(context: &ServeContext) -> Vars {
    let mut vars = Vars::default();
    let gotrue = context.project.gotrue_vars(&GotrueContext {
        api_url: &api_url(context),
        jwt_secret: &context.keys.jwt_secret,
        jwt_keys_json: &context.keys.jwt_keys,
    });
    for Var {
        name,
        value,
        origin,
    } in gotrue
    {
        // Said at the start, with file and line; whoever develops goes on without.
        if context.mode == Mode::Development && name.starts_with("GOTRUE_HOOK_") {
            continue;
        }
        let value = match name.as_str() {
            "GOTRUE_SITE_URL" => site_url(&value, context),
            "GOTRUE_URI_ALLOW_LIST" => allowed(&value, context),
            _ => value,
        };
        match origin {
            Some(origin) => vars.set_from(origin, name, value),
            None => vars.set(name, value),
        }
    }
    vars.set(EXPOSED, context.project.api.schemas.join(","));
    match context.mode {
        Mode::Production => harden(&mut vars, context),
        // The mailbox is the developer's own.
        Mode::Development => vars.set("GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT", "0"),
    }
    let dotenv = context
        .project
        .dotenv
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in dotenv.chain(context.vars.iter()) {
        if !value.is_empty() && !is_stacks_own(name) {
            vars.set(name, value);
        }
    }
    if crate::has_prompts(&context.services) {
        expose_prompts(&mut vars);
    }
    vars
}

/// Where links lead: to this program's app, at whatever port it was given, if that is what the project
/// says. A project's own app stands elsewhere, or under another name.
fn site_url(written: &str, context: &ServeContext) -> String {
    let is_ours = written == format!("http://127.0.0.1:{APP_PORT}");
    let moved = is_ours.then(|| moved(written, context)).flatten();
    moved.unwrap_or_else(|| written.to_owned())
}

/// What a project allows redirects to, and the same pages at the ports that were opened instead.
fn allowed(written: &str, context: &ServeContext) -> String {
    let urls = written.split(',').filter(|url| !url.is_empty());
    let moved = urls.clone().filter_map(|url| moved(url, context));
    let all: Vec<_> = urls.map(str::to_owned).chain(moved).collect();
    all.join(",")
}

/// An address of this machine at the port that was opened in place of the one it names.
fn moved(url: &str, context: &ServeContext) -> Option<String> {
    let open = context.listeners.addresses();
    let api = (context.project.api.port, open.api.port());
    let app = open.app.map(|app| (APP_PORT, app.port()));
    let (usual, open) = [api]
        .into_iter()
        .chain(app)
        .find(|(usual, open)| usual != open && is_local(url, *usual))?;
    Some(url.replacen(&format!(":{usual}"), &format!(":{open}"), 1))
}

/// Whether a URL, or a pattern of URLs, is of this machine and port.
fn is_local(url: &str, port: u16) -> bool {
    let hosts = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let rest = hosts.iter().find_map(|host| url.strip_prefix(host));
    let path = rest.and_then(|rest| rest.strip_prefix(&format!(":{port}")));
    path.is_some_and(|path| path.is_empty() || path.starts_with(['/', '?', '#', '*']))
}

/// The prompt platform's tables are offered beside the project's, whatever the project says.
fn expose_prompts(vars: &mut Vars) {
    let schemas = vars.get(EXPOSED).unwrap_or_default();
    let is_there = schemas.split(',').any(|name| name.trim() == PROMPT_SCHEMA);
    if !is_there {
        // Last, because the first one is what clients get that name none.
        let schemas = format!("{schemas},{PROMPT_SCHEMA}");
        vars.set(EXPOSED, schemas.trim_start_matches(','));
    }
}

/// Where production differs from what suits one developer's machine; explicit variables still win.
fn harden(vars: &mut Vars, context: &ServeContext) {
    if let Some(url) = &context.public_url {
        vars.set("GOTRUE_SITE_URL", url.trim_end_matches('/'));
        vars.set("GOTRUE_URI_ALLOW_LIST", "");
    }
    // Either one would also make sign-up tell whether an address is known.
    vars.set("GOTRUE_MAILER_AUTOCONFIRM", "false");
    vars.set("GOTRUE_SMS_AUTOCONFIRM", "false");
    vars.set("GOTRUE_RATE_LIMIT_EMAIL_SENT", "100");
    // One caller must not use that up.
    vars.set("GOTRUE_RATE_LIMIT_MAIL_REQUESTS", "30");
    // The CLI's default of a second suits a mailbox; nobody's real one wants 100 mails in a row.
    vars.set("GOTRUE_SMTP_MAX_FREQUENCY", "1m");
    // The gateway writes this header itself, so it is the caller's own address.
    vars.set("GOTRUE_RATE_LIMIT_HEADER", "X-Forwarded-For");
    // A well-known code must not open an account.
    vars.set("GOTRUE_SMS_TEST_OTP", "");
}

/// Variables this process has worked out already, which a service must not see another value of.
fn is_stacks_own(name: &str) -> bool {
    matches!(
        name,
        "DATABASE_URL" | "JWT_SECRET" | "JWT_KEYS" | "GOTRUE_JWT_SECRET" | "GOTRUE_JWT_KEYS"
    )
}

/// What every service checks tokens with: the keys that the auth service signs them with.
pub(super) fn verifier(vars: &Vars, clock: Clock) -> Result<Verifier, KeyError> {
    let secret = vars.get("GOTRUE_JWT_SECRET").map(Secret::from);
    let id = vars.get("GOTRUE_JWT_KEY_ID").unwrap_or_default();
    let methods = vars.get("GOTRUE_JWT_VALID_METHODS");
    let keyring = Keyring::from_config(secret.as_ref(), vars.get("GOTRUE_JWT_KEYS"))?
        .with_secret_kid(id)
        .with_valid_methods(methods.unwrap_or("HS256,RS256,ES256").split(','));
    Ok(Verifier::new(Arc::new(keyring), clock))
}

/// The keys as the gateway knows them.
pub(super) fn gateway_keys(context: &ServeContext) -> GatewayKeys {
    let keys = &context.keys;
    let inside = |asymmetric: &Option<String>, legacy: &String| {
        asymmetric.clone().unwrap_or_else(|| legacy.clone())
    };
    GatewayKeys {
        anon: keys.anon.clone(),
        service_role: keys.service_role.clone(),
        opaque: Some(OpaqueKeys {
            publishable: keys.publishable.clone(),
            secret: keys.secret.clone(),
            anon_jwt: inside(&keys.anon_asymmetric, &keys.anon),
            service_role_jwt: inside(&keys.service_role_asymmetric, &keys.service_role),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::SERVICES;
    use crate::config_toml;
    use crate::serve::{Listeners, Ports, ProjectKeys};

    fn context(mode: Mode, public_url: Option<&str>, vars: &[(&str, &str)]) -> ServeContext {
        let ports = Ports {
            api: 0,
            app: None,
            mail: None,
        };
        let text = |text: &str| text.to_owned();
        ServeContext {
            mode,
            services: SERVICES.to_vec(),
            workdir: PathBuf::new(),
            data_dir: PathBuf::new(),
            project: config_toml::load(Path::new("nowhere"), &Vars::default())
                .unwrap()
                .into(),
            keys: ProjectKeys {
                anon: text("anon"),
                service_role: text("service"),
                publishable: text("sb_publishable_x"),
                secret: text("sb_secret_x"),
                jwt_secret: text("jwt-secret"),
                jwt_keys: text("[]"),
                anon_asymmetric: None,
                service_role_asymmetric: Some(text("service.es256")),
            },
            listeners: Listeners::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), &ports).unwrap(),
            public_url: public_url.map(str::to_owned),
            vars: vars.iter().copied().collect(),
        }
    }

    #[test]
    fn the_api_url_is_the_public_one_or_the_open_port() {
        let local = context(Mode::Development, None, &[]);
        let port = local.listeners.addresses().api.port();
        assert_eq!(api_url(&local), format!("http://127.0.0.1:{port}"));
        let issuer = format!("http://127.0.0.1:{port}/auth/v1");
        assert_eq!(vars(&local).get("GOTRUE_JWT_ISSUER"), Some(issuer.as_str()));
        let public = context(Mode::Production, Some("https://p.example/"), &[]);
        assert_eq!(api_url(&public), "https://p.example");
    }

    #[test]
    fn links_lead_to_the_ports_that_are_open() {
        let toml = "[api]\nport = 54321\n[auth]\nsite_url = \"http://127.0.0.1:8080\"\n\
             additional_redirect_urls = [\"http://localhost:8080/**\", \"http://[::1]:54321\", \
             \"http://127.0.0.1:80801/x\", \"http://localhost:3000/**\", \
             \"https://127.0.0.1:8080\", \"http://app.example:8080\"]";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.toml"), toml).unwrap();
        let mut context = context(Mode::Development, None, &[]);
        let ports = Ports {
            api: 0,
            app: Some(0),
            mail: None,
        };
        context.listeners = Listeners::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), &ports).unwrap();
        let project = config_toml::load(folder.path(), &Vars::default());
        context.project = project.unwrap().into();
        let open = context.listeners.addresses();
        let (api, app) = (open.api.port(), open.app.unwrap().port());
        let vars = vars(&context);
        let site = format!("http://127.0.0.1:{app}");
        assert_eq!(vars.get("GOTRUE_SITE_URL"), Some(site.as_str()));
        // Somebody else may be at the ports that were written.
        let allowed = format!(
            "http://localhost:8080/**,http://[::1]:54321,http://127.0.0.1:80801/x,\
             http://localhost:3000/**,https://127.0.0.1:8080,http://app.example:8080,\
             http://localhost:{app}/**,http://[::1]:{api}"
        );
        assert_eq!(vars.get("GOTRUE_URI_ALLOW_LIST"), Some(allowed.as_str()));
        let own = [("SUPABASE_AUTH_SITE_URL", "http://localhost:8080")];
        let project = config_toml::load(folder.path(), &Vars::from(own));
        context.project = project.unwrap().into();
        let site = self::vars(&context);
        assert_eq!(site.get("GOTRUE_SITE_URL"), Some(own[0].1));
    }

    #[test]
    fn explicit_variables_win_except_where_the_stack_knows_better() {
        let set = [
            ("GOTRUE_SITE_URL", "https://site.example"),
            ("GOTRUE_JWT_EXP", ""),
            ("GOTRUE_JWT_SECRET", "other"),
            ("DATABASE_URL", "postgres://superuser"),
        ];
        let vars = vars(&context(Mode::Development, None, &set));
        assert_eq!(vars.get("GOTRUE_SITE_URL"), Some("https://site.example"));
        assert_eq!(vars.get("GOTRUE_JWT_EXP"), Some("3600"));
        assert_eq!(vars.get("GOTRUE_JWT_SECRET"), Some("jwt-secret"));
        assert_eq!(vars.get("DATABASE_URL"), None);
    }

    #[test]
    fn production_confirms_addresses_limits_callers_and_keeps_its_own_site_url() {
        let vars = vars(&context(Mode::Production, Some("https://p.example"), &[]));
        let expected = [
            ("GOTRUE_SITE_URL", "https://p.example"),
            ("API_EXTERNAL_URL", "https://p.example/auth/v1"),
            ("GOTRUE_MAILER_AUTOCONFIRM", "false"),
            ("GOTRUE_SMS_AUTOCONFIRM", "false"),
            ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "100"),
            ("GOTRUE_SMTP_MAX_FREQUENCY", "1m"),
            ("GOTRUE_RATE_LIMIT_HEADER", "X-Forwarded-For"),
        ];
        for (name, value) in expected {
            assert_eq!(vars.get(name), Some(value), "{name}");
        }
    }

    #[test]
    fn the_prompt_platforms_schema_is_exposed_beside_the_projects_unless_it_is_off() {
        let exposed = |set: &[(&str, &str)], has_prompts: bool| {
            let mut context = context(Mode::Development, None, set);
            if !has_prompts {
                context.services.retain(|it| !crate::has_prompts(&[it]));
            }
            vars(&context).get("PGRST_DB_SCHEMAS").map(str::to_owned)
        };
        let own = [("PGRST_DB_SCHEMAS", "api, wildfire")];
        for (set, has_prompts, expected) in [
            (&[][..], true, "public,graphql_public,wildfire"),
            (&[][..], false, "public,graphql_public"),
            (&own[..], true, "api, wildfire"),
            (&[("PGRST_DB_SCHEMAS", "api")][..], true, "api,wildfire"),
        ] {
            assert_eq!(exposed(set, has_prompts).as_deref(), Some(expected));
        }
    }

    #[test]
    fn opaque_keys_become_the_signed_jwt_where_there_is_one() {
        let keys = gateway_keys(&context(Mode::Development, None, &[]))
            .opaque
            .unwrap();
        assert_eq!(
            (keys.anon_jwt.as_str(), keys.service_role_jwt.as_str()),
            ("anon", "service.es256")
        );
    }

    #[test]
    fn production_asks_for_keys_unless_told_otherwise() {
        let dialect = |mode, vars: &[(&str, &str)]| {
            let vars: Vars = vars.iter().copied().collect();
            let reader = platform::env::Reader::new(&vars);
            let dialect = StackConfig::from_env(&reader, mode).dialect;
            (dialect, reader.finish().is_ok())
        };
        let set = |value| [("WILDFIRE_GATEWAY", value)];
        let (local, asks) = ((Dialect::Local, true), (Dialect::SelfHosted, true));
        assert_eq!(dialect(Mode::Development, &[]), local);
        assert_eq!(dialect(Mode::Production, &[]), asks);
        assert_eq!(dialect(Mode::Production, &set("")), asks);
        assert_eq!(dialect(Mode::Production, &set("local")), local);
        assert_eq!(dialect(Mode::Development, &set("self-hosted")), asks);
        assert!(!dialect(Mode::Production, &set("open")).1);
    }
}
