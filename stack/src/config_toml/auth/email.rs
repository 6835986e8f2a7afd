//! `[auth.email]` with its SMTP server, templates and notifications.

use std::path::Path;

use super::{Reader, Var};

/// Mails an hour when they only go to the local mailbox; the CLI's constant.
const LOCAL_EMAILS_PER_HOUR: &str = "360000";

pub(super) fn read(reader: &Reader<'_>, supabase_dir: &Path, vars: &mut Vec<Var>) {
    // `enable_signup` was renamed to `enabled`; the new name wins.
    let enabled = reader.bool("auth.email.enable_signup", true);
    let enabled = reader.bool("auth.email.enabled", enabled);
    vars.push((
        "GOTRUE_EXTERNAL_EMAIL_ENABLED".to_owned(),
        enabled.to_string(),
    ));
    server(reader, vars);
    templates(reader, supabase_dir, vars);
    notifications(reader, supabase_dir, vars);
}

fn server(reader: &Reader<'_>, vars: &mut Vec<Var>) {
    let section = "auth.email.smtp";
    let limit: u32 = reader.number("auth.rate_limit.email_sent", 2);
    reader.accept(
        section,
        &["host", "port", "user", "pass", "admin_email", "sender_name"],
    );
    // A section without `enabled` means an enabled one, as for the CLI.
    if !reader.bool(&format!("{section}.enabled"), reader.has(section)) {
        vars.push((
            "GOTRUE_RATE_LIMIT_EMAIL_SENT".to_owned(),
            LOCAL_EMAILS_PER_HOUR.to_owned(),
        ));
        local_sender(reader, vars);
        return;
    }
    vars.push(("GOTRUE_RATE_LIMIT_EMAIL_SENT".to_owned(), limit.to_string()));
    for key in ["host", "port", "user", "pass", "admin_email"] {
        let path = format!("{section}.{key}");
        match reader.text(&path) {
            Some(value) => vars.push((format!("GOTRUE_SMTP_{}", key.to_uppercase()), value)),
            None => reader.problem(reader.line(section), &format!("{path} is required")),
        }
    }
    let sender = reader.text_or(&format!("{section}.sender_name"), "");
    vars.push(("GOTRUE_SMTP_SENDER_NAME".to_owned(), sender));
}

/// Without a server the mailbox receives; its section says who mail comes from.
fn local_sender(reader: &Reader<'_>, vars: &mut Vec<Var>) {
    for (key, default) in [("admin_email", "admin@email.com"), ("sender_name", "Admin")] {
        let older = reader.text_or(&format!("inbucket.{key}"), default);
        let value = reader.text_or(&format!("local_smtp.{key}"), &older);
        vars.push((format!("GOTRUE_SMTP_{}", key.to_uppercase()), value));
    }
}

fn templates(reader: &Reader<'_>, supabase_dir: &Path, vars: &mut Vec<Var>) {
    // Upstream: config.go resolves these against the folder above supabase/, but notifications
    // against supabase/ itself; both are tried here, so either way of writing works.
    let project_dir = supabase_dir.parent().unwrap_or(supabase_dir);
    for name in reader.names("auth.email.template") {
        let section = format!("auth.email.template.{name}");
        template(reader, &section, &name, &[project_dir, supabase_dir], vars);
    }
}

fn notifications(reader: &Reader<'_>, supabase_dir: &Path, vars: &mut Vec<Var>) {
    let project_dir = supabase_dir.parent().unwrap_or(supabase_dir);
    for name in reader.names("auth.email.notification") {
        let section = format!("auth.email.notification.{name}");
        reader.accept(&section, &["subject", "content_path"]);
        if reader.bool(&format!("{section}.enabled"), false) {
            let id = name.to_uppercase();
            vars.push((
                format!("GOTRUE_MAILER_NOTIFICATIONS_{id}_ENABLED"),
                "true".to_owned(),
            ));
            let name = format!("{name}_notification");
            template(reader, &section, &name, &[supabase_dir, project_dir], vars);
        }
    }
}

/// Subject and body file of one mail; the body is passed on as a `file:` URL.
fn template(
    reader: &Reader<'_>,
    section: &str,
    name: &str,
    folders: &[&Path],
    vars: &mut Vec<Var>,
) {
    let id = name.to_uppercase();
    if let Some(subject) = reader.text(&format!("{section}.subject")) {
        vars.push((format!("GOTRUE_MAILER_SUBJECTS_{id}"), subject));
    }
    if reader.has(&format!("{section}.content")) {
        let path = format!("{section}.content");
        reader.accept_all(&path);
        reader.problem(
            reader.line(&path),
            &format!("{path}: please use content_path instead"),
        );
    }
    let path = format!("{section}.content_path");
    let Some(file) = reader.text(&path) else {
        return;
    };
    let found = folders
        .iter()
        .map(|folder| folder.join(&file))
        .find(|file| file.is_file());
    let url = found
        .and_then(|file| std::path::absolute(file).ok())
        .and_then(|file| url::Url::from_file_path(file).ok());
    match url {
        Some(url) => vars.push((format!("GOTRUE_MAILER_TEMPLATES_{id}"), url.into())),
        None => reader.problem(
            reader.line(&path),
            &format!("{path}: there is no file {file}"),
        ),
    }
}
