//! A database for one test.

use std::sync::atomic::{AtomicU32, Ordering};

use platform::cluster::SUPERUSER;
use platform::env::Secret;
use platform::pg::{Client, Database, DatabaseConfig};

use crate::cluster::{PASSWORD, TEMPLATE, connect, connect_to_migrate, server};
use crate::sql;

static NEXT: AtomicU32 = AtomicU32::new(1);

/// A migrated database that nobody else uses; dropped with this value.
pub struct TestDatabase {
    name: String,
    port: u16,
}

impl TestDatabase {
    /// Copies the template, starting the server first if this is the process's first test.
    pub async fn create() -> Self {
        // Starting blocks its caller, which must not be one of the test's own async threads.
        let port = tokio::task::spawn_blocking(|| server().port)
            .await
            .expect("test Postgres");
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let database = Self { name, port };
        let create = format!(
            "create database {} template {TEMPLATE} strategy file_copy",
            database.name
        );
        let admin = connect(&database.url_to(SUPERUSER, "postgres"));
        let client = admin.client().await.expect("connection to the test server");
        client
            .batch(sql(create))
            .await
            .expect("copy of the template");
        database
    }

    /// A connection URL for a login role of this database.
    pub fn url(&self, role: &str) -> String {
        self.url_to(role, &self.name)
    }

    /// The port of its server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A pool that logs in as `role`.
    pub fn pool(&self, role: &str) -> Database {
        connect(&self.url(role))
    }

    /// Pool settings that log in as `role`.
    pub fn config(&self, role: &str) -> DatabaseConfig {
        DatabaseConfig::new(Secret::new(self.url(role)), "test")
    }

    /// A superuser's connection, to prepare and to check.
    pub async fn superuser(&self) -> Client {
        self.pool(SUPERUSER)
            .client()
            .await
            .expect("superuser connection")
    }

    /// A superuser's connection to migrate with.
    pub async fn administrator(&self) -> Client {
        self.to_migrate(SUPERUSER).await
    }

    /// A connection of this role to migrate with.
    pub async fn to_migrate(&self, role: &str) -> Client {
        connect_to_migrate(&self.url(role))
            .client()
            .await
            .expect("connection to migrate with")
    }

    fn url_to(&self, role: &str, database: &str) -> String {
        format!(
            "postgres://{role}:{PASSWORD}@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let url = self.url_to(SUPERUSER, "postgres");
        let drop = format!("drop database if exists {} with (force)", self.name);
        server().background.spawn(async move {
            if let Ok(client) = connect(&url).client().await {
                // A database that stays behind goes with the server.
                let _ = client.batch(sql(drop)).await;
            }
        });
    }
}
