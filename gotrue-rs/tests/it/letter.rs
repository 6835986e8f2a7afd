//! Reading mails as their recipients do.

use platform::mail::Mail;
use reqwest::Method;

use crate::app::{Reply, TestApp};

/// Settings under which addresses have to be confirmed by mail.
pub(crate) const CONFIRMING: [(&str, &str); 2] = [
    ("GOTRUE_MAILER_AUTOCONFIRM", "false"),
    ("GOTRUE_SMS_AUTOCONFIRM", "false"),
];

/// Settings on top of [`CONFIRMING`].
pub(crate) fn confirming_with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&CONFIRMING[..], more].concat()
}

/// The six digits in a mail.
#[track_caller]
pub(crate) fn code(mail: &Mail) -> String {
    let (_, after) = mail.html.split_once("<strong>").expect("a code");
    after[..6].to_owned()
}

/// The link in a mail.
#[track_caller]
pub(crate) fn link(mail: &Mail) -> String {
    let (_, after) = mail.html.split_once("<a href=\"").expect("a link");
    let (link, _) = after.split_once('"').expect("the end of the link");
    link.replace("&amp;", "&")
}

/// The token in the link of a mail.
#[track_caller]
pub(crate) fn token(mail: &Mail) -> String {
    let link = link(mail);
    let (_, after) = link.split_once("token=").expect("a token");
    after.split('&').next().unwrap().to_owned()
}

impl TestApp {
    /// The newest mail.
    #[track_caller]
    pub(crate) fn last_mail(&self) -> Mail {
        self.mails().last().cloned().expect("a mail")
    }

    /// Opens a link at the service, whatever host it names.
    pub(crate) async fn open(&self, link: &str) -> Reply {
        let (_, query) = link.split_once("/verify?").expect("a link to verify");
        self.get(&format!("/verify?{query}")).await
    }

    /// A request as the project's own backend.
    pub(crate) fn as_admin(&self, method: Method, path: &str) -> crate::app::Request {
        self.request(method, path)
            .bearer(&platform_test::tokens::service_role())
    }
}

/// The parameters of a URL's fragment.
#[track_caller]
pub(crate) fn fragment(url: &str) -> Vec<(String, String)> {
    let (_, fragment) = url.split_once('#').expect("a fragment");
    url::form_urlencoded::parse(fragment.as_bytes())
        .into_owned()
        .collect()
}

/// One parameter of a URL's fragment.
#[track_caller]
pub(crate) fn in_fragment(url: &str, name: &str) -> String {
    let found = fragment(url).into_iter().find(|(key, _)| key == name);
    found.unwrap_or_else(|| panic!("no {name} in {url}")).1
}
