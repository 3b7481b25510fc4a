//! The closing table of a test run: what ran, how it came out, how long it took.

use std::fmt::Write as _;
use std::time::Duration;

use super::step::StepOutcome;

pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) outcome: StepOutcome,
    pub(super) time: Option<Duration>,
}

pub(super) fn n_failed(rows: &[Row]) -> usize {
    rows.iter().filter(|row| matches!(row.outcome, StepOutcome::Failed(_))).count()
}

pub(super) fn render(rows: &[Row]) -> String {
    let mut text = format!("{:<16}{:<10}{:>9}\n", "step", "outcome", "time");
    for row in rows {
        let (outcome, why) = match &row.outcome {
            StepOutcome::Passed => ("passed", ""),
            StepOutcome::Partly(what) => ("partly", what.as_str()),
            StepOutcome::Failed(why) => ("failed", why.as_str()),
            StepOutcome::Skipped(why) => ("skipped", why.as_str()),
            StepOutcome::NotRun => ("not run", ""),
        };
        let time = row.time.map_or_else(|| "-".to_owned(), |time| format!("{:.1} s", time.as_secs_f64()));
        let line = format!("{:<16}{outcome:<10}{time:>9}  {why}", row.name);
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    }
    let has_passed = |row: &&Row| matches!(row.outcome, StepOutcome::Passed | StepOutcome::Partly(_));
    let n_passed = rows.iter().filter(has_passed).count();
    writeln!(text, "\n{n_passed} passed, {} failed", n_failed(rows))
        .expect("writing to a string cannot fail");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_what_passed_and_what_failed() {
        let row = |name, outcome| Row { name, outcome, time: Some(Duration::from_millis(1_250)) };
        let rows = [
            row("tidy", StepOutcome::Passed),
            row("build", StepOutcome::Failed("`cargo build` ended with exit status: 101".to_owned())),
            row("rust-tests", StepOutcome::Partly("2 could not run: valgrind 2".to_owned())),
            row("licences", StepOutcome::Skipped("not installed".to_owned())),
            Row { name: "later", outcome: StepOutcome::NotRun, time: None },
        ];
        let expect = "\
step            outcome        time
tidy            passed        1.2 s
build           failed        1.2 s  `cargo build` ended with exit status: 101
rust-tests      partly        1.2 s  2 could not run: valgrind 2
licences        skipped       1.2 s  not installed
later           not run           -

2 passed, 1 failed
";
        assert_eq!(render(&rows), expect);
    }
}
