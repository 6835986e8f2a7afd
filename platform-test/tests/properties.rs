//! What holds for `platform` whatever comes in.

use platform::clock::Clock;
use platform::jwt::Verifier;
use platform::pg::Ident;
use platform_test::properties::{made_of, properties};
use platform_test::tokens;
use proptest::prelude::*;

/// What tokens are made of, some of it whole.
const PIECES: &[&str] = &[
    ".",
    "=",
    "-_",
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJhbGciOiJub25lIn0",
    "eyJhbGciOiJFUzI1NiIsImtpZCI6InRlc3Qta2V5In0",
    "eyJzdWIiOiJhIn0",
    "e30",
    "bnVsbA",
];

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn no_token_panics_or_is_taken_for_a_signed_one(
        token in prop_oneof![made_of(PIECES), "\\PC{0,200}"],
    ) {
        let verifier = Verifier::new(tokens::keyring(), Clock::system());
        prop_assert!(verifier.verify(&token).is_err());
    }

    /// Between its quotes a name has quotes in pairs only, and is the name again without them.
    #[test]
    fn quoted_names_end_where_they_should(name in "[^\0]{1,15}") {
        let quoted = Ident::quote(&name).unwrap();
        let inner = quoted.as_str().strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        prop_assert!(!inner.replace("\"\"", "").contains('"'));
        prop_assert_eq!(inner.replace("\"\"", "\""), name);
    }
}
