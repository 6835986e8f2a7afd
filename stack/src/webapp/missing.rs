//! The page shown when the web app was not built.

use actix_web::HttpResponse;
use actix_web::http::header;

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Wildfire: the web app is not built</title>
<style>
  body { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; font: 16px/1.5 system-ui, sans-serif;
    color: light-dark(#1C1917, #FAFAF9); background: light-dark(#FAFAF9, #0C0A09); }
  h1 { font-size: 1.5rem; line-height: 1.2; }
  pre { padding: 1rem; overflow-x: auto; border-radius: 12px;
    border: 1px solid light-dark(#E7E5E4, #2E2925); background: light-dark(#FFFFFF, #171412); }
</style>
<h1>The web app is not built</h1>
<p>The backend is running. To see the app, build it in the repository and start again:</p>
<pre>npm install
npm run build</pre>
<p>A build that lies elsewhere is found through <code>WILDFIRE_WEB_DIR</code>.</p>
</html>
";

/// The page, with a status that says this will not stay so.
pub(super) fn page() -> HttpResponse {
    HttpResponse::ServiceUnavailable()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .content_type("text/html; charset=utf-8")
        .body(PAGE)
}
