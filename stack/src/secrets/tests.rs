//! Demo, overridden, generated, refused.

use std::os::unix::fs::PermissionsExt as _;

use super::stored::KEPT;
use super::*;

fn load(mode: Mode, project: &AuthKeys, vars: &Vars) -> Result<Secrets, SecretsError> {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::system();
    Sources {
        mode,
        data_dir: folder.path(),
        project,
        vars,
        clock: &clock,
    }
    .load()
}

#[test]
fn development_has_the_clis_keys() {
    let secrets = load(Mode::Development, &AuthKeys::default(), &Vars::default()).unwrap();
    assert_eq!(secrets.jwt_secret.expose(), DEMO_JWT_SECRET);
    assert_eq!(
        secrets.api.publishable,
        "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH"
    );
    Keyring::from_config(Some(&secrets.jwt_secret), Some(secrets.jwt_keys.expose())).unwrap();
}

#[test]
fn a_projects_own_secret_signs_the_legacy_keys() {
    let project = AuthKeys {
        jwt_secret: Some("a-project-with-a-secret-of-its-own".to_owned()),
        ..AuthKeys::default()
    };
    let one = load(Mode::Development, &project, &Vars::default()).unwrap();
    let two = load(Mode::Development, &project, &Vars::default()).unwrap();
    let demo = demo::secrets().unwrap();
    assert_ne!(one.api.anon, demo.api.anon);
    assert_eq!(
        one.api.anon, two.api.anon,
        "keys must not change from start to start"
    );
}

#[test]
fn production_generates_once_and_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::system();
    let (project, vars) = (AuthKeys::default(), Vars::default());
    let sources = Sources {
        mode: Mode::Production,
        data_dir: folder.path(),
        project: &project,
        vars: &vars,
        clock: &clock,
    };
    let first = sources.load().unwrap();
    assert!(!folder.path().join(FILE).exists(), "loading writes nothing");
    first.keep(folder.path()).unwrap();
    sources.load().unwrap().keep(folder.path()).unwrap();
    let second = sources.load().unwrap();
    assert_eq!(first.api.anon, second.api.anon);
    assert_eq!(
        first.database_password.expose(),
        second.database_password.expose()
    );
    let mode = std::fs::metadata(folder.path().join(FILE))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn production_refuses_what_everybody_knows() {
    let vars = Vars::from([
        ("JWT_SECRET", DEMO_JWT_SECRET),
        ("POSTGRES_PASSWORD", "postgres"),
    ]);
    let error = load(Mode::Production, &AuthKeys::default(), &vars).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("JWT_SECRET") && text.contains("POSTGRES_PASSWORD"),
        "{text}"
    );
}

#[test]
fn production_refuses_secrets_that_can_be_guessed() {
    let load = |mode, name: &str, length| {
        let vars = Vars::from([(name, "s".repeat(length).as_str())]);
        load(mode, &AuthKeys::default(), &vars).map_err(|error| error.to_string())
    };
    for name in ["JWT_SECRET", "SUPABASE_SECRET_KEY"] {
        let text = load(Mode::Production, name, 31).unwrap_err();
        assert!(
            text.contains(name) && text.contains("32") && text.contains("wildfire keys generate"),
            "{text}"
        );
        load(Mode::Production, name, 32).unwrap();
        load(Mode::Development, name, 16).unwrap();
    }
}

#[test]
fn legacy_keys_of_the_set_are_taken_and_others_are_refused() {
    let clock = Clock::system();
    let (own, other) = (
        Stored::generate(&clock).unwrap(),
        Stored::generate(&clock).unwrap(),
    );
    let taken = own.lines().into_iter().collect::<Vars>();
    load(Mode::Production, &AuthKeys::default(), &taken).unwrap();
    let (anon, service_role) = ("ANON_KEY", "SERVICE_ROLE_KEY");
    let key_of = |set: &Stored, name| {
        let lines = set.lines();
        lines.iter().find(|it| it.0 == name).unwrap().1.to_owned()
    };
    for (name, key, said) in [
        (anon, key_of(&other, anon), "not signed with JWT_SECRET"),
        (anon, key_of(&own, service_role), "another role than anon"),
        (
            service_role,
            key_of(&own, anon),
            "another role than service_role",
        ),
    ] {
        let mut vars = taken.clone();
        vars.set(name, key);
        let refused = load(Mode::Production, &AuthKeys::default(), &vars);
        let text = refused.unwrap_err().to_string();
        assert!(text.contains(name) && text.contains(said), "{text}");
    }
}

#[test]
fn a_rotated_key_signs_and_the_one_before_it_still_verifies() {
    let clock = Clock::system();
    let mut stored = Stored::generate(&clock).unwrap();
    let keyring = |stored: &Stored| {
        let secrets = stored.clone().into_secrets();
        keyring(&secrets).unwrap()
    };
    let claims = serde_json::json!({"role": "authenticated", "exp": 4_000_000_000_u64});
    let old = keyring(&stored).sign(&claims).unwrap();
    for round in 1..=KEPT {
        assert_eq!(stored.rotate(false).unwrap(), round);
        let verifier = Verifier::new(Arc::new(keyring(&stored)), clock.clone());
        verifier.verify(&old).unwrap();
        verifier
            .verify(&keyring(&stored).sign(&claims).unwrap())
            .unwrap();
    }
    assert_eq!(stored.rotate(false).unwrap(), KEPT);
    let verifier = Verifier::new(Arc::new(keyring(&stored)), clock.clone());
    assert!(verifier.verify(&old).is_err(), "kept for ever");
    let last = keyring(&stored).sign(&claims).unwrap();
    assert_eq!(stored.rotate(true).unwrap(), 0);
    let verifier = Verifier::new(Arc::new(keyring(&stored)), clock);
    assert!(verifier.verify(&last).is_err());
    assert!(!format!("{:?}", stored.lines()).contains("\"d\":null"));
}

#[test]
fn keys_that_are_rotated_at_once_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let stored = Stored::generate(&Clock::system()).unwrap();
    stored.keep(folder.path()).unwrap();
    let kept: Vec<_> = std::thread::scope(|scope| {
        let rotate = || Stored::rotate_kept(folder.path(), false).unwrap().unwrap();
        let threads: Vec<_> = (0..KEPT).map(|_| scope.spawn(rotate)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let mut sorted = kept.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3], "{kept:?}");
}
