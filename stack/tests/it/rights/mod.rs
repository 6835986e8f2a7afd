//! Who may do what, as files that a reviewer reads: what each role may do to each thing in the
//! database (`snapshots/database.snap`), what is different in one that somebody brings
//! (`snapshots/database_compose.snap`, `snapshots/database_managed.snap`), what each caller gets of
//! each route (`snapshots/routes.snap`), and what is different at a developer's gateway and without the
//! prompt platform (`snapshots/routes_local.snap`, `snapshots/routes_without_prompts.snap`).
//!
//! All are read from what runs, never from a list beside it. Whatever is new is missing in the file
//! and fails; a change that is meant is written by `INSTA_UPDATE=always cargo test -p stack rights`,
//! and the difference is what there is to review. What is not as it should be stands in a list of
//! gaps beside its test, which may only become shorter.

mod database;
mod grid;
pub(crate) mod opened;
mod routes;
mod sections;

use insta::Settings;

/// Compares a text with the reviewed file of this name.
fn reviewed(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../snapshots");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Fails for a gap that is new, and for one that is none any more but is still listed.
fn no_gaps_but(known: &[&str], found: &[String]) {
    let new: Vec<_> = found
        .iter()
        .filter(|gap| !known.contains(&gap.as_str()))
        .collect();
    assert!(new.is_empty(), "not as it should be: {new:#?}");
    let closed: Vec<_> = known
        .iter()
        .filter(|gap| !found.iter().any(|it| it == *gap))
        .collect();
    assert!(
        closed.is_empty(),
        "no gaps any more, take them from the list: {closed:#?}"
    );
}
