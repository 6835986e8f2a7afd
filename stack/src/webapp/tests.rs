//! Fallback, traversal, encodings, validators and headers, over HTTP and a folder on disk.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, web};
use bytes::Bytes;

use super::*;

const PAGE: &str = "<!doctype html><meta name=\"wildfire:anon-key\" content=\"\" /><p>app</p>";

/// A build with a page, a hashed script, its map and a plain file, beside a secret.
fn build() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    std::fs::create_dir_all(dist.join("assets")).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(dist.join("index.html"), PAGE).unwrap();
    std::fs::write(dist.join("favicon.svg"), "<svg/>").unwrap();
    std::fs::write(dist.join("assets/index-abc.js"), "let x = 1;\n".repeat(500)).unwrap();
    std::fs::write(dist.join("assets/index-abc.js.map"), "{}").unwrap();
    (folder, dist)
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

async fn ask(app: &Arc<WebApp>, request: TestRequest) -> Answer {
    let app = App::new()
        .app_data(web::Data::from(Arc::clone(app)))
        .default_service(web::to(
            async |app: web::Data<WebApp>, request: HttpRequest| app.serve(&request),
        ));
    let response = call_service(&init_service(app).await, request.to_request()).await;
    let (status, headers) = (response.status(), response.headers().clone());
    Answer {
        status,
        headers,
        body: read_body(response).await,
    }
}

async fn get(app: &Arc<WebApp>, path: &str) -> Answer {
    ask(app, TestRequest::with_uri(path)).await
}

fn security() -> PageSecurity {
    PageSecurity::new(Some("http://127.0.0.1:54321/x"), false, false)
}

fn loaded() -> (tempfile::TempDir, Arc<WebApp>) {
    let (folder, dist) = build();
    let app = WebApp::load(Some(&dist), "anon\"key", security()).unwrap();
    app.index
        .iter()
        .chain(app.assets.values())
        .for_each(Asset::compress);
    (folder, Arc::new(app))
}

#[actix_web::test]
async fn pages_of_the_app_get_the_index_with_the_key_filled_in() {
    let (_folder, app) = loaded();
    for path in [
        "/",
        "/prompts/12/edit",
        "/acme/default/prompts/greeting?x=1.js",
    ] {
        let answer = get(&app, path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache");
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(body.contains(r#"content="anon&quot;key""#), "{body}");
    }
}

#[actix_web::test]
async fn missing_files_are_missing() {
    let (_folder, app) = loaded();
    for path in [
        "/nothing.js",
        "/assets/old",
        "/assets/index-abc.js.map",
        "/.env",
        "/.git/config",
    ] {
        let answer = get(&app, path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[actix_web::test]
async fn nothing_outside_the_build_is_reachable() {
    let (_folder, app) = loaded();
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
        "//etc/passwd",
        "/..%5csecret.txt",
    ] {
        let answer = get(&app, path).await;
        assert!(
            !answer.body.starts_with(b"secret") && !answer.body.starts_with(b"root"),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn the_best_accepted_encoding_is_served() {
    let (_folder, app) = loaded();
    let cases = [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("*", "br"),
        ("deflate", ""),
        ("", ""),
    ];
    let mut tags = Vec::new();
    for (accepted, expected) in cases {
        let request = TestRequest::with_uri("/assets/index-abc.js")
            .insert_header(("accept-encoding", accepted));
        let answer = ask(&app, request).await;
        assert_eq!(answer.header("content-encoding"), expected, "{accepted}");
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert_eq!(
            answer.header("content-type"),
            "text/javascript; charset=utf-8"
        );
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        tags.push((expected, answer.header("etag").to_owned()));
    }
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 3, "one strong tag for each form: {tags:?}");
}

#[actix_web::test]
async fn a_known_tag_saves_the_body() {
    let (_folder, app) = loaded();
    let tag = get(&app, "/favicon.svg").await.header("etag").to_owned();
    assert!(tag.starts_with('"'), "{tag}");
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let request = TestRequest::with_uri("/favicon.svg").insert_header(("if-none-match", known));
        let answer = ask(&app, request).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (304, 0));
        assert_eq!(answer.header("etag"), tag);
    }
    let request = TestRequest::with_uri("/favicon.svg").insert_header(("if-none-match", "\"x\""));
    assert_eq!(ask(&app, request).await.status, 200);
}

#[actix_web::test]
async fn pages_carry_a_policy_without_inline_scripts() {
    let (_folder, app) = loaded();
    let answer = get(&app, "/").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"));
    assert!(policy.contains("connect-src 'self' http://127.0.0.1:54321 ws://127.0.0.1:54321;"));
    assert_eq!(answer.header("strict-transport-security"), "");
}

#[actix_web::test]
async fn hsts_is_sent_only_over_https() {
    let (_folder, dist) = build();
    let ask_with = async |https, trust_proxy| {
        let security = PageSecurity::new(None, https, trust_proxy);
        let app = Arc::new(WebApp::load(Some(&dist), "", security).unwrap());
        let request = TestRequest::with_uri("/").insert_header(("x-forwarded-proto", "https"));
        !ask(&app, request)
            .await
            .header("strict-transport-security")
            .is_empty()
    };
    assert!(ask_with(true, false).await);
    assert!(ask_with(false, true).await);
    assert!(!ask_with(false, false).await);
}

#[actix_web::test]
async fn only_reading_is_allowed() {
    let (_folder, app) = loaded();
    let answer = ask(&app, TestRequest::post().uri("/")).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("allow"), "GET, HEAD");
}

#[actix_web::test]
async fn without_a_build_the_page_says_how_to_make_one() {
    let app = Arc::new(WebApp::load(None, "", security()).unwrap());
    let answer = get(&app, "/prompts").await;
    assert_eq!(answer.status, 503);
    assert!(String::from_utf8_lossy(&answer.body).contains("npm run build"));
}

#[test]
fn the_build_is_found_where_it_was_put() {
    let (folder, dist) = build();
    let elsewhere = tempfile::tempdir().unwrap();
    let executable = folder.path().join("wildfire");
    assert_eq!(
        find_build(Some(&dist), None, elsewhere.path()),
        Some(dist.clone())
    );
    assert_eq!(find_build(None, Some(&executable), elsewhere.path()), None);
    std::fs::rename(&dist, folder.path().join("web")).unwrap();
    let beside = Some(folder.path().join("web"));
    assert_eq!(
        find_build(None, Some(&executable), elsewhere.path()),
        beside
    );
    let project = tempfile::tempdir().unwrap();
    let dist = project.path().join("web/dist");
    std::fs::create_dir_all(&dist).unwrap();
    std::fs::write(dist.join("index.html"), "").unwrap();
    assert_eq!(find_build(None, None, project.path()), Some(dist));
    assert_eq!(
        find_build(None, Some(&executable), project.path()),
        beside,
        "the executable's own build comes first"
    );
}
