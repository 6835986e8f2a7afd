//! Counts tests in what the test runners print.

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub passed: u32,
    pub failed: u32,
}

/// Whose output is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    /// `test result: ok. 12 passed; 0 failed; …`
    Cargo,
    /// `Tests:       1 failed, 12 passed, 13 total`
    Jest,
    /// `  12 passed (3.4s)` and `  1 failed`
    Playwright,
}

impl Tally {
    /// Adds what a line of output says.
    pub(crate) fn count(&mut self, report: Report, line: &str) {
        let line = without_colours(line);
        let line = line.trim();
        let relevant = match report {
            Report::Cargo => line.starts_with("test result:"),
            Report::Jest => line.starts_with("Tests:"),
            Report::Playwright => {
                let mut words = line.split_whitespace();
                words.next().is_some_and(|word| word.parse::<u32>().is_ok())
                    && words
                        .next()
                        .is_some_and(|word| word == "passed" || word == "failed")
            }
        };
        if relevant {
            self.passed += number_before(line, "passed");
            self.failed += number_before(line, "failed");
        }
    }
}

fn number_before(line: &str, label: &str) -> u32 {
    let words: Vec<&str> = line
        .split([' ', ',', ';', '.'])
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .find(|pair| pair[1] == label)
        .and_then(|pair| pair[0].parse().ok())
        .unwrap_or(0)
}

fn without_colours(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = after.split_once('m').map_or("", |(_, tail)| tail);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runner_is_counted() {
        let mut tally = Tally::default();
        tally.count(
            Report::Cargo,
            "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured",
        );
        tally.count(
            Report::Jest,
            "\u{1b}[1mTests:\u{1b}[22m       2 failed, 30 passed, 32 total",
        );
        tally.count(Report::Playwright, "  7 passed (3.4s)");
        tally.count(Report::Playwright, "  1 failed");
        tally.count(Report::Cargo, "test ten_passed ... ok");
        assert_eq!(
            tally,
            Tally {
                passed: 49,
                failed: 4
            }
        );
    }
}
