//! Rules for single fields. The database checks them again, for whoever writes to it directly.

use sha2::{Digest, Sha256};

use crate::error::{Error, FieldProblem};

/// Longest key, characters.
const KEY_LIMIT: usize = 64;
/// Largest template, bytes.
pub(crate) const TEMPLATE_LIMIT: usize = 256 * 1024;
/// Most tags of a prompt.
const TAGS_LIMIT: usize = 20;
/// Longest tag, characters.
const TAG_LIMIT: usize = 32;

const KEY_MESSAGE: &str = "Only lowercase letters, numbers, and hyphens allowed";

/// Everything wrong with a request, so that a form can show it all at once.
#[derive(Default)]
pub(crate) struct Problems(Vec<FieldProblem>);

impl Problems {
    pub(crate) fn add(&mut self, field: &'static str, message: impl Into<String>) {
        self.0.push(FieldProblem {
            field,
            message: message.into(),
        });
    }

    /// Fails unless nothing was wrong.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.0))
        }
    }

    /// A line of text that must not be empty; trimmed.
    pub(crate) fn line(&mut self, field: &'static str, text: &str, longest: usize) -> String {
        let text = text.trim();
        if text.is_empty() {
            self.add(field, "is required");
        }
        self.text(field, text, longest)
    }

    /// A text that may be empty.
    pub(crate) fn text(&mut self, field: &'static str, text: &str, longest: usize) -> String {
        if text.chars().count() > longest {
            self.add(field, format!("must have at most {longest} characters"));
        }
        self.no_nul(field, text);
        text.to_owned()
    }

    pub(crate) fn no_nul(&mut self, field: &'static str, text: &str) {
        if text.contains('\0') {
            self.add(field, "must not contain NUL characters");
        }
    }

    pub(crate) fn key(&mut self, key: &str) {
        if let Err(message) = check_key(key) {
            self.add("key", message);
        }
    }

    /// A template as it will be stored.
    pub(crate) fn template(&mut self, template: &str) -> String {
        let stored = stored_template(template);
        if stored.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
            self.add("template", "is required");
        }
        if stored.len() > TEMPLATE_LIMIT {
            self.add("template", "must have at most 256 KiB");
        }
        self.no_nul("template", &stored);
        stored
    }

    /// Tags trimmed, without empty ones and repetitions.
    pub(crate) fn tags(&mut self, tags: Vec<String>) -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        for tag in tags {
            // The same characters as the database's btrim, so that both store the same.
            let tag = tag.trim_matches(' ');
            if !tag.is_empty() && !kept.iter().any(|known| known == tag) {
                kept.push(tag.to_owned());
            }
        }
        if kept.len() > TAGS_LIMIT {
            self.add("tags", format!("must be at most {TAGS_LIMIT}"));
        }
        if kept.iter().any(|tag| tag.chars().count() > TAG_LIMIT) {
            self.add(
                "tags",
                format!("must have at most {TAG_LIMIT} characters each"),
            );
        }
        for tag in &kept {
            self.no_nul("tags", tag);
        }
        kept
    }
}

/// Words of lower-case letters and digits joined by single hyphens; `new` is a page of the app.
pub(crate) fn check_key(key: &str) -> Result<(), &'static str> {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    if key.is_empty() {
        return Err("is required");
    }
    if key.len() > KEY_LIMIT {
        return Err("must have at most 64 characters");
    }
    if !key.split('-').all(word) {
        return Err(KEY_MESSAGE);
    }
    if key == "new" {
        Err("\"new\" is reserved")
    } else {
        Ok(())
    }
}

/// Line endings are normalised once, on save.
pub(crate) fn stored_template(template: &str) -> String {
    template.replace("\r\n", "\n")
}

/// SHA-256 of a stored template in lower-case hexadecimal.
pub(crate) fn content_hash(template: &str) -> String {
    hex::encode(Sha256::digest(template.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_words_joined_by_hyphens() {
        for good in [
            "a",
            "welcome-email",
            "gpt-4",
            "0",
            &"a".repeat(64),
            "versions",
            "archive",
        ] {
            assert_eq!(check_key(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "-",
            "a-",
            "-a",
            "a--b",
            "A",
            "a_b",
            "é",
            "a b",
            "new",
            "a\n",
            &"a".repeat(65),
        ] {
            assert!(check_key(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn tags_are_cleaned() {
        let mut problems = Problems::default();
        let given = ["b", " a ", "", "a", "B"].map(str::to_owned).to_vec();
        assert_eq!(problems.tags(given), ["b", "a", "B"]);
        problems.finish().unwrap();
    }
}
