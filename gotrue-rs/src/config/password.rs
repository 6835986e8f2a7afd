//! What a password must be like.

use platform::env::Reader;

/// Nothing shorter is ever accepted.
const SHORTEST: usize = 6;
/// Bcrypt uses no more.
pub(crate) const LONGEST: usize = 72;

/// The password policy.
#[derive(Debug)]
pub(crate) struct PasswordConfig {
    /// `GOTRUE_PASSWORD_MIN_LENGTH` (at least 6), bytes.
    pub(crate) min_length: usize,
    /// `GOTRUE_PASSWORD_REQUIRED_CHARACTERS`: sets separated by `:`, of each of which one
    /// character is needed; `\:` is a colon.
    pub(crate) required_characters: Vec<String>,
}

impl PasswordConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let sets = env.string_or("GOTRUE_PASSWORD_REQUIRED_CHARACTERS", "");
        Self {
            min_length: min_length(env),
            required_characters: character_sets(&sets),
        }
    }
}

fn min_length(env: &Reader<'_>) -> usize {
    let name = "GOTRUE_PASSWORD_MIN_LENGTH";
    let length = env.number_within(name, SHORTEST, &(SHORTEST..=usize::MAX));
    if length > LONGEST {
        env.problem(
            name,
            &format!("must be at most {LONGEST}, as no password may be longer"),
        );
    }
    length
}

/// Splits at colons, except at escaped ones; a set that ends in a backslash goes on.
fn character_sets(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut sets = vec![String::new()];
    let mut symbols = text.chars().peekable();
    while let Some(symbol) = symbols.next() {
        match (symbol, symbols.peek()) {
            ('\\', Some(':')) => {
                symbols.next();
                push(&mut sets, ':');
            }
            (':', _) => sets.push(String::new()),
            (other, _) => push(&mut sets, other),
        }
    }
    sets
}

fn push(sets: &mut [String], symbol: char) {
    if let Some(set) = sets.last_mut() {
        set.push(symbol);
    }
}

#[cfg(test)]
mod tests {
    use super::character_sets;

    #[test]
    fn sets_are_split_at_colons_that_are_not_escaped() {
        assert_eq!(character_sets("abc:123"), ["abc", "123"]);
        assert_eq!(character_sets("abc:!@\\:#:123"), ["abc", "!@:#", "123"]);
        assert!(character_sets("").is_empty());
    }
}
