//! Routes × callers: what is mounted, for whom, and what each caller is told when he asks.

use std::collections::BTreeSet;

use platform::http::mount::Mounted;
use reqwest::header::AUTHORIZATION;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use stack::gateway::Table;

use super::grid::Grid;
use super::{no_gaps_but, reviewed};
use crate::dummy;
use crate::started::Stack;

const HEADER: &str =
    "Who may call what, read from the routers of a stack that runs, and the status that each caller gets
through the gateway that asks for keys. A key in brackets goes with the token.
";

const HEADER_OF_DIFFERENCE: &str = "What differs from routes.snap (+ as it is here, - not here)";

/// Routes that the `OpenAPI` document does not have, and what it says otherwise: may only become
/// shorter.
const UNDOCUMENTED: &[&str] = &[
    "GET /api/openapi.json: no operation",
    "GET /debug/auth-test: no operation",
    "GET /docs/: no operation",
    "GET /docs/reference.css: no operation",
    "GET /docs: no operation",
    "HEAD /health: no operation",
    "POST /api/waitlist/: no operation",
];

/// Stands for what a path leaves open.
const NOBODY: &str = "11111111-1111-4111-8111-111111111111";

/// For whom a route is mounted: the type of who asks, among what its gate or its handler takes.
fn whom(route: &Mounted) -> &str {
    let types = route.takes.split(['(', ')', ',', ' ', '<', '>']);
    let mut callers = types.filter(|name| name.contains("::caller::"));
    let caller = callers.next().and_then(|name| name.rsplit("::").next());
    caller.unwrap_or("Anybody")
}

const CALLERS: [&str; 5] = [
    "nobody",
    "anon key",
    "(anon) forged",
    "(anon) user",
    "service_role",
];

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
            title: CALLERS[title],
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
            caller(0, None, None),
            caller(1, Some(anon), None),
            caller(2, Some(anon), Some(&forged)),
            caller(3, Some(anon), Some(&token)),
            caller(4, Some(service), Some(service)),
        ];
        Self { stack, all }
    }

    /// What each is told.
    async fn ask(&mut self, route: &Mounted) -> Vec<String> {
        let methods = match route.method.as_str() {
            "any" => vec!["GET", "POST", "PUT", "PATCH", "DELETE"],
            method => vec![method],
        };
        let mut told = Vec::new();
        for caller in &mut self.all {
            let mut statuses = Vec::new();
            for method in &methods {
                let status = caller.ask(self.stack, method, &route.path).await;
                assert!(!status.is_server_error(), "{method} {}", route.path);
                statuses.push(format!("{method} {}", status.as_str()));
                // A route may have ended the session.
                if caller.title == "(anon) user" && route.path.ends_with("/logout") {
                    caller.token = Some(self.stack.sign_in_again().await);
                }
            }
            let status = |told: &String| told.split(' ').nth(1).map(str::to_owned);
            let first = status(&statuses[0]);
            let is_one = statuses.iter().all(|told| status(told) == first);
            told.push(first.filter(|_| is_one).unwrap_or(statuses.join(", ")));
        }
        told
    }
}

impl Caller {
    async fn ask(&self, stack: &Stack, method: &str, path: &str) -> StatusCode {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let has_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        let mut request = stack.request(method, &filled(path));
        if let Some(key) = &self.apikey {
            request = request.header("apikey", key);
        }
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if has_body {
            request = request.json(&json!({}));
        }
        request.send().await.unwrap().status()
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

/// The rows of the file.
struct Picture {
    paths: Vec<Vec<String>>,
    routes: Vec<Vec<String>>,
    /// Routes for anybody that refuse somebody who has a key.
    asking_later: Vec<String>,
}

impl Picture {
    async fn of(gateway: &str, prompts: &str) -> Self {
        let vars = [
            ("WILDFIRE_GATEWAY", gateway),
            ("WILDFIRE_PROMPTS", prompts),
            ("DEBUG_ENDPOINTS", "true"),
            // However long the other callers take.
            ("GOTRUE_SMTP_MAX_FREQUENCY", "1ns"),
        ];
        let stack = Stack::start(&vars).await;
        let table = Table::new(&stack::services(prompts == "true")).unwrap();
        let mut picture = Self {
            paths: table.rows().into_iter().map(Vec::from).collect(),
            routes: Vec::new(),
            asking_later: Vec::new(),
        };
        let mut callers = Callers::of(&stack).await;
        let mut routes = stack.running.routes();
        routes.sort_by(|(_, one), (_, other)| one.cmp(other));
        for (service, route) in &routes {
            let told = callers.ask(route).await;
            let is_refused = |told: &String| told.contains("401") || told.contains("403");
            // The gateway asks nobody for a token, so it is the route that refuses who has a key.
            if whom(route) == "Anybody" && told[1..].iter().any(is_refused) {
                let route = format!("{} {}", route.method, route.path);
                picture.asking_later.push(route);
            }
            let name = format!("{:6} {}", route.method, route.path);
            let row = [&name, *service, whom(route)].map(str::to_owned);
            picture.routes.push([&row, &told[..]].concat());
        }
        stack.running.stop().await;
        picture
    }

    fn write(&self, text: &mut String) {
        let paths = ["path", "service", "asks for", "pages", "leads to"];
        let mut grid = Grid::new("Paths at the gateway", paths);
        self.paths.iter().for_each(|row| grid.row(row.clone()));
        grid.write(text);
        let routes = ["route", "service", "mounted for"];
        let mut grid = Grid::new("Routes", [&routes, &CALLERS[..]].concat());
        self.routes.iter().for_each(|row| grid.row(row.clone()));
        grid.write(text);
    }

    /// The rows that are others than in `usual`, and those of it that are not there at all.
    fn without(&self, usual: &Self) -> Self {
        let compare = |here: &[Vec<String>], there: &[Vec<String>]| {
            let signed = |sign: &str, row: &Vec<String>| {
                let first = format!("{sign} {}", row[0]);
                [&[first], &row[1..]].concat()
            };
            let new = here.iter().filter(|row| !there.contains(row));
            let is_here = |row: &Vec<String>| here.iter().any(|it| it[0] == row[0]);
            let gone = there.iter().filter(|row| !is_here(row));
            let new = new.map(|row| signed("+", row));
            new.chain(gone.map(|row| signed("-", row))).collect()
        };
        Self {
            paths: compare(&self.paths, &usual.paths),
            routes: compare(&self.routes, &usual.routes),
            asking_later: self.asking_later.clone(),
        }
    }
}

#[actix_web::test]
async fn every_route_answers_each_caller_as_reviewed() {
    let usual = Picture::of("self-hosted", "true").await;
    let mut text = HEADER.to_owned();
    usual.write(&mut text);
    reviewed("routes", &text);
    no_gaps_but(&[], &usual.asking_later);
    for (name, gateway, prompts, about) in [
        ("local", "local", "true", "at the gateway of a developer"),
        (
            "without_prompts",
            "self-hosted",
            "false",
            "without the prompt platform",
        ),
    ] {
        let other = Picture::of(gateway, prompts).await;
        let mut text = format!("{HEADER_OF_DIFFERENCE} {about}.\n");
        other.without(&usual).write(&mut text);
        reviewed(&format!("routes_{name}"), &text);
        no_gaps_but(&[], &other.asking_later);
    }
}

#[actix_web::test]
async fn a_route_that_a_service_mounts_cannot_be_missing_in_the_list() {
    let stack = Stack::start_with(&[&dummy::SERVICE], &[("DUMMY_NAME", "listed")]).await;
    let routes = stack.running.routes();
    let own = routes.iter().filter(|(service, _)| *service == "dummy");
    let own: Vec<_> = own
        .map(|(_, route)| (route.method.as_str(), route.path.as_str()))
        .collect();
    assert!(own.contains(&("PUT", "/dummy/v1/bytes")), "{own:?}");
    assert_eq!(own.len(), 6, "{own:?}");
    stack.running.stop().await;
}

#[actix_web::test]
async fn the_openapi_document_has_every_route_of_the_prompt_platform_and_no_other() {
    let stack = Stack::start(&[("DEBUG_ENDPOINTS", "true")]).await;
    let document: Value = stack.get("/api/openapi.json").await.json().await.unwrap();
    let routes = stack.running.routes();
    stack.running.stop().await;
    let documented = operations(&document);
    let mounted = routes
        .iter()
        .filter(|(service, _)| *service == prompt_api::SERVICE.name);
    let mounted: BTreeSet<_> = mounted
        .map(|(_, route)| {
            let needs = matches!(whom(route), "SignedIn" | "Operator");
            (format!("{} {}", route.method, route.path), needs)
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
