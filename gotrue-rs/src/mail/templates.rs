//! Loads a project's templates and keeps them for a while.
//!
//! Mirrors the cache of upstream's `internal/mailer/templatemailer/template.go`: a template that
//! cannot be loaded or is not valid never stops a mail; the one loaded before, or else the
//! built-in one, is used and the reason goes to the log.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use platform::clock::Clock;
use platform::http::{FetchError, HttpClient};
use tokio::io::AsyncReadExt as _;
use tokio::sync::Mutex;

use super::config::{KindConfig, MailConfig};
use super::kind::{KINDS, Kind};
use super::template::{Template, TemplateError};

const FILE: &str = "file://";

const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Subject and body of a kind.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) subject: Template,
    pub(crate) body: Template,
}

/// Why a project's template is not used.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("subject: {0}")]
    Subject(#[source] TemplateError),
    #[error("body: {0}")]
    Body(#[source] TemplateError),
    #[error("body could not be fetched: {0}")]
    Fetch(#[from] FetchError),
    #[error("body could not be read: {0}")]
    File(#[from] std::io::Error),
    #[error("body is larger than {0} bytes")]
    TooLarge(usize),
    #[error("body is not UTF-8")]
    Encoding,
}

#[derive(Clone)]
struct Entry {
    pair: Arc<Pair>,
    created: Timestamp,
    checked: Timestamp,
}

/// The templates of all kinds.
pub(crate) struct Templates {
    config: MailConfig,
    site_url: String,
    clock: Clock,
    web: HttpClient,
    /// One lock per kind, held while it is loaded, so that a template is fetched once however
    /// many mails wait for it.
    entries: Vec<Mutex<Option<Entry>>>,
}

impl Templates {
    /// Nothing is loaded yet, but what can be checked without the network is.
    pub(crate) fn new(config: &MailConfig, site_url: &str, web: HttpClient, clock: Clock) -> Self {
        for kind in KINDS {
            if let Err(error) = check(config.kind(kind)) {
                warn(kind, &error);
            }
        }
        Self {
            config: config.clone(),
            site_url: site_url.to_owned(),
            clock,
            web,
            entries: KINDS.iter().map(|_| Mutex::new(None)).collect(),
        }
    }

    /// The templates to use for a mail now.
    pub(crate) async fn get(&self, kind: Kind) -> Arc<Pair> {
        let mut entry = self.entries[kind as usize].lock().await;
        let now = self.clock.now();
        if let Some(entry) = entry.as_ref() {
            let fresh = now.duration_since(entry.created) < self.config.template_max_age;
            let asked_lately = now.duration_since(entry.checked) < self.config.template_retry;
            if !self.is_file(kind) && (fresh || asked_lately) {
                return Arc::clone(&entry.pair);
            }
        }
        let (pair, created) = match self.load(kind).await {
            Ok(pair) => (Arc::new(pair), now),
            Err(error) => {
                warn(kind, &error);
                match entry.take() {
                    Some(old) => (old.pair, old.created),
                    None => (Arc::new(built_in(kind)), now),
                }
            }
        };
        *entry = Some(Entry {
            pair: Arc::clone(&pair),
            created,
            checked: now,
        });
        pair
    }

    /// A file is read for every mail, so that whoever works on a template sees it at once.
    fn is_file(&self, kind: Kind) -> bool {
        let place = self.config.kind(kind).body.as_deref();
        place.is_some_and(|place| place.starts_with(FILE))
    }

    async fn load(&self, kind: Kind) -> Result<Pair, LoadError> {
        let KindConfig { subject, body, .. } = self.config.kind(kind);
        let subject = subject.as_deref().unwrap_or_else(|| kind.subject());
        let subject = Template::parse(subject).map_err(LoadError::Subject)?;
        let body = match body {
            None => Template::parse(kind.body()).map_err(LoadError::Body)?,
            Some(place) => {
                let source = self.read(place).await?;
                Template::parse(&source).map_err(LoadError::Body)?
            }
        };
        Ok(Pair { subject, body })
    }

    async fn read(&self, place: &str) -> Result<String, LoadError> {
        // Upstream: only URLs can be given; a file saves the development stack a web server.
        if let Some(path) = place.strip_prefix(FILE) {
            let most = self.config.template_max_size;
            let mut bytes = Vec::new();
            let file = tokio::fs::File::open(path).await?;
            let enough = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
            file.take(enough).read_to_end(&mut bytes).await?;
            // Upstream: cut there, and half a mail is sent.
            if bytes.len() > most {
                return Err(LoadError::TooLarge(most));
            }
            return String::from_utf8(bytes).map_err(|_| LoadError::Encoding);
        }
        let url = if place.starts_with("http") {
            place.to_owned()
        } else {
            format!("{}{place}", self.site_url)
        };
        self.fetch(url).await
    }

    async fn fetch(&self, url: String) -> Result<String, LoadError> {
        let most = self.config.template_max_size;
        let body = self.web.get(&url, FETCH_TIMEOUT, most).await?;
        String::from_utf8(body.into()).map_err(|_| LoadError::Encoding)
    }
}

/// What can be said about a project's templates before the first mail.
fn check(kind: &KindConfig) -> Result<(), LoadError> {
    if let Some(subject) = &kind.subject {
        Template::parse(subject).map_err(LoadError::Subject)?;
    }
    if let Some(path) = kind
        .body
        .as_deref()
        .and_then(|place| place.strip_prefix(FILE))
    {
        let source = std::fs::read_to_string(path)?;
        Template::parse(&source).map_err(LoadError::Body)?;
    }
    Ok(())
}

fn warn(kind: Kind, error: &LoadError) {
    tracing::warn!(mail.kind = kind.variable(), %error, "mail template is not used");
}

fn built_in(kind: Kind) -> Pair {
    let parse = |source| {
        #[expect(clippy::expect_used, reason = "a test parses every built-in template")]
        Template::parse(source).expect("built-in template")
    };
    Pair {
        subject: parse(kind.subject()),
        body: parse(kind.body()),
    }
}
