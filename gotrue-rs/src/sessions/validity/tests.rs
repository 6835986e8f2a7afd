//! When a session counts as over.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{Validity, check, last_refreshed, tag};
use crate::config::SessionsConfig;
use crate::db::factors::Factor;
use crate::db::sessions::Session;
use crate::db::users::User;

fn start() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

fn after(seconds: i64) -> Timestamp {
    start() + SignedDuration::from_secs(seconds)
}

fn session() -> Session {
    Session {
        id: Uuid::nil(),
        created_at: start(),
        aal: Some("aal1".to_owned()),
        not_after: None,
        refreshed_at: None,
        tag: None,
        oauth_client_id: None,
        scopes: None,
        refresh_token_hmac_key: None,
        refresh_token_counter: None,
        amr: Vec::new(),
    }
}

fn limits() -> SessionsConfig {
    SessionsConfig {
        timebox: None,
        inactivity_timeout: None,
        allow_low_aal: None,
        single_per_user: false,
        tags: Vec::new(),
    }
}

fn user_with_mfa() -> User {
    let factor = Factor {
        id: Uuid::nil(),
        created_at: start(),
        updated_at: start(),
        status: "verified".to_owned(),
        friendly_name: String::new(),
        factor_type: "totp".to_owned(),
        phone: String::new(),
        last_challenged_at: None,
        web_authn_aaguid: None,
        last_webauthn_challenge_data: None,
    };
    User {
        factors: vec![factor],
        ..User::default()
    }
}

#[test]
fn a_session_without_limits_lasts() {
    let verdict = check(
        &limits(),
        &session(),
        &User::default(),
        None,
        after(1_000_000),
    );
    assert_eq!(verdict, Validity::Valid);
}

#[test]
fn an_end_and_a_timebox_expire_a_session() {
    let ended = Session {
        not_after: Some(after(5)),
        ..session()
    };
    assert_eq!(
        check(&limits(), &ended, &User::default(), None, after(5)),
        Validity::Valid
    );
    assert_eq!(
        check(&limits(), &ended, &User::default(), None, after(6)),
        Validity::Expired
    );
    let boxed = SessionsConfig {
        timebox: Some(Duration::from_secs(10)),
        ..limits()
    };
    assert_eq!(
        check(&boxed, &session(), &User::default(), None, after(10)),
        Validity::Valid
    );
    assert_eq!(
        check(&boxed, &session(), &User::default(), None, after(11)),
        Validity::Expired
    );
}

#[test]
fn inactivity_counts_from_the_last_refresh() {
    let config = SessionsConfig {
        inactivity_timeout: Some(Duration::from_secs(10)),
        ..limits()
    };
    let used = Session {
        refreshed_at: Some(after(20)),
        ..session()
    };
    assert_eq!(
        check(&config, &used, &User::default(), None, after(30)),
        Validity::Valid
    );
    assert_eq!(
        check(&config, &used, &User::default(), None, after(31)),
        Validity::Inactive
    );
    let by_token = check(
        &config,
        &session(),
        &User::default(),
        Some(after(20)),
        after(30),
    );
    assert_eq!(by_token, Validity::Valid);
}

#[test]
fn low_assurance_matters_only_to_users_with_a_second_factor() {
    let config = SessionsConfig {
        allow_low_aal: Some(Duration::from_secs(10)),
        ..limits()
    };
    let verdict = |user: &User, aal: &str| {
        let session = Session {
            aal: Some(aal.to_owned()),
            ..session()
        };
        check(&config, &session, user, None, after(11))
    };
    assert_eq!(verdict(&User::default(), "aal1"), Validity::Valid);
    assert_eq!(verdict(&user_with_mfa(), "aal1"), Validity::LowAal);
    assert_eq!(verdict(&user_with_mfa(), "aal2"), Validity::Valid);
}

#[test]
fn an_older_token_time_does_not_count() {
    assert_eq!(last_refreshed(&session(), Some(after(-5))), start());
}

#[test]
fn unknown_tags_fall_back_to_the_first() {
    let config = SessionsConfig {
        tags: vec!["web".to_owned(), "app".to_owned()],
        ..limits()
    };
    let tagged = |name: &str| Session {
        tag: Some(name.to_owned()),
        ..session()
    };
    assert_eq!(tag(&config, &session()), "web");
    assert_eq!(tag(&config, &tagged("app")), "app");
    assert_eq!(tag(&config, &tagged("tv")), "web");
    assert_eq!(tag(&limits(), &tagged("tv")), "");
}
