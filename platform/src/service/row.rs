//! Rows of the gateway's table: which paths are a service's own, and what they ask of a caller.
//!
//! The gateway puts the rows of all services together. The order in which they are written means
//! nothing: a whole path wins over a prefix, a longer prefix over a shorter one.

/// Which paths a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// This one.
    Exactly(&'static str),
    /// This one and all below it.
    Under(&'static str),
}

/// What a path asks of the caller, and what is done to his credentials on the way. In the `local`
/// dialect nobody is refused, and only [`Access::Open`] differs from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing, and credentials are not touched either.
    Open,
    /// Nothing, but keys become tokens.
    Translated,
    /// A known key, which becomes a token where the caller has none of his own.
    Key,
    /// A known key; `Authorization` is left alone, for a socket that authenticates by its key.
    Socket,
    /// A key of `service_role`.
    ServiceRole,
    /// No unknown `sb_` key. `Authorization` is left alone, and `sb-api-key` says what an `sb_` key
    /// stands for.
    Function,
    /// Nobody may come in from outside.
    Denied,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Which paths.
    pub path: Path,
    /// What they ask of the caller.
    pub access: Access,
    /// Whether pages of any origin may call.
    pub is_open_to_pages: bool,
    /// The path to serve instead, where it differs from the one asked for.
    pub target: Option<&'static str>,
}

impl Row {
    /// A path and all below it.
    pub const fn under(path: &'static str, access: Access) -> Self {
        Self::new(Path::Under(path), access)
    }

    /// One path.
    pub const fn exactly(path: &'static str, access: Access) -> Self {
        Self::new(Path::Exactly(path), access)
    }

    const fn new(path: Path, access: Access) -> Self {
        Self {
            path,
            access,
            is_open_to_pages: true,
            target: None,
        }
    }

    /// For operators: no page of another origin may read it.
    #[must_use]
    pub const fn closed_to_pages(mut self) -> Self {
        self.is_open_to_pages = false;
        self
    }

    /// Another name of the path `target`.
    #[must_use]
    pub const fn leading_to(mut self, target: &'static str) -> Self {
        self.target = Some(target);
        self
    }
}
