//! Shapes that are well-formed requests, too many of them.

use serde_json::json;

use super::Target;
use crate::Failure;
use crate::chaos::honest::headers;
use crate::chaos::installation::Installation;
use crate::http::{Connection, Request};

const CONNECTIONS: usize = 64;
const MAILING_CONNECTIONS: usize = 16;

/// Prompts in the lists everybody can ask for, and how long each is: 29 MB in all.
const LONG_PROMPTS: usize = 180;
const LONG: usize = 160 * 1024;

/// Puts long prompts where everybody can list them.
pub(crate) async fn fill_lists(installation: &Installation) -> Result<(), Failure> {
    let server = &installation.server;
    let service = server.text("SERVICE_ROLE_KEY")?.to_owned();
    let mut connection = Connection::open(server.port).await?;
    let admin = headers(&service, &service);
    let account = json!({
        "email": "writer@example.com", "password": "a long enough one", "email_confirm": true
    });
    let create = Request::with_headers("POST", "/auth/v1/admin/users", &admin, Some(&account));
    connection.json(&create).await?;
    let anonymous = headers(server.text("ANON_KEY")?, "");
    let path = "/auth/v1/token?grant_type=password";
    let sign_in = Request::with_headers("POST", path, &anonymous, Some(&account));
    let session = connection.json(&sign_in).await?;
    let token = session["access_token"].as_str().ok_or("no token")?;
    let signed_in = headers(server.text("ANON_KEY")?, token);
    let post = |path: &str, body| Request::with_headers("POST", path, &signed_in, Some(&body));
    let repository = json!({
        "name": "Long", "slug": "long", "visibility": "public", "readme": "#".repeat(LONG)
    });
    let made = connection.json(&post("/api/v1/repos", repository)).await?;
    let owner = made["owner"].as_str().or(made["owner"]["slug"].as_str());
    let repo = format!("{}/long", owner.ok_or("no owner")?);
    for number in 0..LONG_PROMPTS {
        let prompt = json!({
            "name": format!("Long {number}"), "key": format!("long-{number}"),
            // Six bytes each in JSON.
            "template": "\u{1}".repeat(LONG), "repo": repo
        });
        connection.json(&post("/api/v1/prompts", prompt)).await?;
    }
    Ok(())
}

/// The longest lists, without an account.
pub(super) async fn lists(target: &Target) {
    let paths = [
        "/api/v1/prompts?limit=500",
        "/api/v1/repos",
        "/api/v1/prompts?q=long",
    ];
    let one = async |index: usize| {
        let request = target.request("GET", paths[index % paths.len()], None);
        target.hammer(|| request.clone()).await
    };
    target.side_by_side(CONNECTIONS, one).await;
}

/// Sign-ins and sign-ups with passwords, which cost a core tens of milliseconds each.
pub(super) async fn passwords(target: &Target) {
    let one = async |index: usize| {
        let path = if index.is_multiple_of(2) {
            "/auth/v1/token?grant_type=password"
        } else {
            "/auth/v1/signup"
        };
        let next = || {
            let email = format!("{}@example.com", hex::encode(rand::random::<[u8; 6]>()));
            let body = json!({ "email": email, "password": "not the right one" });
            target.request("POST", path, Some(&body))
        };
        target.hammer(next).await
    };
    target.side_by_side(CONNECTIONS, one).await;
}

/// Mails to addresses that never asked for them.
pub(super) async fn mails(target: &Target) {
    let paths = [
        "/auth/v1/otp",
        "/auth/v1/magiclink",
        "/auth/v1/signup",
        "/auth/v1/recover",
    ];
    let one = async |index: usize| {
        let next = || {
            let email = format!("{}@example.com", hex::encode(rand::random::<[u8; 6]>()));
            let body = json!({ "email": email, "password": "a long enough one" });
            target.request("POST", paths[index % paths.len()], Some(&body))
        };
        target.hammer(next).await
    };
    target.side_by_side(MAILING_CONNECTIONS, one).await;
}

/// The same while the mail server accepts connections and says nothing.
pub(super) async fn silent_mail(target: &Target) {
    target.sink.fall_silent();
    mails(target).await;
}
