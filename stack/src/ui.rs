//! Everything the command line prints: progress, results, errors.
//!
//! Results go to standard output, progress and errors to standard error, so that
//! `wildfire status -o env > .env` holds nothing else. A reader that went away is
//! no reason to fail. Texts name commands as `` `wildfire stop` ``; they are printed as whoever
//! reads them can type them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufRead, IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::time::Instant;

use platform::env::{Secret, Vars};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// How texts begin a command of this program.
const COMMAND: &str = "`wildfire ";

/// What this process was called as.
static PROGRAM: OnceLock<String> = OnceLock::new();

/// Longest line that is typed unseen, bytes.
const LONGEST_LINE: usize = 4096;

const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const CTRL_U: u8 = 0x15;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7F;

/// How a note begins.
const NOTE: &str = "·";

/// How a warning begins.
const WARNING: &str = "!";

/// Where and how to print.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    colour: bool,
    /// What to type for this program: `wildfire`, a path, or what stands in front of it.
    program: &'static str,
}

/// The outcome of one check of `wildfire doctor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As it should be.
    Good,
    /// Works, but somebody should know.
    Note,
    /// Does not work.
    Bad,
}

/// The variable in which whoever starts this program says under which name.
pub(crate) const CALLED_AS: &str = "WILDFIRE_CALLED_AS";

impl Ui {
    /// Colours on a terminal, unless `NO_COLOR` is set.
    /// Who starts this program under a name of its own, such as `cargo x`, says so in
    /// [`CALLED_AS`].
    pub fn detect(vars: &Vars) -> Self {
        let refused = vars.get("NO_COLOR").is_some();
        let typed = || std::env::args_os().next().map(|path| as_word(&path));
        let called = vars.get(CALLED_AS).map(str::to_owned);
        let called = called.or_else(typed);
        Self {
            colour: io::stderr().is_terminal() && !refused,
            program: PROGRAM.get_or_init(|| called.unwrap_or_else(|| "wildfire".to_owned())),
        }
    }

    /// One line of a result.
    pub fn result(self, text: &str) {
        _ = writeln!(io::stdout(), "{}", as_typed(self.program, text));
    }

    /// A result that ends its own lines.
    pub fn raw(self, text: &str) {
        let mut out = io::stdout();
        _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Something that happened and needs no reaction.
    pub fn note(self, text: &str) {
        self.line(&format!("{} {text}", self.paint("2", NOTE)));
    }

    /// Something somebody should know.
    pub fn warn(self, text: &str) {
        self.line(&format!("{} {text}", self.paint("33", WARNING)));
    }

    /// The notes and warnings among what another process printed where nobody was watching.
    pub fn repeat_remarks(self, output: &str) {
        for line in output.lines() {
            match line.split_once(' ') {
                Some((NOTE, text)) => self.note(text),
                Some((WARNING, text)) => self.warn(text),
                _ => {}
            }
        }
    }

    /// Why a command failed.
    pub fn error(self, text: &str) {
        self.line(&format!("{} {text}", self.paint("31;1", "error:")));
    }

    /// A step that is done, with the time it took.
    pub fn done(self, what: &str, since: Instant) {
        let seconds = since.elapsed().as_secs_f64();
        let time = self.paint("2", &format!("({seconds:.2} s)"));
        self.line(&format!("{} {what} {time}", self.paint("32", "✓")));
    }

    /// One check of `wildfire doctor`.
    pub fn check(self, mark: Mark, what: &str, advice: Option<&str>) {
        let sign = match mark {
            Mark::Good => self.paint("32", "ok  "),
            Mark::Note => self.paint("33", "note"),
            Mark::Bad => self.paint("31;1", "FAIL"),
        };
        self.result(&format!("{sign}  {what}"));
        if let Some(advice) = advice {
            self.result(&format!("      → {advice}"));
        }
    }

    /// A heading over labelled values, in a frame when somebody is watching.
    pub fn panel(self, heading: &str, rows: &[(&str, String)], footer: &[String]) {
        let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        let rule = self.paint("2", &"─".repeat(64));
        self.line(&format!("\n{}\n{rule}", self.paint("1", heading)));
        for (label, value) in rows {
            let label = self.paint("2", &format!("{label:>width$}"));
            self.line(&format!("  {label}  {value}"));
        }
        self.line(&rule);
        for line in footer {
            self.line(&format!("  {line}"));
        }
        self.line("");
    }

    /// Asks a yes/no question; anything but yes is no, and so is no terminal.
    pub fn confirm(self, question: &str) -> bool {
        if !io::stdin().is_terminal() {
            return false;
        }
        _ = write!(io::stderr(), "{question} [y/N] ");
        let mut answer = String::new();
        _ = io::stdin().read_line(&mut answer);
        matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Asks for something that is not shown while it is typed; `None` without a terminal, or if Ctrl-C
    /// answers.
    pub fn ask_secret(self, question: &str) -> Option<Secret<String>> {
        let input = io::stdin();
        let shown = tcgetattr(&input).ok()?;
        let mut hidden = shown.clone();
        // No key is a signal: that would end the program with a terminal that goes on hiding.
        hidden.make_raw();
        tcsetattr(&input, OptionalActions::Flush, &hidden).ok()?;
        _ = write!(io::stderr(), "{question}: ");
        let typed = typed_line(input.lock());
        _ = tcsetattr(&input, OptionalActions::Flush, &shown);
        _ = writeln!(io::stderr());
        typed.map(|text| Secret::from(text.as_str()))
    }

    /// Where work is, on a line that the next one replaces; only when somebody watches.
    pub fn progress(self, text: Option<&str>) {
        if io::stderr().is_terminal() {
            _ = write!(io::stderr(), "\r\u{1b}[K{}", text.unwrap_or_default());
        }
    }

    fn line(self, text: &str) {
        _ = writeln!(io::stderr(), "{}", as_typed(self.program, text));
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// What is typed until Enter, on a terminal that leaves every key to its reader; `None` after Ctrl-C or
/// the end.
fn typed_line(keys: impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    for key in keys.bytes() {
        match key.ok()? {
            b'\r' | b'\n' => return String::from_utf8(line).ok(),
            CTRL_C | CTRL_D => return None,
            CTRL_U => line.clear(),
            BACKSPACE | DELETE => {
                // A letter may be several bytes, of which the first looks different.
                while line.pop().is_some_and(|byte| byte & 0xC0 == 0x80) {}
            }
            byte if byte != b'\t' && byte.is_ascii_control() => {}
            byte if line.len() < LONGEST_LINE => line.push(byte),
            _ => return None,
        }
    }
    None
}

/// The text with commands as they can be typed for a program that was called so.
fn as_typed<'a>(program: &str, text: &'a str) -> Cow<'a, str> {
    if program == "wildfire" {
        return text.into();
    }
    text.replace(COMMAND, &format!("`{program} ")).into()
}

/// A path as shells read it back; what is not Unicode cannot be printed.
fn as_word(path: &OsStr) -> String {
    let path = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(is_plain) {
        path.into_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn a_program_is_named_as_a_shell_finds_it() {
        let cases: [(&[u8], &str); 4] = [
            (b"target/release/wildfire", "target/release/wildfire"),
            (b"/My Tools/wildfire", "'/My Tools/wildfire'"),
            (b"/it's/wildfire", r"'/it'\''s/wildfire'"),
            (b"/\xff/wildfire", "'/\u{fffd}/wildfire'"),
        ];
        for (path, expected) in cases {
            assert_eq!(as_word(OsStr::from_bytes(path)), expected);
        }
    }

    #[test]
    fn what_is_typed_unseen_ends_with_enter_and_can_be_corrected() {
        for (keys, expected) in [
            ("a b\tc\r", Some("a b\tc")),
            ("first\nsecond\n", Some("first")),
            ("\r", Some("")),
            ("käse\u{7f}\u{7f}\u{8}e\r", Some("ke")),
            ("\u{7f}a\r", Some("a")),
            ("wrong\u{15}right\r", Some("right")),
            ("a\u{1a}\u{1b}b\r", Some("ab")),
            ("half\u{3}\r", None),
            ("half\u{4}", None),
            ("half", None),
        ] {
            assert_eq!(typed_line(keys.as_bytes()).as_deref(), expected, "{keys:?}");
        }
        assert_eq!(typed_line(io::BufReader::new(io::repeat(b'a'))), None);
    }

    #[test]
    fn commands_are_printed_as_their_reader_can_type_them() {
        let text = "Stop it with `wildfire stop`, or look at `wildfire status -o env`.";
        for (called, expected) in [
            ("wildfire", text),
            (
                "cargo x",
                "Stop it with `cargo x stop`, or look at `cargo x status -o env`.",
            ),
            (
                "target/release/wildfire",
                "Stop it with `target/release/wildfire stop`, or look at \
                 `target/release/wildfire status -o env`.",
            ),
        ] {
            assert_eq!(as_typed(called, text), expected);
        }
    }
}
