//! The Markdown tables, one a case.

use std::fmt::Write;

use harness::{Results, Table};

use crate::arguments::Arguments;
use crate::case::Case;
use crate::participants::Participant;

type Column = (&'static str, fn(&Results, &str, &Participant) -> Option<String>);

/// All tables.
pub(crate) fn markdown(arguments: &Arguments, results: &Results) -> String {
    let mut out = format!("# Scopes\n\nRounds: {}", arguments.rounds);
    if arguments.is_quick {
        out += ", quick: fewer scopes than the goals are stated for";
    }
    out += ". Figures are medians over the rounds, with the least and the most in brackets. ";
    out += "`tsc2` is two bare reads of the TSC, `empty` the loop alone.\n";
    for &case in &arguments.cases {
        write!(out, "\n## {}\n\n{}\n\n{}", case.name(), case.description(), table(case, arguments, results))
            .expect("writing to a string does not fail");
    }
    out
}

fn table(case: Case, arguments: &Arguments, results: &Results) -> Table {
    let columns = columns(case);
    let mut table = Table::new(columns.iter().map(|(title, _)| *title));
    for who in arguments.who.iter().filter(|who| who.cases.contains(&case)) {
        let version = who.version().map_or(String::new(), |version| format!(" {version}"));
        let cells = columns.iter().map(|(_, value)| value(results, case.name(), who));
        table.row(&format!("{}{version}", who.name), cells);
    }
    table
}

const QUICKEST: Column = ("quickest block, ns a scope", |results, case, who| {
    results.spread(case, who.name, "quickest").map(|spread| spread.text(2))
});
const OVER_EMPTY: Column = ("over the empty loop, ns", |results, case, who| {
    results.difference(case, (who.name, "empty"), "quickest").map(|spread| spread.text(2))
});
const ALL_THREADS: Column = ("all threads until the report, ns a scope", |results, case, who| {
    results.spread(case, who.name, "all_threads").map(|spread| spread.text(1))
});

fn columns(case: Case) -> &'static [Column] {
    match case {
        Case::Flat | Case::Nested | Case::Threads2 | Case::Wide | Case::OneIn16 => &[
            QUICKEST,
            ("median block, ns", |results, case, who| {
                results.spread(case, who.name, "median").map(|spread| spread.text(1))
            }),
            ("x two TSC reads", |results, case, who| {
                results.ratio(case, (who.name, "tsc2"), "quickest").map(|spread| spread.text(2))
            }),
            ALL_THREADS,
            ("report, ms", |results, case, who| {
                results.spread(case, who.name, "report_ms").map(|spread| spread.text(2))
            }),
        ],
        Case::Off => &[QUICKEST, OVER_EMPTY],
        Case::Out => &[
            QUICKEST,
            OVER_EMPTY,
            ("same instructions as the empty loop", |results, case, who| {
                let same = results.spread(case, who.name, "same_code")?.min;
                Some(if same == 1.0 { "yes" } else { "no" }.to_owned())
            }),
        ],
        Case::Matmul => &[
            ("plain, µs", |results, case, who| {
                results.spread(case, who.name, "plain").map(|spread| format!("{:.1}", spread.median / 1e3))
            }),
            ("added, ns", |results, case, who| {
                results.spread(case, who.name, "added").map(|spread| spread.text(0))
            }),
            ("added, %", |results, case, who| {
                results.spread(case, who.name, "percent").map(|spread| spread.text(2))
            }),
        ],
        Case::Memory | Case::Memory100 => &[
            ("scopes", |results, case, who| {
                results.spread(case, who.name, "scopes").map(|spread| format!("{:.1} M", spread.median / 1e6))
            }),
            ("growth, KiB", |results, case, who| {
                results.spread(case, who.name, "growth_kib").map(|spread| spread.text(0))
            }),
            ("peak with the report, KiB", |results, case, who| {
                results.spread(case, who.name, "peak_kib").map(|spread| spread.text(0))
            }),
            ALL_THREADS,
        ],
        Case::Report | Case::Report4096 => &[
            ("call paths", |results, case, who| {
                results.spread(case, who.name, "paths").map(|spread| format!("{}", spread.median))
            }),
            ("profile, ms", |results, case, who| {
                results.spread(case, who.name, "profile_ms").map(|spread| spread.text(2))
            }),
            ("profile and text, ms", |results, case, who| {
                results.spread(case, who.name, "text_ms").map(|spread| spread.text(2))
            }),
        ],
    }
}
