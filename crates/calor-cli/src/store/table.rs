//! Saved runs for people: one line each.

use calor_analysis::quantity::duration;
use calor_store::{Revision, SavedRun};
use calor_wire::utc;

use crate::project;

/// Between two columns.
const GAP: &str = "  ";
/// How much of a commit is shown; git shows as much.
const COMMIT: usize = 7;
/// Columns of numbers stand to the right.
const RIGHT: [&str; 2] = ["TIME", "CPU"];

/// Runs in a table that is as wide as the terminal.
pub(crate) fn runs(runs: &[SavedRun], width: usize) -> String {
    let heading = ["ID", "SAVED (UTC)", "NAME", "RECORDED", "TIME", "CPU", "COMMIT", "BRANCH", "LABELS"];
    let rows: Vec<Vec<String>> = runs.iter().map(row).collect();
    self::rows(&heading, &rows, width)
}

fn row(run: &SavedRun) -> Vec<String> {
    let time = |nanos: Option<u64>| nanos.map(|nanos| duration(nanos as f64)).unwrap_or_default();
    let baselines = run.baselines.iter().map(|name| format!("baseline:{name}"));
    let labels = run.labels.iter().map(|(key, value)| format!("{key}={value}"));
    vec![
        run.id.to_string(),
        minute(run.saved_at_unix_nanos),
        run.name.clone(),
        run.recorders.join("+"),
        time(run.totals.duration_nanos),
        time(run.totals.cpu_nanos),
        commit(&run.revision),
        run.revision.branch.clone().unwrap_or_default(),
        baselines.chain(labels).collect::<Vec<_>>().join(" "),
    ]
}

/// Rows under a heading; columns in which no row has anything are left out, and lines are cut at `width`.
pub(crate) fn rows(heading: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let letters = |text: &str| text.chars().count();
    let shown: Vec<(usize, usize)> = (0..heading.len())
        .filter(|column| rows.iter().any(|row| !row[*column].is_empty()))
        .map(|column| {
            let widest = rows.iter().map(|row| letters(&row[column])).max().unwrap_or(0);
            (column, widest.max(letters(heading[column])))
        })
        .collect();
    let heading: Vec<String> = heading.iter().map(|&word| word.to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(&heading).chain(rows) {
        let cells = shown.iter().map(|&(column, widest)| match RIGHT.contains(&heading[column].as_str()) {
            true => format!("{:>widest$}", row[column]),
            false => format!("{:<widest$}", row[column]),
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        let line = line.trim_end();
        match line.char_indices().nth(width.max(20)) {
            Some(_) => text.extend(line.chars().take(width.max(20) - 1).chain(['…'])),
            None => text += line,
        }
        text.push('\n');
    }
    text
}

/// A time to the minute.
pub(crate) fn minute(unix_nanos: u64) -> String {
    let text = utc(unix_nanos).unwrap_or_default();
    text.get(..16).unwrap_or_default().replace('T', " ")
}

/// A commit as short as git shows it; a star says that files were changed.
pub(crate) fn commit(revision: &Revision) -> String {
    let star = if revision.is_dirty == Some(true) { "*" } else { "" };
    let short = revision.commit.as_deref().map(|commit| commit.chars().take(COMMIT).collect::<String>());
    short.map(|short| short + star).unwrap_or_default()
}

/// Who is at the keyboard.
pub(crate) fn user() -> Option<String> {
    project::current().environment().user.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_content_are_left_out_and_long_lines_are_cut() {
        let row = |words: [&str; 3]| words.map(str::to_owned).to_vec();
        let table = [row(["abc", "", "1 s"]), row(["a", "", "12 s"])];
        assert_eq!(rows(&["ID", "NAME", "TIME"], &table, 80), "ID   TIME\nabc   1 s\na    12 s\n");
        let long = [row([&"x".repeat(50), "", ""])];
        assert_eq!(rows(&["ID", "NAME", "TIME"], &long, 20), format!("ID\n{}…\n", "x".repeat(19)));
    }

    #[test]
    fn a_changed_commit_has_a_star() {
        let revision = Revision { commit: Some("0123456789".to_owned()), branch: None, is_dirty: Some(true) };
        assert_eq!(commit(&revision), "0123456*");
        assert_eq!(commit(&Revision::default()), "");
        assert_eq!(minute(1_763_217_765_000_000_000), "2025-11-15 14:42");
    }
}
