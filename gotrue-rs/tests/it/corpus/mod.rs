//! Requests that upstream answered once, asked of this service: `tests/corpus/`.
//!
//! A file is a family of routes: its settings, then scenarios, each a list of requests that may use
//! what earlier answers of the same scenario said. Every request has upstream's recorded answer:
//! status, headers and body, in which ids, times and tokens are replaced (`normal.rs`). Where ours
//! differs on purpose, the step says at which JSON pointers, what is there instead, and the row of
//! `docs/compatibility/auth.md` that says why; what differs no longer fails too.
//!
//! To add requests, write lines without `answer` and record them: `cargo x record-auth`.

mod file;
mod normal;
mod play;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use file::{File, Line, Ours};
use play::Player;

use crate::app::TestApp;

/// Where upstream answers, for each of the settings, if its answers are to be recorded:
/// `confirmed=http://127.0.0.1:9999,…`.
const RECORD: &str = "WILDFIRE_RECORD_AUTH";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Variables of the settings of this name.
fn settings(name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("settings.json")).unwrap();
    let mut all: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text).unwrap();
    let mut vars = all.remove("common").unwrap();
    vars.extend(all.remove(name).unwrap());
    // Only the secret signs.
    vars.insert("GOTRUE_JWT_KEYS".to_owned(), String::new());
    vars.insert("GOTRUE_JWT_VALID_METHODS".to_owned(), String::new());
    vars
}

/// Where upstream is, if this run records.
fn upstream(settings: &str) -> Option<String> {
    let text = std::env::var_os(RECORD)?.into_string().ok()?;
    let mut pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| *name == settings)
        .map(|(_, url)| url.to_owned())
}

async fn replay(name: &str) {
    let path = folder().join(format!("{name}.jsonl"));
    let mut file = File::read(&path);
    if let Some(url) = upstream(&file.settings) {
        record(&mut file, &url).await;
        return fs::write(&path, file.to_string()).unwrap();
    }
    let vars = settings(&file.settings);
    let vars: Vec<_> = vars
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let app = TestApp::spawn_with(&vars).await;
    let mut player = Player::new(app.base());
    let mut wrong = Vec::new();
    for (number, line) in file.numbered() {
        match line {
            Line::Scenario(it) => player.begin(&it.scenario, app.clock.now()).await,
            Line::Step(step) => {
                app.wait(1);
                let ours = player.ask(step, app.clock.now()).await;
                wrong.extend(
                    step.judge(&ours)
                        .map(|why| format!("{name}.jsonl:{number}: {why}")),
                );
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} answers differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Asks upstream, whose clock is its own.
async fn record(file: &mut File, url: &str) {
    let mut player = Player::new(url);
    for line in &mut file.lines {
        let now = platform::clock::Clock::system().now();
        match line {
            Line::Scenario(it) => player.begin(&it.scenario, now).await,
            Line::Step(step) => step.answer = Some(player.ask(step, now).await),
        }
    }
}

macro_rules! families {
    ($($name:ident),+ $(,)?) => {
        const FAMILIES: &[&str] = &[$(stringify!($name)),+];
        $(
            #[actix_web::test]
            async fn $name() {
                replay(stringify!($name)).await;
            }
        )+
    };
}

families!(
    admin_users,
    closed,
    factors,
    links,
    mails,
    mails_waiting,
    public,
    signup,
    signup_waiting,
    token,
    user,
    verify,
);

#[test]
fn every_file_of_the_corpus_is_replayed() {
    let files = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, FAMILIES);
}

#[test]
fn every_difference_from_upstream_is_a_row_of_the_document() {
    let document = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/compatibility/auth.md");
    let document = fs::read_to_string(document).unwrap();
    let rows: Vec<_> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(first, _)| first)
        .collect();
    for name in FAMILIES {
        let file = File::read(&folder().join(format!("{name}.jsonl")));
        for (number, line) in file.numbered() {
            let Line::Step(step) = line else { continue };
            for Ours { row, .. } in &step.ours {
                assert!(
                    rows.contains(&row.as_str()),
                    "{name}.jsonl:{number}: no row {row:?}"
                );
            }
        }
    }
}
