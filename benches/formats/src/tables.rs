//! Markdown tables, one a case. A table has the columns that somebody in it has figures for.

use std::fmt::Write;

use harness::{Results, Table};

use crate::arguments::Arguments;
use crate::case::Case;

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
        write!(out, "\n## {}\n\n{}\n\n{}", case.name, case.about, table(case, results))
            .expect("writing to a string does not fail");
    }
    out
}

fn table(case: &'static Case, results: &Results) -> Table {
    let columns: Vec<_> = COLUMNS
        .iter()
        .filter(|column| case.jobs.iter().any(|job| results.spread(case.name, job.who, column.0).is_some()))
        .collect();
    let is_compared = case.jobs.len() > 1 && !columns.is_empty();
    let mut table =
        Table::new(columns.iter().map(|column| column.1).chain(is_compared.then_some("CPU x calor")));
    for job in case.jobs {
        if let Some(reason) = results.failure(case.name, job.who) {
            table.missing(job.who, reason);
            continue;
        }
        let figures = columns.iter().map(|&&(name, _, digits)| {
            results.spread(case.name, job.who, name).map(|spread| spread.short(digits))
        });
        let ratio = is_compared
            .then(|| results.ratio(case.name, (job.who, "calor"), "cpu_s").map(|spread| spread.short(2)));
        let who = format!("{} {}", job.who, job.version().unwrap_or_default());
        table.row(&who, figures.chain(ratio));
    }
    table
}
