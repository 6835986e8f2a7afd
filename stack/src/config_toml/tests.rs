//! Lines of problems and remarks, overrides, `env()`, and the mapping to gotrue.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

fn read_with(text: &str, vars: &[(&str, &str)]) -> Result<Project, Vec<Problem>> {
    let vars: BTreeMap<&str, &str> = vars.iter().copied().collect();
    parse(text, Path::new("/project/supabase"), &|name| {
        vars.get(name).map(|v| (*v).to_owned())
    })
}

fn read(text: &str) -> Project {
    read_with(text, &[]).unwrap()
}

fn gotrue(project: &Project) -> BTreeMap<String, String> {
    let context = GotrueContext {
        api_url: "http://127.0.0.1:54321",
        jwt_secret: "secret",
        jwt_keys_json: "[]",
    };
    let vars = project.gotrue_vars(&context).into_iter();
    vars.map(|var| (var.name, var.value)).collect()
}

fn problems(text: &str) -> Vec<String> {
    read_with(text, &[])
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn an_absent_file_gives_the_defaults_of_the_cli() {
    let project = read("");
    assert_eq!(project.id, "project");
    assert_eq!(
        (project.api.port, project.db.port, project.mailbox.port),
        (54321, 54322, 54324)
    );
    assert_eq!(
        project.db.seed_paths,
        [Path::new("/project/supabase/./seed.sql")]
    );
    assert_eq!(project.warnings, []);
    let vars = gotrue(&project);
    let expected = [
        ("API_EXTERNAL_URL", "http://127.0.0.1:54321/auth/v1"),
        ("GOTRUE_DISABLE_SIGNUP", "false"),
        ("GOTRUE_JWT_EXP", "3600"),
        ("GOTRUE_JWT_ISSUER", "http://127.0.0.1:54321/auth/v1"),
        ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
        ("GOTRUE_MAILER_OTP_EXP", "3600"),
        (
            "GOTRUE_MAILER_URLPATHS_RECOVERY",
            "http://127.0.0.1:54321/auth/v1/verify",
        ),
        ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "360000"),
        ("GOTRUE_RATE_LIMIT_OTP", "30"),
        ("GOTRUE_SITE_URL", "http://127.0.0.1:3000"),
        ("GOTRUE_SMS_OTP_EXP", "6000"),
        ("GOTRUE_SMTP_ADMIN_EMAIL", "admin@email.com"),
        ("GOTRUE_SMTP_MAX_FREQUENCY", "1s"),
    ];
    for (name, value) in expected {
        assert_eq!(vars.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert!(!vars.contains_key("GOTRUE_SMTP_HOST"));
    assert!(
        !vars
            .keys()
            .any(|name| name.starts_with("GOTRUE_EXTERNAL_GOOGLE"))
    );
}

#[test]
fn every_wrong_type_is_reported_with_its_line() {
    let text = "[api]\nport = \"many\"\n\n[auth]\njwt_expiry = true\nsite_url = []\n\
                [auth.email]\nmax_frequency = \"5\"\n";
    assert_eq!(
        problems(text),
        [
            "line 2: api.port must be a whole number from 0 to 65535, not \"many\"",
            "line 5: auth.jwt_expiry must be a whole number from 0 to 4294967295, not \"true\"",
            "line 6: auth.site_url must be a single value, not a list",
            "line 8: auth.email.max_frequency must be a duration such as \"5s\" or \"1h30m\", not \"5\"",
        ]
    );
}

#[test]
fn a_syntax_error_names_its_line() {
    let problems = problems("[api]\nport = 1\nport = 2\n");
    assert!(problems[0].starts_with("line 3: "), "{problems:?}");
}

#[test]
fn unknown_keys_are_remarked_with_their_line_and_ignored() {
    let project = read("[auth]\nsite_ulr = \"x\"\n\n[nonsense]\na = 1\n");
    let warnings: Vec<String> = project.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "line 2: unknown key auth.site_ulr is ignored",
            "line 5: unknown key nonsense.a is ignored"
        ]
    );
}

#[test]
fn sections_of_services_not_built_are_accepted_with_one_note() {
    let project = read(
        "[storage]\nfile_size_limit = \"50MiB\"\n[storage.buckets.images]\npublic = true\n\
         [functions.hello]\nverify_jwt = false\n[analytics]\nenabled = false\n\
         [remotes.staging]\nproject_id = \"x\"\n",
    );
    let warnings: Vec<String> = project.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["not part of this build yet, so without effect: storage, functions"]
    );
}

#[test]
fn environment_variables_override_the_file() {
    let project = read_with(
        "[api]\nport = 1\n[auth]\nsite_url = \"https://file.example\"\n",
        &[
            ("SUPABASE_API_PORT", "6000"),
            ("SUPABASE_AUTH_SITE_URL", "https://env.example"),
            (
                "SUPABASE_AUTH_ADDITIONAL_REDIRECT_URLS",
                "https://a.example, https://b.example",
            ),
            ("SUPABASE_AUTH_EXTERNAL_GITHUB_ENABLED", "true"),
            ("SUPABASE_AUTH_EXTERNAL_GITHUB_CLIENT_ID", "id"),
            ("SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET", "s"),
        ],
    )
    .unwrap();
    let vars = gotrue(&project);
    assert_eq!(project.api.port, 6000);
    assert_eq!(vars["GOTRUE_SITE_URL"], "https://env.example");
    assert_eq!(
        vars["GOTRUE_URI_ALLOW_LIST"],
        "https://a.example,https://b.example"
    );
    assert_eq!(
        vars["GOTRUE_EXTERNAL_GITHUB_REDIRECT_URI"],
        "http://127.0.0.1:54321/auth/v1/callback"
    );
}

#[test]
fn a_wrong_override_is_reported_by_its_name() {
    let problems = read_with("", &[("SUPABASE_API_PORT", "99999")]).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "SUPABASE_API_PORT must be a whole number from 0 to 65535, not \"99999\""
    );
}

#[test]
fn env_values_are_resolved_and_missing_ones_count_as_absent() {
    let text = "[auth]\njwt_expiry = \"env(EXPIRY)\"\nsite_url = \"env(UNSET)\"\n\
                [auth.external.apple]\nenabled = false\nsecret = \"env(ALSO_UNSET)\"\n";
    let project = read_with(text, &[("EXPIRY", "60")]).unwrap();
    let vars = gotrue(&project);
    assert_eq!(vars["GOTRUE_JWT_EXP"], "60");
    assert_eq!(vars["GOTRUE_SITE_URL"], "http://127.0.0.1:3000");
    let warnings: Vec<String> = project.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["line 3: auth.site_url reads env(UNSET), which is not set"]
    );
}

#[test]
fn an_smtp_section_sends_mail_there_and_counts_it() {
    let text = "[auth.email.smtp]\nhost = \"smtp.example\"\nport = 587\nuser = \"u\"\n\
                pass = \"p\"\nadmin_email = \"a@b.example\"\n";
    let vars = gotrue(&read(text));
    assert_eq!(vars["GOTRUE_SMTP_HOST"], "smtp.example");
    assert_eq!(vars["GOTRUE_RATE_LIMIT_EMAIL_SENT"], "2");
    let missing = problems("[auth.email.smtp]\nhost = \"smtp.example\"\n");
    assert_eq!(missing[0], "line 1: auth.email.smtp.port is required");
}

#[test]
fn both_names_of_the_mailbox_section_are_read() {
    let old = read("[inbucket]\nport = 1000\nadmin_email = \"old@x.example\"\n");
    assert_eq!(old.mailbox.port, 1000);
    assert_eq!(gotrue(&old)["GOTRUE_SMTP_ADMIN_EMAIL"], "old@x.example");
    let new = read("[local_smtp]\nport = 2000\nsender_name = \"W\"\n");
    assert_eq!(new.mailbox.port, 2000);
    assert_eq!(gotrue(&new)["GOTRUE_SMTP_SENDER_NAME"], "W");
}

#[test]
fn an_enabled_provider_without_credentials_is_refused() {
    assert_eq!(
        problems("[auth.external.github]\nenabled = true\n"),
        [
            "line 1: auth.external.github.client_id is required",
            "line 1: auth.external.github.secret is required"
        ]
    );
}

#[test]
fn hooks_are_checked_as_the_cli_checks_them() {
    let hook = |rest: &str| format!("[auth.hook.send_email]\nenabled = true\n{rest}");
    let vars = gotrue(&read(&hook(
        "uri = \"pg-functions://postgres/public/send\"\n",
    )));
    assert_eq!(
        vars["GOTRUE_HOOK_SEND_EMAIL_URI"],
        "pg-functions://postgres/public/send"
    );
    assert_eq!(problems(&hook("uri = \"https://x.example\"\n")).len(), 1);
    assert_eq!(problems(&hook("uri = \"ftp://x.example\"\n")).len(), 1);
}

#[test]
fn templates_become_file_urls_and_missing_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let supabase = folder.path().join("supabase");
    std::fs::create_dir_all(supabase.join("templates")).unwrap();
    std::fs::write(supabase.join("templates/invite.html"), "<p>").unwrap();
    let text = "[auth.email.template.invite]\nsubject = \"Hi\"\n\
                content_path = \"./supabase/templates/invite.html\"\n";
    let project = parse(text, &supabase, &|_| None).unwrap();
    let vars = gotrue(&project);
    assert_eq!(vars["GOTRUE_MAILER_SUBJECTS_INVITE"], "Hi");
    let url = url::Url::parse(&vars["GOTRUE_MAILER_TEMPLATES_INVITE"]).unwrap();
    assert!(url.to_file_path().unwrap().is_file());
    let missing = text.replace("invite.html", "gone.html");
    let problems = parse(&missing, &supabase, &|_| None).unwrap_err();
    assert_eq!(problems[0].line, Some(3));
}

#[test]
fn dotenv_files_are_read_and_the_process_wins() {
    let folder = tempfile::tempdir().unwrap();
    let supabase = folder.path().join("supabase");
    std::fs::create_dir_all(&supabase).unwrap();
    std::fs::write(
        supabase.join("config.toml"),
        "[auth]\nsite_url = \"env(SITE)\"\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join(".env"),
        "SITE=https://outer.example\nOTHER=1\n",
    )
    .unwrap();
    std::fs::write(supabase.join(".env.local"), "SITE=https://inner.example\n").unwrap();
    let project = load(&supabase, &Vars::default()).unwrap();
    assert_eq!(gotrue(&project)["GOTRUE_SITE_URL"], "https://inner.example");
    assert_eq!(project.dotenv["OTHER"], "1");
    let process = Vars::from([("SITE", "https://process.example")]);
    assert_eq!(
        gotrue(&load(&supabase, &process).unwrap())["GOTRUE_SITE_URL"],
        "https://process.example"
    );
    std::fs::write(supabase.join(".env"), "SITE=x\nnot an assignment\n").unwrap();
    let error = load(&supabase, &Vars::default()).unwrap_err().to_string();
    assert!(
        error.ends_with(".env:2: must have the form NAME=value, with quotes that end"),
        "{error}"
    );
}
