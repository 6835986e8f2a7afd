//! What a scenario showed, and whether it holds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::attacks::Attack;
use super::honest::{Seen, Series};
use super::tally::is_wrong;

/// How much slower than usual the slowest of a hundred honest requests may be.
const SLOWER: f64 = 20.0;

/// Most memory that may be resident, and how much may stay.
const MEMORY: u64 = 150 << 20;
pub(crate) const MEMORY_LEFT: u64 = 30 << 20;

/// Longest time a lost database may keep anybody waiting.
const OUTAGE: Duration = Duration::from_secs(3);

/// One scenario.
pub(crate) struct Report {
    pub(crate) name: &'static str,
    pub(crate) attack: Attack,
    pub(crate) quiet: Seen,
    pub(crate) during: Seen,
    /// What became of somebody new in the middle of it.
    pub(crate) newcomer: Option<Result<Duration, String>>,
    /// What became of somebody new afterwards.
    pub(crate) healed: Result<Duration, String>,
    /// Acknowledged prompts that are gone.
    pub(crate) lost: usize,
    pub(crate) idle: u64,
    pub(crate) peak: u64,
    pub(crate) after: u64,
    /// What the attacker was answered.
    pub(crate) answers: BTreeMap<String, u64>,
}

impl Report {
    /// Whether everything holds that must.
    pub(crate) fn holds(&self) -> bool {
        self.problems().is_empty()
    }

    /// What does not hold, and what the attacker was answered.
    pub(crate) fn explain(&self) {
        eprintln!("  answers to the attacker: {:?}", self.answers);
        for problem in self.problems() {
            eprintln!("  \u{2717} {problem}");
        }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let kinds = [
            ("GET /user", &self.quiet.user, &self.during.user),
            ("fetch", &self.quiet.fetch, &self.during.fetch),
        ];
        for (what, quiet, during) in kinds {
            let slower = slower(quiet, during);
            if !self.attack.takes_the_database() && slower > SLOWER {
                problems.push(format!("{what}: p99 is {slower:.1} x the quiet p50"));
            }
            if !self.attack.takes_the_database() && !during.refused.is_empty() {
                problems.push(format!("{what}: refused {:?}", during.refused));
            }
        }
        for (what, series) in [
            ("GET /user", &self.during.user),
            ("fetch", &self.during.fetch),
            ("save", &self.during.save),
        ] {
            if !series.wrong.is_empty() {
                problems.push(format!("{what}: {:?}", series.wrong));
            }
        }
        let wrong: Vec<_> = self
            .answers
            .keys()
            .filter(|label| is_wrong(label))
            .collect();
        if !wrong.is_empty() {
            problems.push(format!("answers to the attacker: {wrong:?}"));
        }
        let gap = self.during.fetch.longest_gap;
        if self.attack == Attack::DeadPostgres && gap > OUTAGE {
            problems.push(format!("away for {gap:.1?}"));
        }
        for newcomer in self.newcomer.iter().chain([&self.healed]) {
            if let Err(problem) = newcomer {
                problems.push(format!("somebody new: {problem}"));
            }
        }
        if self.lost > 0 {
            problems.push(format!("{} acknowledged prompts are gone", self.lost));
        }
        if self.peak > MEMORY {
            problems.push(format!("{} MB resident", self.peak >> 20));
        }
        if self.after > self.idle + MEMORY_LEFT {
            let left = (self.after - self.idle) >> 20;
            problems.push(format!("{left} MB more than before are left resident"));
        }
        problems
    }

    fn cells(&self) -> [String; 9] {
        let mib = |bytes: u64| format!("{} MB", bytes >> 20);
        let newcomer = match &self.newcomer {
            None => "cannot come".to_owned(),
            Some(Ok(taken)) => format!("{taken:.0?}"),
            Some(Err(_)) => "did not get in".to_owned(),
        };
        let during = &self.during;
        let refused: u64 = [&during.user, &during.fetch, &during.save]
            .iter()
            .flat_map(|series| series.refused.values())
            .sum();
        [
            self.name.to_owned(),
            times(&self.quiet.user, &during.user),
            times(&self.quiet.fetch, &during.fetch),
            format!(
                "{:.0?}",
                during.user.longest_gap.max(during.fetch.longest_gap)
            ),
            refused.to_string(),
            newcomer,
            format!(
                "{} / {} / {}",
                mib(self.idle),
                mib(self.peak),
                mib(self.after)
            ),
            format!("{} / {}", during.save.served.len(), self.lost),
            if self.holds() { "yes" } else { "no" }.to_owned(),
        ]
    }
}

fn slower(quiet: &Series, during: &Series) -> f64 {
    during.percentile(99).as_secs_f64() / quiet.percentile(50).as_secs_f64()
}

fn times(quiet: &Series, during: &Series) -> String {
    let (p50, p99) = (quiet.percentile(50), during.percentile(99));
    format!("{:.1} x ({p50:.1?}, {p99:.1?})", slower(quiet, during))
}

/// The reports as a Markdown table.
pub(crate) fn table(reports: &[Report]) -> String {
    let mut text = String::from(
        "| scenario | GET /user: p99 / quiet p50 | fetch: p99 / quiet p50 | longest gap | refused \
         | somebody new | memory idle / peak / after | saved / lost | holds |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for report in reports {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} |", report.cells().join(" | "));
    }
    text
}
