//! Steps that many tests take on their way to what they are about.

use platform::mail::Mail;
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{PASSWORD, Reply, Session, TestApp};
use crate::letter::code;

/// What a client keeps to itself, and what it shows of it (RFC 7636, appendix B).
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// What a dead code is answered with.
pub(crate) const DEAD_CODE: &str = "Token has expired or is invalid";

/// Who signed in long ago has to prove again who they are to get another password.
pub(crate) const REAUTHENTICATING: (&str, &str) = (
    "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
    "true",
);

impl TestApp {
    /// A POST request of the project's own backend, which must succeed.
    pub(crate) async fn post_as_admin(&self, path: &str, body: &Value) -> Value {
        let request = self.as_admin(Method::POST, path).json(body);
        request.send().await.ok()
    }

    /// Changes the account of a signed-in user.
    pub(crate) async fn put_user(&self, token: &str, body: &Value) -> Reply {
        let request = self.as_user(token, Method::PUT, "/user").json(body);
        request.send().await
    }

    /// Signs up where addresses are confirmed by mail.
    pub(crate) async fn sign_up_to_confirm(&self, email: &str) -> Mail {
        let body = json!({ "email": email, "password": PASSWORD });
        self.post("/signup", body).await.ok();
        self.last_mail()
    }

    /// Asks for a mail to sign in with, and gives the code in it.
    pub(crate) async fn mailed_code(&self, email: &str) -> String {
        self.post("/otp", json!({ "email": email })).await.ok();
        code(&self.last_mail())
    }

    /// Tries a code that was mailed to `email`.
    pub(crate) async fn try_code(&self, kind: &str, email: &str, code: &str) -> Reply {
        let body = json!({ "type": kind, "email": email, "token": code });
        self.post("/verify", body).await
    }

    /// Signs in with a token that came in a link.
    pub(crate) async fn redeem(&self, kind: &str, token_hash: &str) -> Session {
        let body = json!({ "type": kind, "token_hash": token_hash });
        Session::of(&self.post("/verify", body).await)
    }

    /// Makes everybody who is signed in have signed in two days ago.
    pub(crate) async fn age_sessions(&self) {
        let sql = "update auth.sessions set created_at = created_at - interval '2 days'";
        self.query(sql, &[]).await;
    }

    /// Asks for the code that a new password takes once the sign-in is old.
    pub(crate) async fn reauthenticate(&self, token: &str) -> Reply {
        let request = self.as_user(token, Method::GET, "/reauthenticate");
        request.send().await
    }

    /// The newest mail to an address.
    #[track_caller]
    pub(crate) fn mail_to(&self, address: &str) -> Mail {
        let mails = self.mails();
        let found = mails.iter().rfind(|mail| mail.to == address);
        found.expect("a mail").clone()
    }
}
