//! A URL taken apart and put together the way Go's `net/url` does it.
//!
//! Redirects go to web pages and to apps (`com.example:/callback`, `exp://127.0.0.1:19000/--/`),
//! and what a client gets back must be its own URL with nothing normalised, which rules the
//! WHATWG parser out.

use std::fmt::{self, Write as _};

use super::query::{Values, hex};

/// A parsed URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) scheme: String,
    /// What follows the scheme of a URL without slashes, such as `mailto:a@b`.
    opaque: String,
    /// `user:password`, escaped.
    user: Option<String>,
    /// Host and port, unescaped.
    host: String,
    /// The path as written, if Go would keep it so.
    path: Path,
    /// `scheme:/path`, without the slashes of a host.
    omit_host: bool,
    bare_question_mark: bool,
    pub(crate) raw_query: String,
    fragment: Fragment,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Path {
    decoded: Vec<u8>,
    raw: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Fragment {
    decoded: Vec<u8>,
    raw: String,
}

/// The parts of a URL have different sets of characters that stand for themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    User,
    Path,
    Host,
    Fragment,
}

impl Address {
    /// Reads a URL; `None` where Go reports an error.
    pub(crate) fn parse(source: &str) -> Option<Self> {
        let (main, fragment) = match source.split_once('#') {
            Some((main, fragment)) => (main, fragment),
            None => (source, ""),
        };
        if main.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return None;
        }
        let mut address = Self::default();
        let rest = address.read_scheme(main)?;
        let rest = address.read_query(rest);
        address.read_rest(rest)?;
        address.fragment = Fragment {
            decoded: unescape(fragment, Part::Fragment)?,
            raw: fragment.to_owned(),
        };
        Some(address)
    }

    fn read_scheme<'a>(&mut self, source: &'a str) -> Option<&'a str> {
        for (at, c) in source.char_indices() {
            match c {
                'a'..='z' | 'A'..='Z' => {}
                '0'..='9' | '+' | '-' | '.' if at > 0 => {}
                ':' if at == 0 => return None,
                ':' => {
                    self.scheme = source[..at].to_ascii_lowercase();
                    return Some(&source[at + 1..]);
                }
                _ => break,
            }
        }
        Some(source)
    }

    fn read_query<'a>(&mut self, source: &'a str) -> &'a str {
        if let Some(rest) = source.strip_suffix('?')
            && !rest.contains('?')
        {
            self.bare_question_mark = true;
            return rest;
        }
        let (rest, query) = source.split_once('?').unwrap_or((source, ""));
        query.clone_into(&mut self.raw_query);
        rest
    }

    fn read_rest(&mut self, source: &str) -> Option<()> {
        if !source.starts_with('/') {
            if !self.scheme.is_empty() {
                source.clone_into(&mut self.opaque);
                return Some(());
            }
            if source
                .split('/')
                .next()
                .is_some_and(|segment| segment.contains(':'))
            {
                return None;
            }
        }
        let mut path = source;
        let has_host =
            source.starts_with("//") && (!self.scheme.is_empty() || !source.starts_with("///"));
        if has_host {
            let authority = &source[2..];
            let end = authority.find('/').unwrap_or(authority.len());
            self.read_authority(&authority[..end])?;
            path = &authority[end..];
        } else if !self.scheme.is_empty() && source.starts_with('/') {
            self.omit_host = true;
        }
        self.path = Path {
            decoded: unescape(path, Part::Path)?,
            raw: path.to_owned(),
        };
        Some(())
    }

    fn read_authority(&mut self, authority: &str) -> Option<()> {
        let host = match authority.rsplit_once('@') {
            Some((user, host)) => {
                let valid = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
                if !user.chars().all(valid) {
                    return None;
                }
                let escaped = |text| Some(escape(&unescape(text, Part::User)?, Part::User));
                self.user = Some(match user.split_once(':') {
                    Some((name, password)) => format!("{}:{}", escaped(name)?, escaped(password)?),
                    None => escaped(user)?,
                });
                host
            }
            None => authority,
        };
        let port = match host.strip_prefix('[') {
            Some(_) => &host[host.rfind(']')? + 1..],
            None => host.find(':').map_or("", |colon| &host[colon..]),
        };
        if !port.is_empty()
            && !port
                .strip_prefix(':')?
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        {
            return None;
        }
        let decoded = unescape(host, Part::Host)?;
        self.host = String::from_utf8(decoded).ok()?;
        Some(())
    }

    /// The host without port and brackets.
    pub(crate) fn hostname(&self) -> &str {
        let host = self.without_port();
        host.strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host)
    }

    fn without_port(&self) -> &str {
        match self.host.rfind(':') {
            Some(colon) if !self.host[colon..].contains(']') => &self.host[..colon],
            _ => &self.host,
        }
    }

    /// The port as written, empty without one.
    pub(crate) fn port(&self) -> &str {
        let rest = &self.host[self.without_port().len()..];
        rest.strip_prefix(':').unwrap_or(rest)
    }

    /// The query, decoded.
    pub(crate) fn query(&self) -> Values {
        Values::parse(&self.raw_query)
    }

    /// Sets the fragment to text that is already escaped as a query is.
    pub(crate) fn set_fragment(&mut self, fragment: &str) {
        self.fragment = Fragment {
            decoded: fragment.as_bytes().to_vec(),
            raw: String::new(),
        };
    }

    /// This URL with path and query taken from `reference`, an absolute path: Go's
    /// `ResolveReference`, which drops the base's own path.
    pub(crate) fn resolve(&self, reference: &Address) -> Self {
        if !reference.scheme.is_empty() || !reference.host.is_empty() {
            let mut target = reference.clone();
            if target.scheme.is_empty() {
                target.scheme.clone_from(&self.scheme);
            }
            return target;
        }
        let mut target = Self {
            scheme: self.scheme.clone(),
            host: self.host.clone(),
            user: self.user.clone(),
            raw_query: reference.raw_query.clone(),
            fragment: reference.fragment.clone(),
            ..Self::default()
        };
        let base = self.path.escaped();
        let path = reference.path.escaped();
        target.path = Path::of(&resolve_path(&base, &path));
        target
    }
}

impl Path {
    fn of(raw: &str) -> Self {
        let decoded = unescape(raw, Part::Path).unwrap_or_else(|| raw.as_bytes().to_vec());
        Self {
            decoded,
            raw: raw.to_owned(),
        }
    }

    /// The path as written when every character may stand as it does, else escaped anew.
    fn escaped(&self) -> String {
        keep_or_escape(&self.raw, &self.decoded, Part::Path)
    }
}

fn keep_or_escape(raw: &str, decoded: &[u8], part: Part) -> String {
    if !raw.is_empty() && stands_as_written(raw, part) {
        return raw.to_owned();
    }
    if part == Part::Path && decoded == b"*" {
        return "*".to_owned();
    }
    escape(decoded, part)
}

fn stands_as_written(raw: &str, part: Part) -> bool {
    let stands = |byte| b"!$&'()*+,;=:@[]%".contains(&byte) || !needs_escape(byte, part);
    raw.bytes().all(stands)
}

fn resolve_path(base: &str, path: &str) -> String {
    let full = match (path.is_empty(), path.starts_with('/')) {
        (true, _) => base.to_owned(),
        (false, true) => path.to_owned(),
        (false, false) => match base.rfind('/') {
            Some(slash) => format!("{}{path}", &base[..=slash]),
            None => path.to_owned(),
        },
    };
    if full.is_empty() {
        return full;
    }
    let mut segments: Vec<&str> = Vec::new();
    let mut trailing = false;
    for segment in full.trim_start_matches('/').split('/') {
        trailing = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    let slash = if trailing && !segments.is_empty() {
        "/"
    } else {
        ""
    };
    format!("/{}{slash}", segments.join("/"))
}

fn needs_escape(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
        return false;
    }
    let plain: &[u8] = match part {
        Part::User => b"$&+,;=",
        Part::Host => b"!$&'()*+,;=:[]<>\"",
        Part::Path => b"$&+/:;=,@",
        Part::Fragment => b"$&+,/:;=?@!()*",
    };
    !plain.contains(&byte)
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if needs_escape(*byte, part) {
            let _ = write!(out, "%{byte:02X}");
        } else {
            out.push(char::from(*byte));
        }
    }
    out
}

fn unescape(text: &str, part: Part) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let code = hex(rest.next()?)? * 16 + hex(rest.next()?)?;
            // In a host only what is not ASCII may be escaped.
            if part == Part::Host && code < 0x80 {
                return None;
            }
            bytes.push(code);
        } else if part == Part::Host && byte < 0x80 && needs_escape(byte, part) {
            return None;
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            let _ = write!(out, "{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            self.write_hierarchy(&mut out);
        } else {
            out.push_str(&self.opaque);
        }
        if self.bare_question_mark || !self.raw_query.is_empty() {
            let _ = write!(out, "?{}", self.raw_query);
        }
        if !self.fragment.decoded.is_empty() {
            let raw = keep_or_escape(&self.fragment.raw, &self.fragment.decoded, Part::Fragment);
            let _ = write!(out, "#{raw}");
        }
        f.write_str(&out)
    }
}

impl Address {
    fn write_hierarchy(&self, out: &mut String) {
        let path = self.path.escaped();
        let has_authority = !self.host.is_empty() || self.user.is_some();
        let named = !self.scheme.is_empty() || has_authority;
        if named && (has_authority || !(self.omit_host || path.is_empty())) {
            out.push_str("//");
            if let Some(user) = &self.user {
                let _ = write!(out, "{user}@");
            }
            out.push_str(&escape(self.host.as_bytes(), Part::Host));
        }
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            out.push('/');
        }
        if !has_authority && !out.ends_with("//") && path.starts_with("//") {
            // Upstream: lets it become a host.
            out.push_str("/.");
        }
        if out.is_empty()
            && path
                .split('/')
                .next()
                .is_some_and(|first| first.contains(':'))
        {
            out.push_str("./");
        }
        out.push_str(&path);
    }
}
