//! A program of a service, run for real, and a database that comes up late.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use socket2::{Domain, Socket, Type};

/// A running program, whose log is read line by line.
pub struct Program {
    child: Child,
    log: BufReader<ChildStderr>,
    seen: String,
}

impl Program {
    /// Starts the program at `path` with these variables and no others.
    pub fn start(path: &str, arguments: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = Command::new(path);
        command.args(arguments).env_clear();
        command.envs(vars.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("program");
        let log = BufReader::new(child.stderr.take().expect("its log"));
        Self {
            child,
            log,
            seen: String::new(),
        }
    }

    /// The next line of the log that has this text.
    #[track_caller]
    pub fn says(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).expect("a line");
            self.seen.push_str(&line);
            assert!(read > 0, "it never said {text:?}: {}", self.seen);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Tells it to stop, and waits.
    pub fn terminate(self) -> (ExitStatus, String) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).expect("signal");
        self.end()
    }

    /// Waits for its end; how it ended and all it has said.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.log.read_to_string(&mut self.seen).expect("its log");
        let status = self.child.wait().expect("its end");
        (status, std::mem::take(&mut self.seen))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Most have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer of the program at a port to `GET path`, head and body.
pub fn get(port: u16, path: &str) -> String {
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connection");
    write!(
        socket,
        "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    )
    .expect("request");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("answer");
    answer
}

/// A port at which nothing listens yet.
pub struct Door(Socket);

impl Door {
    /// A free one, that nobody else gets.
    pub fn closed() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("socket");
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        socket.bind(&any.into()).expect("a free port");
        Self(socket)
    }

    /// Its number.
    pub fn port(&self) -> u16 {
        let address = self.0.local_addr().expect("address").as_socket();
        address.expect("an address with a port").port()
    }

    /// Leads whoever comes from now on to the server at another port.
    pub fn open(self, to: u16) {
        self.0.listen(64).expect("listening");
        let listener = TcpListener::from(self.0);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, to)) else {
                    continue;
                };
                pass(&client, &server);
                pass(&server, &client);
            }
        });
    }
}

/// Hands on what comes from one side until it ends.
fn pass(from: &TcpStream, to: &TcpStream) {
    let mut from = from.try_clone().expect("socket");
    let mut to = to.try_clone().expect("socket");
    std::thread::spawn(move || {
        // Whichever side breaks off ends it.
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
}
