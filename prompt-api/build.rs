//! The schema is embedded; a changed migration is a changed binary.

fn main() {
    println!("cargo:rerun-if-changed=../migrations/wildfire");
}
