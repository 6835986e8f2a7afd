//! The links in mails. Mirrors upstream's `internal/mailer/templatemailer/templatemailer.go`.

use super::config::LinkPaths;
use crate::named::named;
use crate::redirect::address::Address;
use crate::redirect::query;

named! {
    /// What a link does, as its `type` parameter says.
    pub(crate) enum LinkType {
        Invite = "invite",
        Signup = "signup",
        Recovery = "recovery",
        MagicLink = "magiclink",
        EmailChange = "email_change",
    }
}

impl LinkType {
    fn path(self, paths: &LinkPaths) -> &str {
        match self {
            Self::Invite => &paths.invite,
            Self::Signup => &paths.confirmation,
            Self::Recovery | Self::MagicLink => &paths.recovery,
            Self::EmailChange => &paths.email_change,
        }
    }
}

/// The link that redeems `token` and then leads to `redirect_to`.
///
/// The path replaces that of the external URL: an API below a path (`/auth/v1`) needs the full
/// path in `GOTRUE_MAILER_URLPATHS_*`, as upstream does.
pub(crate) fn action_link(
    external: &Address,
    paths: &LinkPaths,
    link_type: LinkType,
    token: &str,
    redirect_to: &str,
) -> String {
    let mut reference = Address::parse(link_type.path(paths)).unwrap_or_default();
    reference.raw_query = format!(
        "token={}&type={}&redirect_to={}",
        query::escape(token),
        query::escape(link_type.as_str()),
        escape_redirect(redirect_to)
    );
    external.resolve(&reference).to_string()
}

/// A target without these characters is taken to be escaped already.
fn escape_redirect(redirect_to: &str) -> String {
    if redirect_to.contains(['&', '=', '#']) {
        query::escape(redirect_to)
    } else {
        redirect_to.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(external: &str, path: &str, redirect_to: &str) -> String {
        let paths = LinkPaths {
            invite: path.to_owned(),
            confirmation: path.to_owned(),
            recovery: path.to_owned(),
            email_change: path.to_owned(),
        };
        let external = Address::parse(external).unwrap();
        action_link(
            &external,
            &paths,
            LinkType::MagicLink,
            "pkce_ab",
            redirect_to,
        )
    }

    #[test]
    fn the_path_of_the_external_url_is_dropped() {
        assert_eq!(
            link(
                "http://127.0.0.1:54321/auth/v1",
                "/verify",
                "http://localhost:3000"
            ),
            "http://127.0.0.1:54321/verify?token=pkce_ab&type=magiclink&redirect_to=http://localhost:3000"
        );
        assert_eq!(
            link(
                "http://127.0.0.1:54321/auth/v1",
                "/auth/v1/verify",
                "http://localhost:3000"
            ),
            "http://127.0.0.1:54321/auth/v1/verify?token=pkce_ab&type=magiclink&redirect_to=http://localhost:3000"
        );
    }

    #[test]
    fn redirects_with_a_query_are_escaped() {
        assert!(
            link("https://a.test", "/verify", "https://b.test/?x=1")
                .ends_with("&redirect_to=https%3A%2F%2Fb.test%2F%3Fx%3D1")
        );
        assert!(
            link("https://a.test", "/verify", "https://b.test/?x")
                .ends_with("&redirect_to=https://b.test/?x")
        );
    }
}
