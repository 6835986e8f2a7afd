//! What strangers can make it write down.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::installation::{Installation, Process};

#[test]
fn a_variable_set_to_nothing_is_named_at_the_start() {
    let installation = Installation::new().with("GOTRUE_DISABLE_SIGNUP", "");
    let output = installation.start(&[]).output();
    assert!(
        output.contains("WARN") && output.contains("GOTRUE_DISABLE_SIGNUP"),
        "{output}"
    );
}

#[test]
fn what_is_no_http_is_answered_and_leaves_no_line() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let port = process.state.api_port;
    for garbage in ["GARBAGE\r\n\r\n", "\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(garbage.as_bytes()).unwrap();
        let mut answer = String::new();
        // Whatever is said about it is said before the connection ends.
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400"), "{garbage:?}: {answer}");
    }
    assert!(Process::answer(port).contains("HTTP/1.1"));
    let output = process.output();
    assert!(
        !output.contains("stream error") && !output.contains("ERROR"),
        "{output}"
    );
}
