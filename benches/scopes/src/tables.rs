//! The Markdown tables, one a case.

use std::fmt::Write;

use crate::arguments::Arguments;
use crate::case::Case;
use crate::participants::Participant;
use crate::results::{Results, Spread};

type Column = (&'static str, fn(&Results, Case, &Participant) -> Option<String>);

/// All tables.
pub(crate) fn markdown(arguments: &Arguments, results: &Results) -> String {
    let mut out = format!("# Scopes\n\nRounds: {}", arguments.rounds);
    if arguments.is_quick {
        out += ", quick: fewer scopes than the goals are stated for";
    }
    out += ". Figures are medians over the rounds, with the least and the most in brackets. ";
    out += "`tsc2` is two bare reads of the TSC, `empty` the loop alone.\n";
    for &case in &arguments.cases {
        let columns = columns(case);
        write!(out, "\n## {}\n\n{}\n\n| who |", case.name(), case.description()).expect(WRITES);
        columns.iter().for_each(|(title, _)| write!(out, " {title} |").expect(WRITES));
        out += "\n|---|";
        columns.iter().for_each(|_| out += "---:|");
        for who in arguments.who.iter().filter(|who| who.cases.contains(&case)) {
            let version = who.version().map_or(String::new(), |version| format!(" {version}"));
            write!(out, "\n| {}{version} |", who.name).expect(WRITES);
            for (_, value) in columns {
                write!(out, " {} |", value(results, case, who).as_deref().unwrap_or("–")).expect(WRITES);
            }
        }
        out += "\n";
    }
    out
}

const WRITES: &str = "writing to a string does not fail";

const QUICKEST: Column = ("quickest block, ns a scope", |results, case, who| {
    results.spread(case, who.name, "quickest").map(|spread| text(spread, 2))
});
const OVER_EMPTY: Column = ("over the empty loop, ns", |results, case, who| {
    results.difference(case, (who.name, "empty"), "quickest").map(|spread| text(spread, 2))
});
const ALL_THREADS: Column = ("all threads until the report, ns a scope", |results, case, who| {
    results.spread(case, who.name, "all_threads").map(|spread| text(spread, 1))
});

fn columns(case: Case) -> &'static [Column] {
    match case {
        Case::Flat | Case::Nested | Case::Threads2 | Case::Wide | Case::OneIn16 => &[
            QUICKEST,
            ("median block, ns", |results, case, who| {
                results.spread(case, who.name, "median").map(|spread| text(spread, 1))
            }),
            ("x two TSC reads", |results, case, who| {
                results.ratio(case, (who.name, "tsc2"), "quickest").map(|spread| text(spread, 2))
            }),
            ALL_THREADS,
            ("report, ms", |results, case, who| {
                results.spread(case, who.name, "report_ms").map(|spread| text(spread, 2))
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
                results.spread(case, who.name, "added").map(|spread| text(spread, 0))
            }),
            ("added, %", |results, case, who| {
                results.spread(case, who.name, "percent").map(|spread| text(spread, 2))
            }),
        ],
        Case::Memory | Case::Memory100 => &[
            ("scopes", |results, case, who| {
                results.spread(case, who.name, "scopes").map(|spread| format!("{:.1} M", spread.median / 1e6))
            }),
            ("growth, KiB", |results, case, who| {
                results.spread(case, who.name, "growth_kib").map(|spread| text(spread, 0))
            }),
            ("peak with the report, KiB", |results, case, who| {
                results.spread(case, who.name, "peak_kib").map(|spread| text(spread, 0))
            }),
            ALL_THREADS,
        ],
        Case::Report | Case::Report4096 => &[
            ("call paths", |results, case, who| {
                results.spread(case, who.name, "paths").map(|spread| format!("{}", spread.median))
            }),
            ("profile, ms", |results, case, who| {
                results.spread(case, who.name, "profile_ms").map(|spread| text(spread, 2))
            }),
            ("profile and text, ms", |results, case, who| {
                results.spread(case, who.name, "text_ms").map(|spread| text(spread, 2))
            }),
        ],
    }
}

fn text(spread: Spread, digits: usize) -> String {
    let Spread { median, min, max } = spread;
    format!("{} ({}–{})", number(median, digits), number(min, digits), number(max, digits))
}

/// A number of so many digits, without a minus sign before a zero.
pub(crate) fn number(value: f64, digits: usize) -> String {
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
}
