//! Embedded folders are not tracked by the compiler.

fn main() {
    println!("cargo:rerun-if-changed=../migrations/roles");
}
