//! A database with few connections.

use platform::cluster::{Binaries, Cluster, FindOptions};

use super::installation::{Installation, Process};

/// What was printed, however it was wrapped.
fn said(process: &Process) -> String {
    let words: Vec<_> = process
        .output()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words.join(" ")
}

fn is_well(process: &Process) -> bool {
    let health = Process::ask(process.state.api_port, "GET /health", &[], "");
    health.starts_with("HTTP/1.1 200")
}

#[test]
fn a_database_that_offers_few_connections_is_divided_and_the_operator_told() {
    let installation = Installation::new();
    let settings = "[db.settings]\nmax_connections = 10\n";
    installation.write("supabase/config.toml", settings);
    let process = installation.start(&[]);
    let said = said(&process);
    for part in [
        "The database offers 7 connections (max_connections is 10, of which 3 are reserved)",
        "gets 3 (instead of 16; GOTRUE_DB_MAX_POOL_SIZE)",
        "gets 3 (instead of 16; PROMPT_API_MAX_CONNECTIONS)",
        "Raise max_connections to 39 or more",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(is_well(&process));
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_that_the_operator_set_stay_and_are_warned_about() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).setting("max_connections", "20");
    let cluster = cluster.start().await.unwrap();
    let installation = Installation::new().with("PROMPT_API_MAX_CONNECTIONS", "30");
    let process = installation.start(&["--db-url", &cluster.superuser_url("postgres")]);
    let said = said(&process);
    for part in [
        "authenticator gets 30 (as PROMPT_API_MAX_CONNECTIONS says)",
        "supabase_auth_admin gets 1 (instead of 16; GOTRUE_DB_MAX_POOL_SIZE)",
        "Together that is 31: connections beyond the offer will be refused",
        "or set smaller pools",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(is_well(&process));
}

#[test]
fn a_database_that_offers_enough_is_no_matter() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let said = said(&process);
    assert!(!said.contains("max_connections"), "{said}");
}
