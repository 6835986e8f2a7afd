//! What the house has to know of this service.

use std::sync::Arc;

use actix_web::web::Data;
use async_trait::async_trait;
use include_dir::{Dir, include_dir};
use platform::env::Reader;
use platform::health::Health;
use platform::http::mount::Mount;
use platform::pg::migrate::{Ledger, Migrations, Owner, Table, lock};
use platform::pg::{DatabaseConfig, PoolPlan};
use platform::service::{Access, Definition, Plan, Row, Service};

use crate::config::Config;
use crate::db;
use crate::routes;
use crate::state::{Deps, State};

/// The role that everything of this service belongs to in the database.
const ROLE: &str = "supabase_auth_admin";

static UPSTREAM: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth");
static OWN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth_own");

/// The service.
pub static SERVICE: Definition = Definition {
    name: "auth",
    mount: "/auth/v1",
    rows: &[
        Row::under("/auth/v1", Access::Key),
        Row::under("/auth/v1/verify", Access::Open),
        Row::under("/auth/v1/callback", Access::Open),
        Row::under("/auth/v1/authorize", Access::Open),
        Row::under("/auth/v1/.well-known/jwks.json", Access::Open),
        Row::under("/auth/v1/sso/saml/acs", Access::Open),
        Row::under("/auth/v1/sso/saml/metadata", Access::Open),
        // Discovery stands at the origin (RFC 8414), and older installations registered SAML there.
        Row::exactly("/.well-known/oauth-authorization-server", Access::Open)
            .leading_to("/auth/v1/.well-known/oauth-authorization-server"),
        Row::exactly(
            "/.well-known/oauth-authorization-server/auth/v1",
            Access::Open,
        )
        .leading_to("/auth/v1/.well-known/oauth-authorization-server"),
        Row::exactly("/sso/saml/acs", Access::Open).leading_to("/auth/v1/sso/saml/acs"),
        Row::exactly("/sso/saml/metadata", Access::Open).leading_to("/auth/v1/sso/saml/metadata"),
    ],
    roles: &[ROLE],
    migrations: &[
        // The `auth` schema, recorded where upstream records its own migrations.
        Migrations {
            scope: "auth",
            files: &UPSTREAM,
            ledger: Ledger::Upstream(Table {
                name: "auth.schema_migrations",
                applied: db::migrations::APPLIED,
                record: None,
                checksum: |_, _| String::new(),
            }),
            lock: lock("auth"),
            owner: Owner::Role(ROLE),
            each_start: None,
        },
        // What is kept beside it; upstream's record shows nothing of that.
        Migrations {
            scope: "auth_own",
            files: &OWN,
            ledger: Ledger::Own("_wildfire_auth"),
            lock: lock("auth_own"),
            owner: Owner::Role(ROLE),
            each_start: None,
        },
    ],
    read,
};

fn read(env: &Reader<'_>) -> Plan {
    plan(Config::from_env(env), env)
}

/// The service as these settings have it.
pub fn plan(config: Config, env: &Reader<'_>) -> Plan {
    let smtp = config.smtp_mailer().unwrap_or_else(|error| {
        env.problem("GOTRUE_SMTP_HOST", &format!("cannot be used: {error}"));
        None
    });
    let pools = [PoolPlan {
        role: ROLE,
        usual: DatabaseConfig::USUAL_CONNECTIONS,
        set: (config.max_pool_size > 0).then_some(config.max_pool_size),
        setting: "GOTRUE_DB_MAX_POOL_SIZE",
    }];
    Plan::new(pools, move |house| {
        let deps = Deps {
            database: house.database(ROLE, |url| config.database(&url))?,
            verifier: house.verifier.clone(),
            mailer: smtp.unwrap_or_else(|| Arc::clone(&house.mailer)),
            web: house.web.clone(),
            clock: house.clock.clone(),
            tasks: house.tasks.clone(),
        };
        let state = State::new(config, deps)?;
        state.passwords.show(house.metrics);
        state.mail.show(house.metrics);
        state.tend_outbox();
        Ok(Arc::new(Auth(Data::new(state))))
    })
}

struct Auth(Data<State>);

#[async_trait]
impl Service for Auth {
    fn routes(&self, mount: &mut Mount<'_>) {
        routes::mount(mount, &self.0);
    }

    async fn health(&self) -> Health {
        self.0.db.health(db::migrations::PING).await
    }

    async fn flush(&self) {
        self.0.settle_mails().await;
    }
}
