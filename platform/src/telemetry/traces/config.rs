//! Where traces are sent, read from the environment under OpenTelemetry's names.

use std::str::FromStr as _;
use std::time::Duration;

use actix_web::http::header::{HeaderName, HeaderValue};
use opentelemetry::KeyValue;
use opentelemetry_sdk::trace::Sampler;
use url::Url;

use crate::env::{Reader, Secret};

/// Where collectors listen.
const DEFAULT_ENDPOINT: &str = "http://localhost:4318";

/// Traces of this process; off unless the environment says where to.
#[derive(Clone, Debug)]
pub struct TracesConfig {
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` (default none, or `http://localhost:4318` with
    /// `OTEL_TRACES_EXPORTER=otlp`): the collector; `/v1/traces` is appended.
    pub endpoint: Url,
    /// `OTEL_EXPORTER_OTLP_HEADERS` (default none): headers for the collector, `name=value` with commas
    /// between; values as in URLs.
    pub headers: Vec<(String, Secret<String>)>,
    /// `OTEL_EXPORTER_OTLP_TIMEOUT` (default 10000): time the collector gets for a batch,
    /// milliseconds.
    pub timeout: Duration,
    /// `OTEL_SERVICE_NAME` (default wildfire): what this process is called.
    pub service: String,
    /// `OTEL_RESOURCE_ATTRIBUTES` (default none): what else is to be said of it, `name=value` with
    /// commas between; values as in URLs.
    pub attributes: Vec<KeyValue>,
    /// `OTEL_TRACES_SAMPLER` (default `parentbased_always_on`): which requests are traced; also
    /// `always_on`, `always_off`, `traceidratio` and their `parentbased_` forms, with the ratio in
    /// `OTEL_TRACES_SAMPLER_ARG`.
    pub sampler: Sampler,
    /// `OTEL_BSP_MAX_QUEUE_SIZE` (default 2048): most spans that wait to be sent; what is too many is
    /// dropped and counted.
    pub most_waiting: usize,
    /// `OTEL_BSP_SCHEDULE_DELAY` (default 5000): how long spans are gathered before they are sent,
    /// milliseconds.
    pub delay: Duration,
}

impl TracesConfig {
    /// Reads the settings; the reader collects what is wrong with them. None if nothing is to be sent.
    pub fn from_env(env: &Reader<'_>) -> Option<Self> {
        let endpoint = endpoint(env)?;
        let specific = |name: &'static str, other: &'static str| env.either(name, other);
        let protocol = specific(
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
        );
        if env.string_or(protocol, "http/protobuf") != "http/protobuf" {
            env.problem(protocol, "must be http/protobuf");
        }
        let headers = specific(
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
        );
        let sent = pairs(env, headers);
        let is_sayable = |(name, value): &(String, String)| {
            HeaderName::from_str(name).is_ok() && HeaderValue::from_str(value).is_ok()
        };
        if !sent.iter().all(is_sayable) {
            env.problem(headers, "must be names and values of headers");
        }
        let timeout = specific(
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
            "OTEL_EXPORTER_OTLP_TIMEOUT",
        );
        let attributes = pairs(env, "OTEL_RESOURCE_ATTRIBUTES").into_iter();
        Some(Self {
            endpoint,
            headers: sent
                .into_iter()
                .map(|(name, value)| (name, Secret::new(value)))
                .collect(),
            timeout: Duration::from_millis(env.number(timeout, 10_000)),
            service: env.string_or("OTEL_SERVICE_NAME", "wildfire"),
            attributes: attributes
                .map(|(name, value)| KeyValue::new(name, value))
                .collect(),
            sampler: sampler(env),
            most_waiting: env.positive("OTEL_BSP_MAX_QUEUE_SIZE", 2048),
            delay: Duration::from_millis(env.number("OTEL_BSP_SCHEDULE_DELAY", 5000)),
        })
    }
}

fn endpoint(env: &Reader<'_>) -> Option<Url> {
    const EXPORTER: &str = "OTEL_TRACES_EXPORTER";
    const WHOLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    const BASE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    if env.bool("OTEL_SDK_DISABLED", false) {
        return None;
    }
    let base = env.string(BASE);
    let (name, endpoint) = match (env.string(EXPORTER).as_deref(), env.string(WHOLE), base) {
        (Some("none"), ..) | (None, None, None) => return None,
        (Some("otlp") | None, Some(whole), _) => (WHOLE, whole),
        (Some("otlp") | None, None, base) => {
            let base = base.unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
            (BASE, format!("{}/v1/traces", base.trim_end_matches('/')))
        }
        (Some(_), ..) => {
            env.problem(EXPORTER, "must be otlp or none");
            return None;
        }
    };
    let url = endpoint.parse::<Url>().ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        env.problem(name, "must be an http or https address");
    }
    url
}

fn sampler(env: &Reader<'_>) -> Sampler {
    const NAME: &str = "OTEL_TRACES_SAMPLER";
    let name = env.string_or(NAME, "parentbased_always_on");
    let (parents, own) = match name.strip_prefix("parentbased_") {
        Some(own) => (true, own),
        None => (false, name.as_str()),
    };
    let own = match own {
        "always_on" => Sampler::AlwaysOn,
        "always_off" => Sampler::AlwaysOff,
        "traceidratio" => {
            let ratio = env.number("OTEL_TRACES_SAMPLER_ARG", 1.0);
            if !(0.0..=1.0).contains(&ratio) {
                env.problem("OTEL_TRACES_SAMPLER_ARG", "must be between 0 and 1");
            }
            Sampler::TraceIdRatioBased(ratio)
        }
        _ => {
            env.problem(NAME, "is not known");
            Sampler::AlwaysOff
        }
    };
    if parents {
        Sampler::ParentBased(Box::new(own))
    } else {
        own
    }
}

/// `name=value,name=value`, values as in URLs.
fn pairs(env: &Reader<'_>, name: &str) -> Vec<(String, String)> {
    let pairs = env.list(name);
    let parsed = pairs.iter().filter_map(|pair| {
        let split = pair.split_once('=');
        if split.is_none() {
            env.problem(name, "must be name=value, with commas between");
        }
        let (name, value) = split?;
        let value = percent_encoding::percent_decode_str(value.trim());
        let value = value.decode_utf8_lossy().into_owned();
        Some((name.trim().to_owned(), value))
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Vars;

    fn read(vars: &[(&str, &str)]) -> Result<Option<TracesConfig>, String> {
        let vars: Vars = vars.iter().copied().collect();
        let reader = Reader::new(&vars);
        let config = TracesConfig::from_env(&reader);
        reader.finish().map_err(|error| error.to_string())?;
        Ok(config)
    }

    #[test]
    fn traces_are_sent_where_the_environment_says() {
        const BASE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
        const WHOLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
        const EXPORTER: &str = "OTEL_TRACES_EXPORTER";
        for (vars, endpoint) in [
            (vec![], None),
            (vec![(EXPORTER, "none"), (BASE, "http://a")], None),
            (
                vec![("OTEL_SDK_DISABLED", "true"), (BASE, "http://a")],
                None,
            ),
            (
                vec![("OTEL_SDK_DISABLED", "true"), (EXPORTER, "jaeger")],
                None,
            ),
            (
                vec![(BASE, "http://a:1/b/")],
                Some("http://a:1/b/v1/traces"),
            ),
            (
                vec![(WHOLE, "http://a/b"), (BASE, "http://c")],
                Some("http://a/b"),
            ),
            (
                vec![(EXPORTER, "otlp")],
                Some("http://localhost:4318/v1/traces"),
            ),
        ] {
            let read = read(&vars)
                .unwrap()
                .map(|config| config.endpoint.to_string());
            assert_eq!(read.as_deref(), endpoint, "{vars:?}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_said_at_the_start() {
        const AT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a");
        for wrong in [
            ("OTEL_TRACES_EXPORTER", "jaeger"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "a:4318"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "token"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a token=b"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "token=%0A"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a"),
            ("OTEL_TRACES_SAMPLER", "sometimes"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ] {
            let told = read(&[AT, wrong]).unwrap_err();
            assert!(told.contains(wrong.0), "{wrong:?}: {told}");
        }
        let ratio = [
            AT,
            ("OTEL_TRACES_SAMPLER", "traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "2"),
        ];
        assert!(
            read(&ratio)
                .unwrap_err()
                .contains("OTEL_TRACES_SAMPLER_ARG")
        );
    }
}
