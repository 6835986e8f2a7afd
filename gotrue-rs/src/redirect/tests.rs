//! Every answer in `tests/go.json` was given by Go: `net/url`, gobwas/glob 0.2.3 and upstream's
//! own check of redirects.

use serde_json::Value;

use super::RedirectRules;
use super::address::Address;
use super::glob::Glob;
use super::query::Values;

fn rows(name: &str) -> Vec<Vec<Value>> {
    let all: Value = serde_json::from_str(include_str!("tests/go.json")).unwrap();
    serde_json::from_value(all[name].clone()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Patterns whose separators the original's optimiser forgets, so that it lets more through
/// than its documentation says; here they stop at separators.
const STRICTER: [&str; 1] = ["?*"];

#[test]
fn globs_match_as_the_original() {
    for row in rows("globs") {
        if STRICTER.contains(&text(&row[0])) {
            continue;
        }
        let ours = Glob::parse(text(&row[0]))
            .ok()
            .map(|glob| glob.matches(text(&row[1])));
        assert_eq!(ours, row[2].as_bool(), "{row:?}");
    }
}

#[test]
fn urls_are_taken_apart_and_rebuilt_as_in_go() {
    for row in rows("urls") {
        let address = Address::parse(text(&row[0]));
        let Some(mut address) = address else {
            assert!(row[1].is_null(), "{row:?}");
            continue;
        };
        assert_eq!(
            Some(address.to_string().as_str()),
            row[1].as_str(),
            "{row:?}"
        );
        assert_eq!(address.hostname(), text(&row[2]), "{row:?}");
        assert_eq!(address.port(), text(&row[3]), "{row:?}");
        let mut query = address.query();
        query.set("code", "a b");
        address.raw_query = query.encode();
        let mut fragment = Values::default();
        fragment.set("error_description", "it's 100% <x>, a+b/é");
        fragment.set("sb", "");
        address.set_fragment(&fragment.encode());
        assert_eq!(address.to_string(), text(&row[4]), "{row:?}");
    }
}

#[test]
fn references_are_resolved_as_in_go() {
    for row in rows("resolve") {
        let base = Address::parse(text(&row[0])).unwrap();
        let reference = Address::parse(text(&row[1]));
        let ours = reference.map(|reference| base.resolve(&reference).to_string());
        assert_eq!(ours.as_deref(), row[2].as_str(), "{row:?}");
    }
}

#[test]
fn queries_are_read_and_sorted_as_in_go() {
    for row in rows("queries") {
        assert_eq!(
            Values::parse(text(&row[0])).encode(),
            text(&row[1]),
            "{row:?}"
        );
    }
}

#[test]
fn redirects_are_allowed_as_upstream_allows_them() {
    for row in rows("allow") {
        let patterns: Vec<String> = serde_json::from_value(row[1].clone()).unwrap();
        let globs = patterns
            .iter()
            .map(|pattern| Glob::parse(pattern).unwrap())
            .collect();
        let rules = RedirectRules::new(text(&row[0]).to_owned(), globs);
        assert_eq!(
            Some(rules.allows(text(&row[2]))),
            row[3].as_bool(),
            "{row:?}"
        );
    }
}

fn rules(site: &str, patterns: &[&str]) -> RedirectRules {
    let globs = patterns
        .iter()
        .map(|pattern| Glob::parse(pattern).unwrap())
        .collect();
    RedirectRules::new(site.to_owned(), globs)
}

#[test]
fn only_the_web_may_go_to_this_machine_unless_the_list_says_so() {
    let none = rules("https://app.test", &[]);
    for url in [
        "http://127.0.0.1:9/x",
        "https://[::1]/x",
        "http://127.8.9.1",
    ] {
        assert!(none.allows(url), "{url}");
    }
    for url in [
        "file://127.0.0.1/etc/passwd",
        "ftp://127.0.0.1/",
        "exp://127.0.0.1:19000/--/",
        "javascript://127.0.0.1/%0aalert(1)",
        "evil-app://[::1]/x",
        "//127.0.0.1/x",
    ] {
        assert!(!none.allows(url), "{url}");
    }
    let expo = rules("https://app.test", &["exp://127.0.0.1:19000/--/**"]);
    assert!(expo.allows("exp://127.0.0.1:19000/--/a"));
    assert!(!expo.allows("exp://127.0.0.1:19001/--/a"));
}

#[test]
fn control_characters_go_nowhere() {
    let rules = rules("https://app.test", &["**"]);
    assert!(rules.allows("https://app.test/a?b=c#d"));
    for control in ['\0', '\t', '\r', '\n', '\u{1b}', '\u{7f}', '\u{85}'] {
        for url in [
            format!("https://app.test/{control}"),
            format!("https://app.test/?a={control}"),
            format!("https://app.test/#a{control}b"),
            format!("https://app.test/#{control}"),
            format!("{control}https://app.test/"),
        ] {
            assert!(!rules.allows(&url), "{url:?}");
        }
    }
}

#[test]
fn the_first_valid_target_wins() {
    let rules = RedirectRules::new("https://app.test".to_owned(), Vec::new());
    let resolve = |asked, referer| rules.resolve(asked, referer);
    assert_eq!(
        resolve(Some("https://app.test/a"), Some("https://app.test/b")),
        "https://app.test/a"
    );
    assert_eq!(
        resolve(Some("https://evil.test"), Some("https://app.test/b")),
        "https://app.test/b"
    );
    assert_eq!(resolve(Some("https://evil.test"), None), "https://app.test");
    assert_eq!(resolve(None, None), "https://app.test");
}

/// Texts of characters that mean something to the parsers, the same ones every time.
fn odd_texts() -> impl Iterator<Item = String> {
    const PARTS: [&str; 24] = [
        "a", "/", ":", ".", "@", "[", "]", "%", "%4", "%41", "?", "#", "&", "=", ";", "*", "{",
        "}", ",", "\\", "!", "-", "é", "http://",
    ];
    let mut seed = 7_u64;
    let mut next = move |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    (0..20_000).map(move |_| (0..next(12)).map(|_| PARTS[next(PARTS.len())]).collect())
}

#[test]
fn nothing_a_client_sends_is_too_odd() {
    let rules = RedirectRules::new(
        "https://app.test".to_owned(),
        vec![Glob::parse("**").unwrap()],
    );
    for text in odd_texts() {
        rules.allows(&text);
        if let Some(address) = Address::parse(&text) {
            address.resolve(&address).to_string();
        }
        if let Ok(glob) = Glob::parse(&text) {
            glob.matches("http://a.b/c");
        }
    }
}

#[test]
fn long_texts_take_no_longer_than_their_length() {
    let glob = Glob::parse("**a**b**{c*,**d}*e").unwrap();
    assert!(!glob.matches(&"abcd".repeat(25_000)));
}

#[test]
fn a_path_never_becomes_a_host() {
    for (written, read) in [
        ("%2f/evil.example\u{a1}", "/.//evil.example%C2%A1"),
        ("app:/%2fevil.example\u{a1}", "app:/.//evil.example%C2%A1"),
        ("%2f/evil.example", "%2f/evil.example"),
    ] {
        assert_eq!(Address::parse(written).unwrap().to_string(), read);
    }
}
