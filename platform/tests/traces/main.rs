//! Traces, by a real server and a collector that reads what it is sent.
#![expect(clippy::unwrap_used, reason = "a test's helpers may fail it")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::web::{self, Data};
use actix_web::{App, HttpRequest, HttpResponse};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use platform::env::{Reader, Vars};
use platform::http::{AnsweredBy, Connections, HttpClient, HttpConfig, observe, serve, upgrade};
use platform::service::Tasks;
use platform::telemetry::traces::{Traces, TracesConfig};
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// A test that has waited this long for something has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// The process has one tracer.
static ALONE: Mutex<()> = Mutex::const_new(());

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// A request as it came.
struct Heard {
    head: String,
    body: Vec<u8>,
}

impl Heard {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// Answers 200 to everything and passes it on.
async fn listen() -> (SocketAddr, UnboundedReceiver<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (passed, heard) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let passed = passed.clone();
            tokio::spawn(async move {
                while let Some(request) = hear(&mut socket).await {
                    let _ = passed.send(request);
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    socket.write_all(answer).await.unwrap();
                }
            });
        }
    });
    (address, heard)
}

async fn hear(socket: &mut TcpStream) -> Option<Heard> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut heard = Heard {
        head,
        body: Vec::new(),
    };
    let length = heard
        .header("content-length")
        .map_or(0, |it| it.parse().unwrap());
    heard.body.resize(length, 0);
    socket.read_exact(&mut heard.body).await.unwrap();
    Some(heard)
}

/// A server that asks `other` whenever it is asked.
fn start(other: SocketAddr) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Connections::new(HttpConfig::default());
    let tasks = Tasks::new();
    let state = Data::new((HttpClient::new().unwrap(), other));
    let server = serve(&connections, 1, [listener], move || {
        App::new()
            .app_data(Data::new(tasks.clone()))
            .app_data(state.clone())
            .app_data(AnsweredBy("things"))
            .wrap(from_fn(observe))
            .route("/things/{id}", web::get().to(ask))
            .route("/task", web::get().to(ask_later))
            .route("/socket", web::get().to(ask_by_socket))
            .route("/plain", web::get().to(HttpResponse::Ok))
    });
    tokio::spawn(server.unwrap());
    address
}

type Other = Data<(HttpClient, SocketAddr)>;

async fn ask(state: Other) -> HttpResponse {
    ask_other(state.into_inner()).await;
    HttpResponse::Ok().finish()
}

async fn ask_other(state: Arc<(HttpClient, SocketAddr)>) {
    let (client, other) = state.as_ref();
    let fetched = client.get(&format!("http://{other}/"), PATIENCE, 10).await;
    fetched.unwrap();
}

async fn ask_later(state: Other, tasks: Data<Tasks>) -> HttpResponse {
    tasks.spawn(ask_other(state.into_inner()));
    HttpResponse::Ok().finish()
}

async fn ask_by_socket(request: HttpRequest, state: Other) -> HttpResponse {
    let session = async move |_socket| ask_other(state.into_inner()).await;
    upgrade::claim(&request, "echo", session).unwrap()
}

async fn get(server: SocketAddr, path: &str, headers: &str) {
    let answer = send(server, &format!("GET {path}"), headers).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

async fn send(server: SocketAddr, what: &str, headers: &str) -> String {
    let mut socket = TcpStream::connect(server).await.unwrap();
    let request = format!("{what} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, socket.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    answer
}

fn config(collector: SocketAddr, more: &[(&str, &str)]) -> TracesConfig {
    let endpoint = format!("http://{collector}");
    let vars = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_BSP_SCHEDULE_DELAY", "0"),
    ];
    let vars: Vars = vars.into_iter().chain(more.iter().copied()).collect();
    let reader = Reader::new(&vars);
    let config = TracesConfig::from_env(&reader).unwrap();
    reader.finish().unwrap();
    config
}

async fn next(heard: &mut UnboundedReceiver<Heard>) -> Heard {
    timeout(PATIENCE, heard.recv()).await.unwrap().unwrap()
}

/// The only span that the collector got.
async fn next_span(heard: &mut UnboundedReceiver<Heard>) -> (Heard, Span) {
    let request = next(heard).await;
    let decoded = ExportTraceServiceRequest::decode(request.body.as_slice()).unwrap();
    let mut spans = decoded
        .resource_spans
        .into_iter()
        .flat_map(|it| it.scope_spans);
    let span = spans.next().unwrap().spans.remove(0);
    (request, span)
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|it| it.key == name)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

fn counted(name: &str) -> u64 {
    let name = format!("wildfire_traces_spans_{name}_total{{service=\"house\"}} ");
    let metrics = platform::telemetry::render();
    let mut values = metrics.lines().filter_map(|line| line.strip_prefix(&name));
    values.next().map_or(0, |value| value.parse().unwrap())
}

#[actix_web::test]
async fn a_request_is_a_span_of_the_trace_it_belongs_to_and_so_is_what_it_asks() {
    let _alone = ALONE.lock().await;
    let (collector, mut spans) = listen().await;
    let (other, mut asked) = listen().await;
    let server = start(other);
    let settings = [
        (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "authorization=Bearer%20secret",
        ),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test"),
    ];
    let traces = Traces::start(&config(collector, &settings)).unwrap();
    let given =
        format!("traceparent: 00-{TRACE}-{PARENT}-01\r\ntracestate: a=1\r\nbaggage: b=2\r\n");
    get(server, "/things/7?token=hidden", &given).await;
    let (request, span) = next_span(&mut spans).await;
    assert!(
        request.head.starts_with("POST /v1/traces HTTP/1.1"),
        "{}",
        request.head
    );
    assert_eq!(
        request.header("content-type"),
        Some("application/x-protobuf")
    );
    assert_eq!(request.header("authorization"), Some("Bearer secret"));
    for said in ["deployment.environment", "service.name", "wildfire"] {
        assert!(
            String::from_utf8_lossy(&request.body).contains(said),
            "{said}"
        );
    }
    assert!(!String::from_utf8_lossy(&request.body).contains("hidden"));
    assert_eq!(hex::encode(&span.trace_id), TRACE);
    assert_eq!(hex::encode(&span.parent_span_id), PARENT);
    assert_eq!(span.name, "GET /things/{id}");
    for (name, value) in [
        ("http.route", "/things/{id}"),
        ("http.response.status_code", "200"),
        ("wildfire.service", "things"),
    ] {
        assert_eq!(attribute(&span, name).as_deref(), Some(value), "{name}");
    }
    assert!(span.end_time_unix_nano > span.start_time_unix_nano);
    let question = next(&mut asked).await;
    let own = hex::encode(&span.span_id);
    let expected = format!("00-{TRACE}-{own}-01");
    assert_eq!(question.header("traceparent"), Some(expected.as_str()));
    assert_eq!(question.header("tracestate"), Some("a=1"));
    assert_eq!(question.header("baggage"), None);
    // One that belongs to none begins one.
    get(server, "/things/8", "traceparent: 00-nonsense\r\n").await;
    let (_, span) = next_span(&mut spans).await;
    assert!(span.parent_span_id.is_empty());
    let question = next(&mut asked).await;
    let said = format!(
        "00-{}-{}-01",
        hex::encode(&span.trace_id),
        hex::encode(&span.span_id)
    );
    assert_eq!(question.header("traceparent"), Some(said.as_str()));
    // A method that nobody knows may be any word.
    send(server, &format!("{} /things/9", "BREW".repeat(1000)), "").await;
    let (sent, span) = next_span(&mut spans).await;
    let method = attribute(&span, "http.request.method");
    assert_eq!(method.as_deref(), Some("_OTHER"));
    assert!(sent.body.len() < 1000, "{}", sent.body.len());
    traces.finish().await;
}

#[actix_web::test]
async fn a_trace_goes_on_although_nothing_is_sent_from_here() {
    let _alone = ALONE.lock().await;
    let (other, mut asked) = listen().await;
    let server = start(other);
    let parent = format!("00-{TRACE}-{PARENT}-01");
    get(server, "/things/7", &format!("traceparent: {parent}\r\n")).await;
    assert_eq!(
        next(&mut asked).await.header("traceparent"),
        Some(parent.as_str())
    );
    get(server, "/things/7", "").await;
    assert_eq!(next(&mut asked).await.header("traceparent"), None);
}

#[actix_web::test]
async fn what_outlives_a_request_belongs_to_its_trace() {
    let _alone = ALONE.lock().await;
    let (other, mut asked) = listen().await;
    let server = start(other);
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let traced = format!("traceparent: {parent}\r\n");
    get(server, "/task", &traced).await;
    assert_eq!(
        next(&mut asked).await.header("traceparent"),
        Some(parent.as_str())
    );
    let claimed = format!(
        "GET /socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: echo\r\n{traced}\r\n"
    );
    let mut socket = TcpStream::connect(server).await.unwrap();
    socket.write_all(claimed.as_bytes()).await.unwrap();
    assert_eq!(
        next(&mut asked).await.header("traceparent"),
        Some(parent.as_str())
    );
}

#[actix_web::test]
async fn who_is_not_to_be_traced_is_not() {
    let _alone = ALONE.lock().await;
    let (collector, mut spans) = listen().await;
    let server = start(collector);
    let traces = Traces::start(&config(collector, &[])).unwrap();
    let parent = format!("traceparent: 00-{TRACE}-{PARENT}-00\r\n");
    get(server, "/plain", &parent).await;
    get(server, "/plain", "").await;
    let (_, span) = next_span(&mut spans).await;
    assert_ne!(hex::encode(&span.trace_id), TRACE);
    traces.finish().await;
    assert!(spans.try_recv().is_err());
}

#[actix_web::test]
async fn a_collector_that_does_not_answer_holds_up_nobody_and_fills_no_memory() {
    const REQUESTS: u64 = 50;
    const WAITING: u64 = 4;
    let _alone = ALONE.lock().await;
    // It takes connections, as far as the kernel does, and says nothing.
    let deaf = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let collector = deaf.local_addr().unwrap();
    let server = start(collector);
    let settings = [
        ("OTEL_BSP_MAX_QUEUE_SIZE", "4"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "3600000"),
    ];
    let traces = Traces::start(&config(collector, &settings)).unwrap();
    let before = counted("dropped");
    for _ in 0..REQUESTS {
        get(server, "/plain", "").await;
    }
    // Some are being sent, and some wait.
    let dropped = counted("dropped") - before;
    assert!(dropped >= REQUESTS - 2 * WAITING, "{dropped}");
    timeout(PATIENCE, traces.finish()).await.unwrap();
}

#[actix_web::test]
async fn what_a_collector_refuses_is_counted_and_the_next_is_sent() {
    let _alone = ALONE.lock().await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let server = start(closed);
    let before = counted("failed");
    let traces = Traces::start(&config(closed, &[])).unwrap();
    get(server, "/plain", "").await;
    traces.finish().await;
    assert_eq!(counted("failed"), before + 1);
    let (collector, mut spans) = listen().await;
    let before = counted("sent");
    let traces = Traces::start(&config(collector, &[])).unwrap();
    get(server, "/plain", "").await;
    next_span(&mut spans).await;
    traces.finish().await;
    assert_eq!(counted("sent"), before + 1);
}
