//! The page for people: the run and its path, what was asked, what each scope would give, and what has time to spare.

use calor_analysis::quantity::{count, counted, duration, percent};
use calor_analysis::{Basis, CriticalPath, Source, WhatIf, WhatIfGain, WhatIfMethod, WhatIfScope};
use calor_model::SampleKind;

use super::WhatIfOptions;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::section::not_seen;

/// Rows of a list unless told.
const ROWS: usize = 20;
/// A scope with less of the whole in itself holds others that tell more.
const LEAST_SELF_SHARE: f64 = 0.01;

pub(super) fn all(what_if: &WhatIf<'_>, options: &WhatIfOptions) -> Vec<Section> {
    let mut sections = vec![run(what_if)];
    if let Some(asked) = &what_if.asked {
        sections.push(answer(what_if, asked, options));
    }
    sections.push(gains(what_if, options));
    sections.extend(slack(what_if, options));
    if !what_if.warnings.is_empty() {
        sections.push(not_seen::of_warnings(&what_if.warnings));
    }
    sections
}

fn run(what_if: &WhatIf<'_>) -> Section {
    match &what_if.method {
        WhatIfMethod::Replay(path) => path_facts(path),
        WhatIfMethod::Amdahl { source, n_threads } => {
            let of = match source {
                Source::Scopes => "scopes",
                Source::Samples(SampleKind::Cpu) => "CPU samples",
                Source::Samples(_) => "samples",
            };
            let mut how =
                format!("shares of the time of {of}, by Amdahl's law: there is no timeline to run again");
            if *n_threads > 1 {
                how += &format!(
                    "; with {} threads this is right only if all do the same, and says nothing about waiting",
                    count(*n_threads as u64)
                );
            }
            let facts = vec![
                ("recorded time".to_owned(), duration(what_if.whole_nanos as f64)),
                ("how it is known".to_owned(), how),
            ];
            Section::new("run", "The run", Body::Facts(facts))
        }
    }
}

fn path_facts(path: &CriticalPath) -> Section {
    let threads = counted(path.n_threads as u64, "thread");
    let mut facts = vec![("run".to_owned(), format!("{} on {threads}", duration(path.wall_nanos as f64)))];
    let in_scopes = path.nanos().saturating_sub(path.outside_nanos + path.handover_nanos);
    let mut parts = vec![format!("{} in scopes", percent(path.share(in_scopes)))];
    if path.handover_nanos > 0 {
        parts.push(format!("{} until threads started or woke up", percent(path.share(path.handover_nanos))));
    }
    if path.outside_nanos > 0 {
        parts.push(format!("{} outside scopes", percent(path.share(path.outside_nanos))));
    }
    facts.push((
        "critical path".to_owned(),
        format!("{}: {}", duration(path.nanos() as f64), parts.join(", ")),
    ));
    let n_changes = path.segments.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
    if n_changes > 0 {
        let times =
            if n_changes == 1 { "once".to_owned() } else { format!("{} times", count(n_changes as u64)) };
        facts.push(("changes thread".to_owned(), times));
    }
    let told = path.waits.iter().map(|wait| {
        let what = if path.basis == Basis::Inferred { "inferred" } else { wait.kind.word() };
        format!("{what} {} ({})", duration(wait.nanos as f64), count(wait.count))
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        facts.push(("threads waited".to_owned(), told.join(", ")));
    }
    Section::new("run", "The run", Body::Facts(facts))
}

fn answer(what_if: &WhatIf<'_>, asked: &WhatIfGain, options: &WhatIfOptions) -> Section {
    let title: Vec<String> = options
        .speedups
        .iter()
        .map(|speedup| format!("{} {} as fast", speedup.scope, times(speedup.factor)))
        .collect();
    let (before, after) = (what_if.whole_nanos, asked.predicted.wall_nanos);
    let what =
        if matches!(what_if.method, WhatIfMethod::Replay(_)) { "the run" } else { "the recorded time" };
    let mut facts = vec![
        ("overall".to_owned(), format!("{} as fast", times(asked.predicted.overall))),
        (what.to_owned(), format!("{} instead of {}", duration(after as f64), duration(before as f64))),
    ];
    facts.push(("at most".to_owned(), format!("{}, however fast it gets", times(asked.bound))));
    Section::new("answer", format!("If {}", title.join(" and ")), Body::Facts(facts))
}

fn gains(what_if: &WhatIf<'_>, options: &WhatIfOptions) -> Section {
    let is_path = matches!(what_if.method, WhatIfMethod::Replay(_));
    let (of, whole) = if is_path { ("on path", "the critical path") } else { ("share", "the recorded time") };
    let meaning = if is_path {
        "the part of the critical path in the scope and what it calls"
    } else {
        "the part of the recorded time in the function and what it calls"
    };
    let columns = vec![
        Column::new(of, 0, meaning),
        Column::new("self", 1, "the same without what it calls"),
        Column::new("gives", 0, "how many times as fast the run would be"),
        Column::new("at most", 0, "the same if the scope took no time at all"),
        Column::new("time", 2, "time at work in it and what it calls, over all threads"),
    ];
    let whole_nanos = what_if.whole_nanos.max(1) as f64;
    let is_telling = |scope: &&WhatIfScope| {
        scope.nanos > 0
            && scope.overall.is_some()
            && scope.self_nanos as f64 / whole_nanos >= LEAST_SELF_SHARE
    };
    let telling: Vec<&WhatIfScope> = what_if.scopes.iter().filter(is_telling).collect();
    let n_left = what_if.scopes.iter().filter(|scope| scope.nanos > 0).count() - telling.len();
    let rows = telling.iter().take(options.top.unwrap_or(ROWS)).map(|scope| {
        let cells = vec![
            Cell::share(Some(scope.share)),
            Cell::share(Some(scope.self_nanos as f64 / whole_nanos)),
            Cell::of(scope.overall, times, |overall| overall),
            Cell::of(scope.bound, times, |bound| bound),
            Cell::duration(Some(scope.total_nanos as f64)),
        ];
        Row::new(name(what_if, scope), cells)
    });
    let table = Table { subject: "scope", columns, rows: rows.collect() };
    let title = format!("What each scope would give {} as fast", times(options.factor));
    let section = Section::new("gains", title, Body::Table(table));
    let mut intro = format!("With everything that it calls; shares are of {whole}.");
    if n_left > 0 {
        intro += &format!(
            " {} with less than {} in {} left out.",
            counted(n_left as u64, "scope"),
            percent(LEAST_SELF_SHARE),
            if n_left == 1 { "itself is" } else { "themselves are" }
        );
    }
    section.with_intro(intro)
}

fn slack(what_if: &WhatIf<'_>, options: &WhatIfOptions) -> Option<Section> {
    let mut off: Vec<&WhatIfScope> =
        what_if.scopes.iter().filter(|scope| scope.nanos == 0 && scope.slack_nanos.is_some()).collect();
    if off.is_empty() || !matches!(what_if.method, WhatIfMethod::Replay(_)) {
        return None;
    }
    off.sort_by_key(|scope| std::cmp::Reverse(scope.total_nanos));
    let columns = vec![
        Column::new(
            "could take",
            0,
            "how many times as long each call could take without the run ending later",
        ),
        Column::new("slack", 0, "how much longer any one call could have taken without the run ending later"),
        Column::new("time", 0, "time at work in it and what it calls, over all threads"),
    ];
    let rows = off.iter().take(options.top.unwrap_or(ROWS)).map(|scope| {
        let cells = vec![
            Cell::of(scope.room, times, |room| room),
            Cell::duration(scope.slack_nanos.map(|nanos| nanos as f64)),
            Cell::duration(Some(scope.total_nanos as f64)),
        ];
        Row::new(name(what_if, scope), cells)
    });
    let table = Table { subject: "scope", columns, rows: rows.collect() };
    let section = Section::new("slack", "Off the critical path", Body::Table(table));
    Some(section.with_intro(
        "Faster, these give 1.00 x. Each call could take so many times as long, or any one call its slack \
                             longer, and the run would still take as long.",
    ))
}

fn name(what_if: &WhatIf<'_>, scope: &WhatIfScope) -> Name {
    let (file, line) = what_if.location(scope);
    let location = file.map(|file| line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")));
    Name { location, ..Name::plain(what_if.name(scope)) }
}

/// How many times: `1.38 x`; no end is `any number of times`.
fn times(factor: f64) -> String {
    match factor {
        endless if endless.is_infinite() => "any number of times".to_owned(),
        large if large >= 99.95 => format!("{large:.0} x"),
        usual if usual == usual.trunc() && usual >= 2.0 => format!("{usual:.0} x"),
        usual => format!("{usual:.2} x"),
    }
}
