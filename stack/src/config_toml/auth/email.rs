//! `[auth.email]` with its SMTP server, templates and notifications.

use std::path::Path;

use super::Variables;

/// Mails an hour when they only go to the local mailbox; the CLI's constant.
const LOCAL_EMAILS_PER_HOUR: &str = "360000";

pub(super) fn read(supabase_dir: &Path, vars: &mut Variables<'_>) {
    let reader = vars.reader;
    // `enable_signup` was renamed to `enabled`; the new name wins.
    let enabled = reader.bool("auth.email.enable_signup", true);
    let enabled = reader.bool("auth.email.enabled", enabled);
    vars.set(
        "auth.email.enable_signup",
        "GOTRUE_EXTERNAL_EMAIL_ENABLED",
        enabled.to_string(),
    );
    server(vars);
    templates(supabase_dir, vars);
    notifications(supabase_dir, vars);
}

fn server(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let section = "auth.email.smtp";
    let limit: u32 = reader.number("auth.rate_limit.email_sent", 2);
    reader.accept(
        section,
        &["host", "port", "user", "pass", "admin_email", "sender_name"],
    );
    // A section without `enabled` means an enabled one, as for the CLI.
    if !reader.bool(&format!("{section}.enabled"), reader.has(section)) {
        vars.set_constant("GOTRUE_RATE_LIMIT_EMAIL_SENT", LOCAL_EMAILS_PER_HOUR);
        local_sender(vars);
        return;
    }
    let key = "auth.rate_limit.email_sent";
    vars.set(key, "GOTRUE_RATE_LIMIT_EMAIL_SENT", limit.to_string());
    for key in ["host", "port", "user", "pass", "admin_email"] {
        let path = format!("{section}.{key}");
        if let Some(value) = reader.required(section, &path) {
            vars.set(&path, format!("GOTRUE_SMTP_{}", key.to_uppercase()), value);
        }
    }
    let key = format!("{section}.sender_name");
    vars.set(&key, "GOTRUE_SMTP_SENDER_NAME", reader.text_or(&key, ""));
}

/// Without a server the mailbox receives; its section says who mail comes from.
fn local_sender(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    for (key, default) in [("admin_email", "admin@email.com"), ("sender_name", "Admin")] {
        let older = reader.text_or(&format!("inbucket.{key}"), default);
        let value = reader.text_or(&format!("local_smtp.{key}"), &older);
        let name = format!("GOTRUE_SMTP_{}", key.to_uppercase());
        vars.set(&format!("local_smtp.{key}"), name, value);
    }
}

fn templates(supabase_dir: &Path, vars: &mut Variables<'_>) {
    let reader = vars.reader;
    // Upstream: config.go resolves these against the folder above supabase/, but notifications
    // against supabase/ itself; both are tried here, so either way of writing works.
    let project_dir = supabase_dir.parent().unwrap_or(supabase_dir);
    for name in reader.names("auth.email.template") {
        let section = format!("auth.email.template.{name}");
        template(&section, &name, &[project_dir, supabase_dir], vars);
    }
}

fn notifications(supabase_dir: &Path, vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let project_dir = supabase_dir.parent().unwrap_or(supabase_dir);
    for name in reader.names("auth.email.notification") {
        let section = format!("auth.email.notification.{name}");
        reader.accept(&section, &["subject", "content_path"]);
        if reader.bool(&format!("{section}.enabled"), false) {
            let id = name.to_uppercase();
            let variable = format!("GOTRUE_MAILER_NOTIFICATIONS_{id}_ENABLED");
            vars.set(&section, variable, "true");
            let name = format!("{name}_notification");
            template(&section, &name, &[supabase_dir, project_dir], vars);
        }
    }
}

/// Subject and body file of one mail; the body is passed on as a `file:` URL.
fn template(section: &str, name: &str, folders: &[&Path], vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let id = name.to_uppercase();
    let key = format!("{section}.subject");
    if let Some(subject) = reader.text(&key) {
        vars.set(&key, format!("GOTRUE_MAILER_SUBJECTS_{id}"), subject);
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
        Some(url) => vars.set(&path, format!("GOTRUE_MAILER_TEMPLATES_{id}"), url),
        None => reader.problem(
            reader.line(&path),
            &format!("{path}: there is no file {file}"),
        ),
    }
}
