//! A mail server for the installation under attack: takes every mail, or falls silent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::Failure;

/// The mail server; cloning shares it.
#[derive(Clone)]
pub(crate) struct Sink {
    /// Where it listens.
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    silent: AtomicBool,
    /// The newest mail to each address.
    mails: Mutex<HashMap<String, String>>,
}

impl Sink {
    /// Starts it on a free port.
    pub(crate) async fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&accepting);
                tokio::spawn(async move { shared.converse(stream).await });
            }
        });
        Ok(Self { port, shared })
    }

    /// Falls silent: connections stay open and nothing is answered.
    pub(crate) fn fall_silent(&self) {
        self.shared.silent.store(true, Ordering::Relaxed);
    }

    /// Answers again.
    pub(crate) fn speak(&self) {
        self.shared.silent.store(false, Ordering::Relaxed);
    }

    /// Takes the newest mail to an address, if one came.
    pub(crate) fn take(&self, address: &str) -> Option<String> {
        let mails = self.shared.mails.lock();
        let mut mails = mails.unwrap_or_else(PoisonError::into_inner);
        mails.remove(address)
    }
}

impl Shared {
    async fn converse(&self, stream: TcpStream) -> Option<()> {
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        let mut recipient = String::new();
        self.say(&mut writer, "220 sink").await?;
        while let Some(line) = lines.next_line().await.ok()? {
            let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
            let answer = match verb.as_str() {
                "DATA" => {
                    self.say(&mut writer, "354 go on").await?;
                    let mut mail = String::new();
                    while let Some(line) = lines.next_line().await.ok()?.filter(|line| line != ".")
                    {
                        mail.push_str(&line);
                        mail.push('\n');
                    }
                    let mut mails = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
                    mails.insert(std::mem::take(&mut recipient), mail);
                    "250 taken"
                }
                "RCPT" => {
                    let address = line.split(['<', '>']).nth(1).unwrap_or_default();
                    address.clone_into(&mut recipient);
                    "250 fine"
                }
                "QUIT" => "221 bye",
                _ => "250 fine",
            };
            self.say(&mut writer, answer).await?;
        }
        None
    }

    async fn say(
        &self,
        writer: &mut (impl tokio::io::AsyncWrite + Unpin),
        text: &str,
    ) -> Option<()> {
        if self.silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        writer
            .write_all(format!("{text}\r\n").as_bytes())
            .await
            .ok()
    }
}

/// The six digits of a mail.
pub(crate) fn code(mail: &str) -> Option<String> {
    let body = mail.split_once("\n\n")?.1.replace("=\n", "");
    let is_word = |character: char| character.is_alphanumeric() || "-#_".contains(character);
    let mut words = body.split(|character| !is_word(character));
    words
        .find(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
}
