//! What stands in a file of the corpus: one JSON object per line.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A family of routes.
pub(super) struct File {
    /// The name of the settings that it is about.
    pub(super) settings: String,
    pub(super) lines: Vec<Line>,
}

#[derive(Deserialize, Serialize)]
struct Head {
    settings: String,
}

/// A line after the first.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Line {
    /// What follows begins without any user.
    Scenario(Scenario),
    Step(Box<Step>),
}

/// The name of what follows.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) scenario: String,
}

impl Line {
    fn parse(text: &str) -> serde_json::Result<Self> {
        if text.starts_with(r#"{"scenario""#) {
            return serde_json::from_str(text).map(Self::Scenario);
        }
        serde_json::from_str(text).map(Self::Step)
    }
}

/// A request and how it was answered. `{{name}}` stands for what an earlier answer said,
/// `{{totp:name}}` for the code of that secret, `{{9*x}}` for nine times that letter.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// Method and path.
    pub(super) ask: String,
    /// Who asks: `anon`, `service`, a token, claims to sign, or the whole `Authorization`.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub(super) caller: Option<Value>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Box<RawValue>>,
    /// A body that is no JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<String>,
    /// What to remember of the answer: a JSON pointer, or `location:` and a parameter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) save: BTreeMap<String, String>,
    /// What upstream said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Answer>,
    /// Where this service says something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) ours: Vec<Ours>,
}

/// A difference on purpose.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ours {
    /// The JSON pointer to what differs.
    pub(super) at: String,
    /// The first cell of the row that says why.
    pub(super) row: String,
    /// What is there instead; nothing if nothing is.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) is: Option<Value>,
}

/// A value that is there, `null` too.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// An answer, with what differs each time replaced.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    /// A JSON body, letter by letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Box<RawValue>>,
    /// Any other body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

impl fmt::Display for Answer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&serde_json::to_string(self).unwrap())
    }
}

impl Step {
    /// What is wrong with our answer, if anything.
    pub(super) fn judge(&self, ours: &Answer) -> Option<String> {
        let upstream = self.answer.as_ref();
        let upstream = upstream.expect("no answer: `cargo x record-auth`");
        let ask = &self.ask;
        if self.ours.is_empty() {
            let (upstream, ours) = (upstream.to_string(), ours.to_string());
            let is_same = upstream == ours;
            return (!is_same).then(|| format!("{ask}\n  upstream {upstream}\n  ours     {ours}"));
        }
        let mut wrong = Vec::new();
        let mut expected = serde_json::to_value(upstream).unwrap();
        let ours = serde_json::to_value(ours).unwrap();
        for Ours { at, is, .. } in &self.ours {
            if expected.pointer(at) == ours.pointer(at) {
                wrong.push(format!("no difference at {at} any more"));
            }
            replace(&mut expected, at, is.as_ref());
        }
        if expected != ours {
            wrong.push(format!("expected {expected}\n  ours     {ours}"));
        }
        (!wrong.is_empty()).then(|| format!("{ask}\n  {}", wrong.join("\n  ")))
    }
}

/// Puts something, or nothing, in place of what a pointer leads to.
fn replace(document: &mut Value, at: &str, is: Option<&Value>) {
    let (parent, name) = at.rsplit_once('/').unwrap();
    match (document.pointer_mut(parent).unwrap(), is) {
        (Value::Object(members), Some(is)) => {
            members.insert(name.to_owned(), is.clone());
        }
        (Value::Object(members), None) => {
            members.remove(name);
        }
        (other, is) => *other.pointer_mut(&format!("/{name}")).unwrap() = is.unwrap().clone(),
    }
}

impl File {
    pub(super) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let head: Head = serde_json::from_str(lines.next().unwrap()).unwrap();
        let lines = lines.enumerate().map(|(index, line)| {
            let parsed = Line::parse(line);
            parsed.unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), index + 2))
        });
        Self {
            settings: head.settings,
            lines: lines.collect(),
        }
    }

    /// The lines with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.lines
            .iter()
            .enumerate()
            .map(|(index, line)| (index + 2, line))
    }
}

impl fmt::Display for File {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = Head {
            settings: self.settings.clone(),
        };
        writeln!(out, "{}", serde_json::to_string(&head).unwrap())?;
        for line in &self.lines {
            writeln!(out, "{}", serde_json::to_string(line).unwrap())?;
        }
        Ok(())
    }
}
