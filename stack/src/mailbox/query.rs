//! Mailpit's search language, as far as a mailbox for development needs it: `to:`, `from:`, `cc:`,
//! `subject:`, `is:read`, `is:unread`, words and "phrases", each with `-` or `!` for its opposite.

use super::message::{Contact, Summary};

/// Most terms of a search: each is looked for in every mail.
const MOST_TERMS: usize = 20;

/// A parsed search; every term must hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query(Vec<Term>);

#[derive(Debug, PartialEq, Eq)]
struct Term {
    field: Field,
    text: String,
    negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    To,
    From,
    Cc,
    Subject,
    State,
    Anything,
}

const FIELDS: [(&str, Field); 7] = [
    ("to:", Field::To),
    ("addressed:", Field::Anything),
    ("from:", Field::From),
    ("cc:", Field::Cc),
    ("subject:", Field::Subject),
    ("is:", Field::State),
    ("message-id:", Field::Anything),
];

impl Query {
    /// Reads a search; one of too many terms is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let terms: Vec<Term> = split(text).iter().filter_map(|word| term(word)).collect();
        (terms.len() <= MOST_TERMS).then_some(Self(terms))
    }

    /// Whether a mail matches.
    pub(super) fn matches(&self, mail: &Summary) -> bool {
        self.0.iter().all(|term| term.holds(mail) != term.negated)
    }
}

impl Term {
    fn holds(&self, mail: &Summary) -> bool {
        match self.field {
            Field::To => self.is_in_any(&mail.to),
            Field::Cc => self.is_in_any(&mail.cc),
            Field::From => self.is_in(&mail.from),
            Field::Subject => mail.subject.to_lowercase().contains(&self.text),
            Field::State => (self.text == "read") == mail.read,
            Field::Anything => {
                mail.subject.to_lowercase().contains(&self.text)
                    || mail.message_id.to_lowercase().contains(&self.text)
                    || self.is_in(&mail.from)
                    || [&mail.to, &mail.cc, &mail.bcc]
                        .iter()
                        .any(|list| self.is_in_any(list))
                    || mail.searchable.contains(&self.text)
            }
        }
    }

    fn is_in(&self, contact: &Contact) -> bool {
        let Contact { name, address } = contact;
        name.to_lowercase().contains(&self.text) || address.to_lowercase().contains(&self.text)
    }

    fn is_in_any(&self, contacts: &[Contact]) -> bool {
        contacts.iter().any(|contact| self.is_in(contact))
    }
}

fn term(word: &str) -> Option<Term> {
    let (negated, word) = match word.strip_prefix(['-', '!']) {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let lower = word.to_lowercase();
    let (field, text) = FIELDS
        .iter()
        .find_map(|(name, field)| lower.strip_prefix(name).map(|rest| (*field, rest)))
        .unwrap_or((Field::Anything, lower.as_str()));
    let text = text.replace('"', "");
    (!text.is_empty()).then_some(Term {
        field,
        text,
        negated,
    })
}

/// Words, where blanks inside double quotes do not separate.
fn split(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
