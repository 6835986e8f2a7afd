//! The table that is printed at the end.

use std::fmt::Write as _;
use std::time::Duration;

use crate::load::Measured;

/// One line of the table.
pub(crate) struct Row {
    name: String,
    figure: String,
    p50: String,
    p99: String,
    limit: String,
    ratio: String,
}

impl Row {
    /// A throughput beside the limit of the machine.
    pub(crate) fn rate(name: &str, measured: &Measured, limit: Option<(f64, &str)>) -> Self {
        let ratio = limit.map(|(limit, _)| format!("{:.0} %", 100.0 * measured.per_second / limit));
        Self {
            name: name.to_owned(),
            figure: format!("{:.0}/s", measured.per_second),
            p50: millis(measured.p50),
            p99: millis(measured.p99),
            limit: limit.map_or_else(
                || "not measured".to_owned(),
                |(limit, what)| format!("{limit:.0}/s {what}"),
            ),
            ratio: ratio.unwrap_or_default(),
        }
    }

    /// A number of bytes beside its target.
    pub(crate) fn size(name: &str, bytes: u64, target: u64) -> Self {
        let mib = |bytes: u64| format!("{:.1} MB", mebibytes(bytes));
        let ratio = format!("{:.0} %", 100.0 * mebibytes(bytes) / mebibytes(target));
        Self::plain(name, mib(bytes), format!("target {}", mib(target)), ratio)
    }

    /// A duration and what it is held against.
    pub(crate) fn time(name: &str, taken: Duration, limit: &str) -> Self {
        Self::plain(name, millis(taken), limit.to_owned(), String::new())
    }

    /// A ratio that has a limit of its own.
    pub(crate) fn times(name: &str, ratio: f64, limit: &str) -> Self {
        Self::plain(
            name,
            format!("{ratio:.1} x"),
            limit.to_owned(),
            String::new(),
        )
    }

    fn plain(name: &str, figure: String, limit: String, ratio: String) -> Self {
        let (p50, p99) = (String::new(), String::new());
        Self {
            name: name.to_owned(),
            figure,
            p50,
            p99,
            limit,
            ratio,
        }
    }

    fn cells(&self) -> [&str; 6] {
        [
            &self.name,
            &self.figure,
            &self.p50,
            &self.p99,
            &self.limit,
            &self.ratio,
        ]
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn millis(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}

/// The rows as a Markdown table.
pub(crate) fn table(rows: &[Row]) -> String {
    let head = ["scenario", "figure", "p50", "p99", "limit", "of limit"];
    let mut widths = head.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row.cells()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut line = |cells: [&str; 6]| {
        for (width, cell) in widths.iter().zip(cells) {
            // Writing to a string cannot fail.
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
    };
    line(head);
    line(["---"; 6]);
    for row in rows {
        line(row.cells());
    }
    text
}
