//! The Markdown tables: the tools, then one a case.

use std::fmt::Write;

use harness::sampled::Tool;
use harness::{Results, Table};

use crate::arguments::Arguments;
use crate::case::{Case, Kind};
use crate::runner::Versions;

/// Figures, what stands above them, and how many digits they have.
const COLUMNS: [(&str, &str, usize); 21] = [
    ("target_cpu_s", "program's CPU, s", 3),
    ("own_cpu_ms", "tool's own CPU, ms", 0),
    ("own_cpu_pct", "of the program's, %", 1),
    ("end_ms", "end to exit, ms", 0),
    ("samples", "samples", 0),
    ("gemm_pct", "gemm under its function, %", 1),
    ("sort_pct", "sort under its function, %", 1),
    ("off_points", "functions off by, points", 1),
    ("rooted_pct", "rooted, %", 1),
    ("unverified_pct", "not verified, %", 2),
    ("longest_us", "longest stop, µs", 0),
    ("p999_us", "99.9 % of stops below, µs", 0),
    ("p99_us", "99 %, µs", 0),
    ("p50_us", "half, µs", 0),
    ("stops", "stops", 0),
    ("over_100", "over 100 µs, a second", 1),
    ("held_pct", "of the time stopped, %", 1),
    ("wall_s", "program's wall time, s", 3),
    ("cpu_pct", "CPU, % of one core", 1),
    ("key_ms", "key answered, ms", 1),
    ("longest_key_ms", "slowest of ten keys, ms", 1),
];

const WRITES: &str = "writing to a string does not fail";

/// All tables.
pub(crate) fn markdown(
    arguments: &Arguments,
    cases: &[&Case],
    versions: &Versions,
    results: &Results,
) -> String {
    let mut out = format!("# Sampling Python\n\nRounds: {}. ", arguments.rounds);
    out += "Figures are medians over the rounds, with the least and the most in brackets where they differ. ";
    out += "`bare` is the program alone.\n\n| tool | |\n|---|---|\n";
    for (name, version) in versions {
        let text = match version {
            Ok(version) => version.clone(),
            Err(why) => format!("not available: {why}"),
        };
        // A bar would end the cell.
        writeln!(out, "| {name} | {} |", text.replace('|', "\\|")).expect(WRITES);
    }
    for case in cases {
        write!(out, "\n## {}\n\n{}\n\n{}", case.name, case.about(), table(case, &arguments.who, results))
            .expect(WRITES);
    }
    out
}

/// A table has the columns that somebody in it has figures for.
fn table(case: &Case, who: &[&'static Tool], results: &Results) -> Table {
    let tools = case.tools(who);
    let has = |figure: &str| tools.iter().any(|tool| results.spread(case.name, tool.name, figure).is_some());
    let columns: Vec<_> = COLUMNS.iter().filter(|column| has(column.0)).collect();
    let (compared, ratio_title) = match case.kind {
        Kind::Stops => ("target_cpu_s", "program's CPU x bare"),
        _ => ("wall_s", "wall x bare"),
    };
    let is_compared = tools.iter().any(|tool| tool.name == "bare") && !columns.is_empty();
    let mut table =
        Table::new(columns.iter().map(|column| column.1).chain(is_compared.then_some(ratio_title)));
    for tool in &tools {
        if let Some(reason) = results.failure(case.name, tool.name) {
            table.missing(tool.name, reason);
            continue;
        }
        let figures = columns.iter().map(|&&(figure, _, digits)| {
            results.spread(case.name, tool.name, figure).map(|spread| spread.short(digits))
        });
        let ratio = is_compared
            .then(|| results.ratio(case.name, (tool.name, "bare"), compared).map(|spread| spread.short(3)));
        table.row(tool.name, figures.chain(ratio));
    }
    table
}
