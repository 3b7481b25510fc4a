//! Markdown tables, one a case. A table has the columns that somebody in it has figures for.

use std::fmt::Write;

use crate::arguments::Arguments;
use crate::case::Case;
use crate::results::{Results, Spread};

/// Figures, what stands above them, and how many digits they have.
const COLUMNS: [(&str, &str, usize); 18] = [
    ("cpu_s", "CPU, s", 3),
    ("reading_s", "of it reading, s", 3),
    ("input_mb", "input, MB", 1),
    ("output_mb", "output, MB", 3),
    ("paths", "call paths and their beginnings", 0),
    ("stacks", "stacks", 0),
    ("frames", "frames", 0),
    ("peak_mb", "peak memory, MB", 1),
    ("with_file_mb", "peak with the file, MB", 1),
    ("profile_mb", "profile, MB", 1),
    ("x_profile", "peak x profile", 2),
    ("copy_mb", "copy of it, MB", 1),
    ("x_copy", "peak x copy", 2),
    ("paint_ms", "first paint, ms", 0),
    ("drawn_ms", "all drawn, ms", 0),
    ("nodes", "elements", 0),
    ("frame_ms", "median frame, ms", 1),
    ("longest_ms", "longest frame, ms", 1),
];

/// All tables.
pub(crate) fn markdown(arguments: &Arguments, results: &Results) -> String {
    let mut out = format!("# Formats\n\nRounds: {}. ", arguments.rounds);
    out += "Figures are medians over the rounds, with the least and the most in brackets where they differ. ";
    out += "CPU is of the whole process; peak memory is what comes on top of the input's own bytes.\n";
    for case in &arguments.cases {
        write!(out, "\n## {}\n\n{}\n\n", case.name, case.about).expect(WRITES);
        table(case, results, &mut out);
    }
    out
}

const WRITES: &str = "writing to a string does not fail";

fn table(case: &'static Case, results: &Results, out: &mut String) {
    let columns: Vec<_> = COLUMNS
        .iter()
        .filter(|column| case.jobs.iter().any(|job| results.spread(case.name, job.who, column.0).is_some()))
        .collect();
    let is_compared = case.jobs.len() > 1;
    if !columns.is_empty() {
        *out += "| who |";
        columns.iter().for_each(|column| write!(out, " {} |", column.1).expect(WRITES));
        *out += if is_compared { " CPU x calor |\n|---|" } else { "\n|---|" };
        (0..columns.len() + usize::from(is_compared)).for_each(|_| *out += "---:|");
        *out += "\n";
    }
    for job in case.jobs {
        if let Some(reason) = results.failure(case.name, job.who) {
            let reason = reason.lines().next().unwrap_or_default();
            writeln!(out, "{} not measured: {reason}", job.who).expect(WRITES);
            continue;
        }
        write!(out, "| {} {} |", job.who, job.version().unwrap_or_default()).expect(WRITES);
        for &&(name, _, digits) in &columns {
            let spread = results.spread(case.name, job.who, name);
            write!(out, " {} |", cell(spread, digits)).expect(WRITES);
        }
        if is_compared {
            write!(out, " {} |", cell(results.ratio(case.name, (job.who, "calor"), "cpu_s"), 2))
                .expect(WRITES);
        }
        *out += "\n";
    }
}

fn cell(spread: Option<Spread>, digits: usize) -> String {
    let Some(Spread { median, min, max }) = spread else { return "–".to_owned() };
    let [median, min, max] = [median, min, max].map(|value| format!("{value:.digits$}"));
    if min == max { median } else { format!("{median} ({min}–{max})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_shown_where_the_rounds_differ() {
        let spread = |min, max| Some(Spread { median: 1.5, min, max });
        assert_eq!(cell(spread(1.25, 2.0), 1), "1.5 (1.2–2.0)");
        assert_eq!(cell(spread(1.5, 1.5), 2), "1.50");
        assert_eq!(cell(None, 2), "–");
    }
}
