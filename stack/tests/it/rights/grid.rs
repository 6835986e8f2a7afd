//! Tables of text whose columns stand one below the other.

use std::fmt::Write as _;

/// A table with a title.
pub(super) struct Grid {
    title: &'static str,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table with these headings.
    pub(super) fn new<S: Into<String>>(
        title: &'static str,
        headings: impl IntoIterator<Item = S>,
    ) -> Self {
        let headings = headings.into_iter().map(Into::into).collect();
        Self {
            title,
            rows: vec![headings],
        }
    }

    /// Adds a row; what is empty is shown as a dot.
    pub(super) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Writes it below what is there.
    pub(super) fn write(&self, text: &mut String) {
        let _ = writeln!(text, "\n## {}\n", self.title);
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows
                    .iter()
                    .map(|row| shown(row, column).chars().count())
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        for row in &self.rows {
            let cells = (0..row.len())
                .map(|column| format!("{:<width$}", shown(row, column), width = widths[column]));
            let line: Vec<String> = cells.collect();
            let _ = writeln!(text, "{}", line.join("  ").trim_end());
        }
    }
}

fn shown(row: &[String], column: usize) -> &str {
    match row.get(column).map(String::as_str) {
        Some("") => ".",
        Some(cell) => cell,
        None => "",
    }
}
