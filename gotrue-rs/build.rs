//! The schema is embedded; a changed migration is a changed binary.

fn main() {
    // Cargo reads instructions from standard output.
    #[expect(clippy::print_stdout, reason = "the protocol of build scripts")]
    {
        println!("cargo:rerun-if-changed=../migrations/auth");
    }
}
