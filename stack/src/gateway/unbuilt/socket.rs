//! The same for a WebSocket, in the protocol of Phoenix channels: who joins one is told what is
//! missing and that the channel is closed. Clients show a refused join; to a refused handshake a browser
//! has no words, and a socket that is closed is opened again and again.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::{SinkExt as _, StreamExt as _};
use platform::http::upgrade;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

const KEY: HeaderName = HeaderName::from_static("sec-websocket-key");
const ACCEPT: HeaderName = HeaderName::from_static("sec-websocket-accept");

/// Longest message that is read; a longer one closes the socket.
const LONGEST: usize = 64 << 10;

/// Accepts the WebSocket that a request asks for, if it does, to give this reason to every join. How many
/// there are and how long they may be silent is bounded like everywhere ([`upgrade`]).
pub(super) fn accept(request: &HttpRequest, reason: &str) -> Option<HttpResponse> {
    let key = request.headers().get(KEY)?;
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes())).ok()?;
    let reason = reason.to_owned();
    let session = async move |socket| {
        let small = WebSocketConfig::default()
            .read_buffer_size(2 << 10)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(small));
        // A client that breaks off, or the protocol, has ended what there was to say.
        let _ = talk(socket.await, &reason).await;
    };
    let mut answer = upgrade::claim(request, "websocket", session).ok()?;
    answer.headers_mut().insert(ACCEPT, accept);
    Some(answer)
}

async fn talk<S>(mut socket: WebSocketStream<S>, reason: &str) -> Result<(), Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    while let Some(said) = socket.next().await.transpose()? {
        let Message::Text(said) = said else { continue };
        for answer in answers(&said, reason) {
            socket.send(Message::text(answer.to_string())).await?;
        }
    }
    Ok(())
}

/// A message of either version: an object, or an array in this order.
#[derive(Deserialize)]
struct Said {
    #[serde(default, rename = "join_ref")]
    _join_ref: IgnoredAny,
    #[serde(rename = "ref")]
    number: Value,
    topic: String,
    event: String,
    #[serde(default, rename = "payload")]
    _payload: IgnoredAny,
}

/// What is answered to a message, in the version it came in; nothing to what asks for nothing.
fn answers(text: &str, reason: &str) -> Vec<Value> {
    let Ok(said) = serde_json::from_str::<Said>(text) else {
        return Vec::new();
    };
    let (topic, number) = (&said.topic, &said.number);
    let answer = |event: &str, payload: Value| {
        if text.trim_start().starts_with('[') {
            json!([number, number, topic, event, payload])
        } else {
            json!({ "topic": topic, "event": event, "payload": payload, "ref": number })
        }
    };
    match said.event.as_str() {
        "phx_join" => {
            let refusal = json!({ "status": "error", "response": { "reason": reason } });
            // Without the second the client would join again every few seconds.
            vec![answer("phx_reply", refusal), answer("phx_close", json!({}))]
        }
        "phx_leave" | "heartbeat" => {
            vec![answer(
                "phx_reply",
                json!({ "status": "ok", "response": {} }),
            )]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(text: &str) -> String {
        let answers = answers(text, "no");
        let answers = answers.iter().map(Value::to_string);
        answers.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_join_is_refused_and_closed_in_the_version_it_came_in() {
        assert_eq!(
            answered(r#"["3","3","realtime:room","phx_join",{"config":{}}]"#),
            r#"["3","3","realtime:room","phx_reply",{"response":{"reason":"no"},"status":"error"}] ["3","3","realtime:room","phx_close",{}]"#
        );
        assert_eq!(
            answered(
                r#"{"topic":"realtime:room","event":"phx_join","payload":{},"ref":"1","join_ref":"1"}"#
            ),
            r#"{"event":"phx_reply","payload":{"response":{"reason":"no"},"status":"error"},"ref":"1","topic":"realtime:room"} {"event":"phx_close","payload":{},"ref":"1","topic":"realtime:room"}"#
        );
    }

    #[test]
    fn a_heartbeat_is_answered_and_what_is_no_message_is_not() {
        assert_eq!(
            answered(r#"[null,"7","phoenix","heartbeat",{}]"#),
            r#"["7","7","phoenix","phx_reply",{"response":{},"status":"ok"}]"#
        );
        for text in [
            "",
            "{}",
            "[1]",
            r#"["1","1","realtime:x","access_token",{}]"#,
        ] {
            assert_eq!(answered(text), "");
        }
    }
}
