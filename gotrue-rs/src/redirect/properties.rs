//! What holds for every pattern, address and query.

use platform_test::properties::{made_of, properties};
use proptest::prelude::*;

use super::address::Address;
use super::glob::Glob;
use super::query::{Values, escape};

const GLOB: &[&str] = &[
    "*", "**", "?", "[", "]", "[!", "a-z", "{", "}", ",", "\\", ".", "/", "a", "https://",
];
const ADDRESS: &[&str] = &[
    "http",
    "com.example",
    ":",
    "//",
    "/",
    "..",
    ".",
    "?",
    "#",
    "@",
    "[::1]",
    "127.0.0.1",
    "%",
    "%2f",
    "%41",
    "a",
    "=",
    "&",
    ";",
    "+",
    " ",
];

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_pattern_is_refused_or_matches_only_in_its_own_time(
        pattern in made_of(GLOB),
        text in made_of(ADDRESS),
    ) {
        if let Ok(glob) = Glob::parse(&pattern) {
            let _ = glob.matches(&text);
        }
        let literal: String = text.chars().flat_map(|c| ['\\', c]).collect();
        let glob = Glob::parse(&literal).unwrap();
        prop_assert!(glob.matches(&text));
        let longer = format!("{text}x");
        prop_assert!(!glob.matches(&longer));
    }

    #[test]
    fn an_address_that_can_be_read_is_written_so_that_it_reads_the_same(text in made_of(ADDRESS)) {
        if let Some(address) = Address::parse(&text) {
            let written = address.to_string();
            let again = Address::parse(&written);
            prop_assert!(again.is_some(), "{written:?}");
            prop_assert_eq!(again.unwrap().to_string(), written);
        }
    }

    #[test]
    fn a_query_survives_the_round_trip(pairs: Vec<(String, String)>, raw in made_of(ADDRESS)) {
        let texts = pairs.iter().map(|(key, value)| format!("{}={}", escape(key), escape(value)));
        let query = Values::parse(&texts.collect::<Vec<_>>().join("&"));
        prop_assert_eq!(&Values::parse(&query.encode()), &query);
        let known = pairs.iter().all(|(key, value)| {
            let mut only = Values::default();
            only.set(key, value.clone());
            Values::parse(&only.encode()) == only
        });
        prop_assert!(known);
        let _ = Values::parse(&raw);
    }
}
