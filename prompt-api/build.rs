//! The schema is embedded; a changed migration is a changed binary.

fn main() {
    for part in ["wildfire_schemas", "wildfire", "wildfire_policies"] {
        println!("cargo:rerun-if-changed=../migrations/{part}");
    }
}
