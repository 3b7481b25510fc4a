//! Markdown tables, and numbers as they stand in them.

use std::fmt::{self, Write};

use crate::Spread;

/// A table: who in the first column, figures in the others.
#[derive(Clone, Debug)]
pub struct Table {
    titles: Vec<String>,
    rows: Vec<String>,
    notes: Vec<String>,
}

impl Table {
    /// An empty table with these titles after `who`.
    #[must_use]
    pub fn new(titles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { titles: titles.into_iter().map(Into::into).collect(), rows: Vec::new(), notes: Vec::new() }
    }

    /// A participant and what stands in its columns; what was not measured is a dash.
    pub fn row(&mut self, who: &str, cells: impl IntoIterator<Item = Option<String>>) {
        let mut line = format!("| {who} |");
        for cell in cells {
            write!(line, " {} |", cell.as_deref().unwrap_or("–")).expect("writing to a string does not fail");
        }
        self.rows.push(line);
    }

    /// A participant of whom there is nothing to show, and why: told below the table.
    pub fn missing(&mut self, who: &str, reason: &str) {
        self.notes.push(format!("{who} not measured: {reason}"));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.titles.is_empty() {
            f.write_str("| who |")?;
            self.titles.iter().try_for_each(|title| write!(f, " {title} |"))?;
            f.write_str("\n|---|")?;
            self.titles.iter().try_for_each(|_| f.write_str("---:|"))?;
            f.write_str("\n")?;
        }
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        if !self.notes.is_empty() && !self.titles.is_empty() {
            f.write_str("\n")?;
        }
        self.notes.join("\n\n").lines().try_for_each(|note| writeln!(f, "{note}"))
    }
}

impl Spread {
    /// The median with so many digits, and the extremes in brackets.
    #[must_use]
    pub fn text(&self, digits: usize) -> String {
        let [median, min, max] = [self.median, self.min, self.max].map(|value| number(value, digits));
        format!("{median} ({min}–{max})")
    }

    /// The same, with the extremes only where they differ.
    #[must_use]
    pub fn short(&self, digits: usize) -> String {
        let is_one = number(self.min, digits) == number(self.max, digits);
        if is_one { number(self.median, digits) } else { self.text(digits) }
    }
}

/// A number of so many digits, without a minus sign before a zero.
#[must_use]
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|char| matches!(char, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_without_a_sign() {
        assert_eq!([number(-0.001, 2), number(-0.006, 2), number(1.5, 0)], ["0.00", "-0.01", "2"]);
    }

    #[test]
    fn a_spread_is_shown_where_the_rounds_differ() {
        let spread = |min, max| Spread { median: 1.5, min, max };
        assert_eq!(spread(1.25, 2.0).short(1), "1.5 (1.2–2.0)");
        assert_eq!(spread(1.5, 1.5).short(2), "1.50");
        assert_eq!(spread(1.5, 1.5).text(1), "1.5 (1.5–1.5)");
    }

    #[test]
    fn a_table_says_who_has_what_and_who_has_nothing() {
        let mut table = Table::new(["CPU, s", "output, MB"]);
        table.missing("inferno", "no input");
        table.row("calor 0.1.0", [Some("0.5".to_owned()), None]);
        let expect = "| who | CPU, s | output, MB |\n|---|---:|---:|\n| calor 0.1.0 | 0.5 | – |\n\n\
                      inferno not measured: no input\n";
        assert_eq!(table.to_string(), expect);
    }
}
