//! Rebuilds when a migration is added: `include_dir!` alone only notices changed files.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
