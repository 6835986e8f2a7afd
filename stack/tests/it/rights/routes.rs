//! Routes × callers: what is mounted, for whom, and what each caller is told when he asks.

use std::collections::BTreeSet;

use platform::http::mount::Mounted;
use reqwest::header::AUTHORIZATION;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use stack::SERVICES;
use stack::gateway::Table;

use super::grid::Grid;
use super::{no_gaps_but, reviewed};
use crate::serving::Stack;

const HEADER: &str = "Who may call what, read from the routers, and what each caller is told through the gateway that asks
for keys: `in` is any answer but a refusal to this caller. A key in brackets goes with the token.
";

/// Routes that the `OpenAPI` document does not have, and what it says otherwise: may only become
/// shorter.
const UNDOCUMENTED: &[&str] = &[
    "GET /api/openapi.json: no operation",
    "GET /debug/auth-test: no operation",
    "GET /docs/: no operation",
    "GET /docs/reference.css: no operation",
    "GET /docs: no operation",
    // It takes a token of its own besides the secret key, and looks at both itself.
    "GET /metrics: needs a token: false, the document says true",
    "HEAD /health: no operation",
    "POST /api/waitlist/: no operation",
];

/// Routes that are mounted for anybody and yet refuse somebody: may only become shorter.
const ASKING_LATER: &[&str] = &[
    "GET /metrics",
    "POST /auth/v1/invite",
    "POST /auth/v1/logout",
];

/// Stands for what a path leaves open.
const NOBODY: &str = "11111111-1111-4111-8111-111111111111";

/// A route with its service.
struct Known {
    service: &'static str,
    path: String,
    route: Mounted,
}

fn routes() -> Vec<Known> {
    let mut all: Vec<Known> = SERVICES
        .iter()
        .flat_map(|service| {
            let mounted = (service.routes)().into_iter();
            mounted.map(|route| Known {
                service: service.name,
                path: format!("{}{}", service.mount, route.path),
                route,
            })
        })
        .collect();
    all.sort_by(|one, other| {
        (&one.path, &one.route.method).cmp(&(&other.path, &other.route.method))
    });
    all
}

/// For whom a route is mounted: the type of who asks, among what its handler or its gate takes.
fn whom(takes: &str) -> &str {
    let types = takes.split(['(', ')', ',', ' ', '<', '>']);
    let mut callers = types.filter(|name| name.contains("::caller::"));
    let caller = callers.next().and_then(|name| name.rsplit("::").next());
    caller.unwrap_or("Anybody")
}

/// Somebody who asks.
struct Caller {
    title: &'static str,
    apikey: Option<String>,
    token: Option<String>,
}

struct Callers<'s> {
    stack: &'s Stack,
    all: Vec<Caller>,
}

impl<'s> Callers<'s> {
    async fn of(stack: &'s Stack) -> Self {
        let caller = |title, apikey: Option<&str>, token: Option<&str>| Caller {
            title,
            apikey: apikey.map(str::to_owned),
            token: token.map(str::to_owned),
        };
        let anon = stack.keys.anon.as_str();
        let service = stack.keys.service_role.expose().as_str();
        let token = stack.sign_in().await;
        // The right words, and the signature of other ones.
        let forged = format!(
            "{}.{}",
            token.rsplit_once('.').unwrap().0,
            anon.rsplit_once('.').unwrap().1
        );
        let all = vec![
            caller("nobody", None, None),
            caller("anon key", Some(anon), None),
            caller("(anon) forged", Some(anon), Some(&forged)),
            caller("(anon) user", Some(anon), Some(&token)),
            caller("service_role", Some(service), Some(service)),
        ];
        Self { stack, all }
    }

    /// What each is told.
    async fn ask(&mut self, known: &Known) -> Vec<String> {
        let mut told = Vec::new();
        for caller in &mut self.all {
            let method = Method::from_bytes(known.route.method.as_bytes()).unwrap();
            let method = if known.route.method == "any" {
                Method::GET
            } else {
                method
            };
            let has_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
            let mut request = self.stack.request(method, &filled(&known.path));
            if let Some(key) = &caller.apikey {
                request = request.header("apikey", key);
            }
            if let Some(token) = &caller.token {
                request = request.header(AUTHORIZATION, format!("Bearer {token}"));
            }
            if has_body {
                request = request.json(&json!({}));
            }
            told.push(match request.send().await.unwrap().status() {
                refused @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                    refused.as_u16().to_string()
                }
                status => {
                    assert!(!status.is_server_error(), "{} {status}", known.path);
                    "in".to_owned()
                }
            });
            // A route may have ended the session.
            if caller.title == "(anon) user" && known.path.ends_with("/logout") {
                caller.token = Some(self.stack.sign_in_again().await);
            }
        }
        told
    }
}

/// A path with something in each of its gaps.
fn filled(path: &str) -> String {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        // A pattern may have braces of its own only around what it captures.
        let (name, after) = after.split_once('}').unwrap();
        filled.push_str(before);
        filled.push_str(match name {
            "rest:(/.*)?" => "/x",
            name if name.ends_with("_id") => NOBODY,
            _ => "1",
        });
        rest = after;
    }
    filled + rest
}

#[actix_web::test]
async fn every_route_answers_each_caller_as_reviewed() {
    let vars = [
        ("WILDFIRE_GATEWAY", "self-hosted"),
        ("DEBUG_ENDPOINTS", "true"),
    ];
    let stack = Stack::start(&vars).await;
    let mut callers = Callers::of(&stack).await;
    let mut text = HEADER.to_owned();
    let mut rows = Grid::new(
        "Paths at the gateway",
        ["path", "service", "asks for", "pages", "leads to"],
    );
    for row in Table::new(&SERVICES).unwrap().rows() {
        rows.row(row);
    }
    rows.write(&mut text);
    let titles = callers.all.iter().map(|caller| caller.title);
    let headings = ["route", "service", "mounted for"]
        .into_iter()
        .chain(titles);
    let mut grid = Grid::new("Routes", headings);
    let mut asking_later = Vec::new();
    for known in routes() {
        let told = callers.ask(&known).await;
        let route = format!("{:6} {}", known.route.method, known.path);
        let whom = whom(known.route.takes).to_owned();
        // The gateway asks nobody for a token, so it is the route that refuses who has a key.
        if whom == "Anybody" && told[1..].iter().any(|it| it != "in") {
            asking_later.push(format!("{} {}", known.route.method, known.path));
        }
        grid.row(
            [route, known.service.to_owned(), whom]
                .into_iter()
                .chain(told),
        );
    }
    grid.write(&mut text);
    stack.running.stop().await;
    reviewed("routes", &text);
    no_gaps_but(ASKING_LATER, &asking_later);
}

#[actix_web::test]
async fn the_openapi_document_has_every_route_of_the_prompt_platform_and_no_other() {
    let stack = Stack::start(&[]).await;
    let document: Value = stack.get("/api/openapi.json").await.json().await.unwrap();
    stack.running.stop().await;
    let documented = operations(&document);
    let routes = routes();
    let mounted = routes
        .iter()
        .filter(|known| known.service == prompt_api::SERVICE.name);
    let mounted: BTreeSet<_> = mounted
        .map(|known| {
            let needs = matches!(whom(known.route.takes), "SignedIn" | "Service");
            (format!("{} {}", known.route.method, known.path), needs)
        })
        .collect();
    let mut found = Vec::new();
    for (route, needs) in &mounted {
        match documented
            .iter()
            .find(|(documented, _)| documented == route)
        {
            None => found.push(format!("{route}: no operation")),
            Some((_, says)) if says != needs => {
                found.push(format!(
                    "{route}: needs a token: {needs}, the document says {says}"
                ));
            }
            Some(_) => {}
        }
    }
    let routes: BTreeSet<_> = mounted.iter().map(|(route, _)| route).collect();
    let absent = documented
        .iter()
        .filter(|(operation, _)| !routes.contains(operation));
    found.extend(absent.map(|(operation, _)| format!("{operation}: no route")));
    no_gaps_but(UNDOCUMENTED, &found);
}

/// The operations of the document, and whether they need a token.
fn operations(document: &Value) -> Vec<(String, bool)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| {
            let needs = operation["security"]
                .as_array()
                .is_some_and(|it| !it.is_empty());
            (format!("{} {path}", method.to_uppercase()), needs)
        })
    });
    operations.collect()
}
