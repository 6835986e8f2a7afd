//! Embedded folders are not tracked by the compiler.

fn main() {
    for folder in ["roles", "auth", "public"] {
        println!("cargo:rerun-if-changed=../migrations/{folder}");
    }
}
