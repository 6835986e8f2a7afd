//! What a template can say.

use super::links::{LinkType, action_link};
use super::template::Value;
use crate::call::Call;
use crate::db::users::User;
use crate::otp::Code;
use crate::redirect::address::Address;
use crate::state::State;

/// The variables of a template.
pub(super) struct Variables(Vec<(&'static str, Value)>);

/// What every mail knows.
pub(super) fn common(state: &State, user: &User) -> Variables {
    Variables(vec![
        ("SiteURL", Value::from(state.config.redirects.site_url())),
        ("Email", Value::from(user.email.as_str())),
        ("Data", Value::from(&*user.user_metadata)),
    ])
}

impl Variables {
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, Value::from(value)));
        self
    }

    pub(super) fn with_link(
        self,
        state: &State,
        call: &Call,
        link_type: LinkType,
        code: &Code,
    ) -> Self {
        let redirect_to = state
            .config
            .redirects
            .resolve(call.redirect_to(), call.referer());
        let external = external_address(state, call);
        let paths = &state.config.mail.paths;
        let link = action_link(&external, paths, link_type, &code.stored, &redirect_to);
        self.with("ConfirmationURL", &link)
            .with("Token", &code.digits)
            .with("TokenHash", &code.stored)
            .with("RedirectTo", &redirect_to)
    }

    pub(super) fn value(self) -> Value {
        Value::Map(
            self.0
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }
}

/// Where links lead: the host a trusted proxy named, or the configured one.
pub(crate) fn external_address(state: &State, call: &Call) -> Address {
    Address::parse(call.external_url(&state.config).as_str()).unwrap_or_default()
}
