//! How long the steps of whole runs took, kept in `benches/runs/ci.md`: a gate that grows slower a little at a time is
//! noticed there.

use std::path::Path;

use anyhow::Context as _;

use super::table::Row;
use crate::date::Date;
use crate::machine::Machine;

const FILE: &str = "benches/runs/ci.md";

/// Older rows make room.
const MOST_ROWS: usize = 20;

const HEAD: &str = "\
# How long `cargo xtask test` takes

Whole runs, the newest first, as `cargo xtask test --save` adds them. Cold: nothing of the workspace had been built.

| date | commit | machine | build | minutes | steps, in seconds |
|---|---|---|---|---|---|
";

pub(super) fn save(root: &Path, rows: &[Row], is_cold: bool) -> anyhow::Result<()> {
    let path = root.join(FILE);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let machine = Machine::this();
    let row = row(rows, &format!("{}, {} cores", machine.cpu, machine.n_cores), &commit(root), is_cold);
    std::fs::write(&path, page(&before, &row)).with_context(|| format!("cannot write {FILE}"))?;
    eprintln!("the times are in {FILE}");
    Ok(())
}

fn commit(root: &Path) -> String {
    let mut git = std::process::Command::new("git");
    let output = git.args(["rev-parse", "--short=8", "HEAD"]).current_dir(root).output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn row(rows: &[Row], machine: &str, commit: &str, is_cold: bool) -> String {
    let seconds = |row: &Row| row.time.map_or(0.0, |time| time.as_secs_f64());
    let minutes = rows.iter().map(seconds).sum::<f64>() / 60.0;
    let steps: Vec<String> = rows.iter().map(|row| format!("{} {:.0}", row.name, seconds(row))).collect();
    let build = if is_cold { "cold" } else { "warm" };
    let date = Date::today();
    format!("| {date} | {commit} | {machine} | {build} | {minutes:.1} | {} |\n", steps.join(", "))
}

/// The file with one row more.
fn page(before: &str, row: &str) -> String {
    let older = before.lines().filter(|line| line.starts_with("| 2")).take(MOST_ROWS - 1);
    let older: String = older.map(|line| format!("{line}\n")).collect();
    format!("{HEAD}{row}{older}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::step::StepOutcome;
    use super::*;

    #[test]
    fn a_run_is_a_row_with_its_steps() {
        let rows = [("tidy", 2), ("build", 118)].map(|(name, seconds)| Row {
            name,
            outcome: StepOutcome::Passed,
            time: Some(Duration::from_secs(seconds)),
        });
        let row = row(&rows, "Some CPU, 2 cores", "0123abcd", true);
        assert!(
            row.ends_with("| 0123abcd | Some CPU, 2 cores | cold | 2.0 | tidy 2, build 118 |\n"),
            "{row}"
        );
    }

    #[test]
    fn the_newest_stands_first_and_the_oldest_make_room() {
        let mut text = String::new();
        for number in 0..MOST_ROWS + 3 {
            text = page(&text, &format!("| 2026-01-01 | {number} |\n"));
        }
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| 2")).collect();
        assert_eq!((rows.len(), rows[0]), (MOST_ROWS, "| 2026-01-01 | 22 |"));
        assert!(text.starts_with(HEAD));
    }
}
