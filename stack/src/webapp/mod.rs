//! The web app: its build is read into memory once and served from there, compressed, with
//! strong validators, long caching for files whose names change with their content, and
//! `index.html` for every path the app routes itself.

mod asset;
mod encoding;
mod headers;
mod missing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};

use asset::{Asset, Caching};
pub use headers::PageSecurity;

/// The one page of the app.
const INDEX: &str = "index.html";
/// Where the stack puts the key the app talks to the backend with.
const ANON_KEY_TAG: &str = r#"name="wildfire:anon-key" content="""#;

/// A loaded build of the web app, or the page that says how to make one.
pub struct WebApp {
    assets: HashMap<String, Asset>,
    index: Option<Asset>,
    security: PageSecurity,
}

/// Why a build could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the web app in {} cannot be read", path.display())]
pub struct LoadError {
    path: PathBuf,
    source: std::io::Error,
}

impl WebApp {
    /// Loads the build in `folder`; without one, every page says how to build it.
    pub fn load(
        folder: Option<&Path>,
        anon_key: &str,
        security: PageSecurity,
    ) -> Result<Self, LoadError> {
        let mut assets = HashMap::new();
        if let Some(folder) = folder {
            let fail = |source| LoadError {
                path: folder.to_owned(),
                source,
            };
            read_folder(folder, "", &mut assets).map_err(fail)?;
        }
        let index = assets.remove(INDEX).map(|page: Asset| {
            let html = String::from_utf8_lossy(page.identity());
            let filled = format!(
                r#"name="wildfire:anon-key" content="{}""#,
                attribute(anon_key)
            );
            let html = html.replace(ANON_KEY_TAG, &filled);
            Asset::new(INDEX, html.into_bytes(), Caching::Revalidate)
        });
        Ok(Self {
            assets,
            index,
            security,
        })
    }

    /// Compresses what is worth it, on a thread of its own; until then files go out as they are.
    pub fn compress_in_background(self: &Arc<Self>) {
        let app = Arc::clone(self);
        std::thread::spawn(move || {
            for asset in app.index.iter().chain(app.assets.values()) {
                asset.compress();
            }
        });
    }

    /// Whether there is a build to serve.
    pub fn is_built(&self) -> bool {
        self.index.is_some()
    }

    /// Answers a request no other service took.
    pub fn serve(&self, request: &HttpRequest) -> HttpResponse {
        let mut response = self.respond(request);
        self.security
            .apply(request.headers(), response.headers_mut());
        response
    }

    fn respond(&self, request: &HttpRequest) -> HttpResponse {
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return HttpResponse::MethodNotAllowed()
                .insert_header((header::ALLOW, "GET, HEAD"))
                .content_type("text/plain; charset=utf-8")
                .body("This address can only be read.\n");
        }
        let path = request.match_info().unprocessed();
        let Some(index) = &self.index else {
            return missing::page();
        };
        match self.assets.get(path.trim_start_matches('/')) {
            Some(asset) => asset.respond(request.headers()),
            None if names_a_file(path) => HttpResponse::NotFound()
                .insert_header((header::CACHE_CONTROL, "no-store"))
                .content_type("text/plain; charset=utf-8")
                .body("There is no such file.\n"),
            None => index.respond(request.headers()),
        }
    }
}

/// The folder with the build: `WILDFIRE_WEB_DIR` (given), beside the executable, or `web/dist` of
/// the checkout around the executable or of the project.
pub fn find_build(
    given: Option<&Path>,
    executable: Option<&Path>,
    project: &Path,
) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.to_owned());
    }
    let beside = executable
        .and_then(Path::parent)
        .map(|folder| folder.join("web"));
    let around = executable.into_iter().flat_map(Path::ancestors);
    let checkouts = around.chain([project]).map(|root| root.join("web/dist"));
    beside
        .into_iter()
        .chain(checkouts)
        .find(|folder| folder.join(INDEX).is_file())
}

/// A path that asks for a file rather than for a page of the app.
fn names_a_file(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.contains('.') || path.starts_with("/assets/") || path.contains("/.")
}

/// Source maps and hidden files, which are not for visitors.
fn is_private(name: &str) -> bool {
    let extension = Path::new(name).extension();
    name.starts_with('.')
        || extension.is_some_and(|extension| extension.eq_ignore_ascii_case("map"))
}

/// Reads every file below a folder.
fn read_folder(
    folder: &Path,
    prefix: &str,
    assets: &mut HashMap<String, Asset>,
) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{prefix}{name}");
        let kind = std::fs::metadata(entry.path())?;
        if kind.is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), assets)?;
        } else if kind.is_file() && !is_private(&name) {
            let caching = Caching::of(&path);
            let asset = Asset::new(&path, std::fs::read(entry.path())?, caching);
            assets.insert(path, asset);
        }
    }
    Ok(())
}

/// Text made safe inside a double-quoted attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}
