//! Where the time goes: scopes with all their statistics, and what samples found.

use calor_analysis::quantity::{count, counted, duration, giga, percent, percent_range};
use calor_analysis::{CallTree, Grouping, HotPath, Order, SampledLists, SimdVerdict, Source};
use calor_model::{LEFT_OUT, SampleKind};

use super::{leaf_name, path_name, recursive_path_name};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::report::Report;
use crate::{carried, namesakes};

pub(crate) fn of_scopes(report: &Report<'_>) -> Option<Section> {
    if report.answer.tree.is_empty() || !report.answer.question.lists_scopes() {
        return None;
    }
    let has = |test: fn(&HotPath) -> bool| report.answer.hot.iter().any(test);
    let has_estimates = has(|entry| entry.is_estimated);
    let has_flops = has(|entry| entry.flops_per_second().is_some());
    let has_bytes = has(|entry| entry.bytes_per_second().is_some());
    let mut columns = vec![Column::new("total", 0, "time of all calls, children included")];
    if has_estimates {
        columns.push(Column::new("±", 3, "half the width of the 95 % interval of an estimated total"));
    }
    columns.extend([
        Column::new("self", 0, "time outside any child scope"),
        Column::new("% of run", 0, "self time as a share of the recorded time of all threads")
            .shortened("% run"),
        Column::new("calls", 0, "how often the scope was entered"),
        Column::new("mean", 1, "mean of the calls"),
        Column::new("min", 7, "shortest timed call"),
        Column::new("max", 6, "longest timed call"),
        Column::new("p50", 4, "half of the calls take no longer"),
        Column::new("p95", 2, "95 of 100 calls take no longer"),
        Column::new("p99", 5, "99 of 100 calls take no longer"),
        Column::new("stddev", 8, "standard deviation of the timed calls"),
    ]);
    if has_flops {
        columns.push(Column::new(
            "GFLOP/s",
            1,
            "thousand million floating-point operations a second, as the scope told",
        ));
    }
    if has_bytes {
        columns.push(Column::new(
            "GB/s",
            3,
            "thousand million bytes read and written a second, as the scope told",
        ));
    }
    let row = |entry: &HotPath| {
        let timed = &entry.stats.timed;
        let is_timed = timed.count > 0;
        let mut cells = vec![Cell::duration(Some(entry.total_nanos as f64)).estimated(entry.is_estimated)];
        if has_estimates {
            cells.push(Cell::duration(entry.margin_nanos()));
        }
        cells.extend([
            Cell::duration(Some(entry.self_nanos as f64)).estimated(entry.is_self_estimated),
            Cell::share(entry.share),
            Cell::count(entry.calls),
            Cell::duration(entry.stats.mean_nanos()).estimated(entry.stats.is_estimated()),
            Cell::duration(is_timed.then_some(timed.min_nanos as f64)),
            Cell::duration(is_timed.then_some(timed.max_nanos as f64)),
            Cell::duration(timed.quantile_nanos(0.5)),
            Cell::duration(timed.quantile_nanos(0.95)),
            Cell::duration(timed.quantile_nanos(0.99)),
            // One call differs from nothing.
            Cell::duration(timed.stddev_nanos().filter(|_| timed.count > 1)),
        ]);
        if has_flops {
            cells.push(Cell::of(entry.flops_per_second(), giga, |value| value));
        }
        if has_bytes {
            cells.push(Cell::of(entry.bytes_per_second(), giga, |value| value));
        }
        Row::new(entry_name(report, &report.answer.tree, entry), cells)
    };
    let rows = report.answer.hot.iter().map(row).collect();
    let mut intro = listed(report, &report.answer.tree, &report.answer.hot, report.answer.n_hot);
    intro.push_str(&reduced(report, &report.answer.tree, &report.answer.hot));
    if has_estimates {
        intro.push_str(" ~ marks an estimate: only some calls of that scope were timed.");
    }
    if report.options.subtract_overhead {
        intro.push_str(
            " The recorder's cost is subtracted from total and self; mean to stddev are as measured.",
        );
    }
    let table = Table { subject: "scope", columns, rows }.without_empty_columns();
    Some(Section::new("hot-paths", "Hot paths", Body::Table(table)).with_intro(intro))
}

pub(crate) fn of_samples(report: &Report<'_>, sampled: &SampledLists<'_>) -> Section {
    let (id, title, what) = match (sampled.kind, sampled.is_sum) {
        (SampleKind::Wall, true) => {
            ("wall", "Hot paths by wall time", "Times are time threads ran, by samples, and time they waited")
        }
        (SampleKind::Wall, false) => (
            "wall",
            "Hot paths by wall samples",
            "Times are time threads existed, running or waiting, in proportion to the samples",
        ),
        _ => ("cpu", "Hot paths by CPU samples", "Times are time threads ran, in proportion to the samples"),
    };
    let columns = columns_of_samples(report, &sampled.hot, sampled.is_sum);
    let row = |entry: &HotPath| {
        let cells = cells_of_samples(report, sampled, entry, &sampled.hot);
        Row::new(entry_name(report, &sampled.tree, entry), cells)
    };
    let mut rows: Vec<Row> = sampled.hot.iter().map(row).collect();
    namesakes::tell_apart(&mut rows);
    let table = Table { subject: "function", columns, rows }.without_empty_columns();
    let mut intro = format!("{} {what}.", listed(report, &sampled.tree, &sampled.hot, sampled.n_paths));
    intro.push_str(&explained(report, sampled));
    intro.push_str(&reduced(report, &sampled.tree, &sampled.hot));
    Section::new(id, title, Body::Table(table)).with_intro(intro)
}

/// The anchor and the heading of the list of functions that goes before.
pub(super) fn title_of_functions(sampled: &SampledLists<'_>) -> (&'static str, &'static str) {
    match (sampled.kind, sampled.is_sum) {
        (SampleKind::Wall, true) => ("functions-wall", "Functions by wall time"),
        (SampleKind::Wall, false) => ("functions-wall", "Functions by wall samples"),
        _ => ("functions", "Functions by CPU samples"),
    }
}

/// Columns of what samples found, for lists of paths and of functions.
pub(super) fn columns_of_samples(report: &Report<'_>, list: &[HotPath], is_sum: bool) -> Vec<Column> {
    let is_by_total = report.options.order == Order::Total;
    let mut columns = vec![
        Column::new("total", 0, "time in it and in what it calls"),
        Column::new("self", 0, "time in it alone"),
        match (is_sum, is_by_total) {
            (true, true) => Column::new("% of time", 0, "total time as a share of all time, run or waited"),
            (true, false) => Column::new("% of time", 0, "self time as a share of all time, run or waited"),
            (false, true) => {
                Column::new("% of samples", 0, "total time as a share of all samples of this kind")
            }
            (false, false) => {
                Column::new("% of samples", 0, "self time as a share of all samples of this kind")
            }
        }
        .shortened("share"),
    ];
    if has_intervals(report, list) {
        columns.push(
            Column::new("95 % interval", 3, "where the share lies, as far as the number of samples tells")
                .shortened("95 %"),
        );
    }
    columns.push(match is_sum {
        true => Column::new("count", 1, "samples that found it innermost, and waits in it"),
        false => Column::new("samples", 1, "samples that found it innermost"),
    });
    columns.push(
        Column::words(
            "vectors",
            2,
            "what its hottest loop computes with: vectors, single numbers or integers",
        )
        .shortened("simd"),
    );
    columns
}

/// One entry under those columns.
pub(super) fn cells_of_samples(
    report: &Report<'_>,
    sampled: &SampledLists<'_>,
    entry: &HotPath,
    list: &[HotPath],
) -> Vec<Cell> {
    let mut cells = vec![
        Cell::duration(Some(entry.total_nanos as f64)),
        Cell::duration(Some(entry.self_nanos as f64)),
        // The share is of what the list is sorted by.
        Cell::share(match report.options.order {
            Order::Total => sampled.tree.share(entry.total_nanos),
            _ => entry.share,
        }),
    ];
    if has_intervals(report, list) {
        cells.push(Cell::of(entry.share_interval, percent_range, |(low, high)| high - low));
    }
    cells.push(Cell::count(entry.samples));
    let verdict = report.answer.verdict(&sampled.tree, entry);
    cells.push(verdict.map_or_else(Cell::missing, |verdict| Cell::words(in_short(&verdict))));
    cells
}

/// A verdict in a word or two.
fn in_short(verdict: &SimdVerdict) -> String {
    let class = verdict.class.label();
    if verdict.fma() { format!("{class} FMA") } else { class.to_owned() }
}

/// Intervals are known of shares of self time.
fn has_intervals(report: &Report<'_>, list: &[HotPath]) -> bool {
    report.options.order != Order::Total && list.iter().any(|entry| entry.share_interval.is_some())
}

/// What names that the recorder made stand for, where the list shows them.
fn explained(report: &Report<'_>, sampled: &SampledLists<'_>) -> String {
    let shows = |name: &str| sampled.lists(name, report.options.grouping);
    let mut sentences = String::new();
    if shows("[kernel]") {
        sentences.push_str(
            " [kernel] is the system at work for the program; `calor record --kernel` names its functions.",
        );
    }
    if shows("(stack cut off)") {
        sentences.push_str(" (stack cut off) stands for callers that could not be found.");
    }
    sentences
}

/// What a profile that was made smaller for its page can tell no more, where the list shows it: figures of functions, and
/// which callers lead to a path.
fn reduced(report: &Report<'_>, tree: &CallTree<'_>, list: &[HotPath]) -> String {
    let profile = report.answer.profile;
    let left_out = profile.left_out_frame();
    let has_left_out = |entry: &HotPath| {
        profile.stacks.path(tree.node(entry.nodes[0]).stack).into_iter().any(|frame| Some(frame) == left_out)
    };
    match report.options.grouping {
        Grouping::Function if carried::caution(profile).is_some() => format!(" {}", super::REDUCED),
        Grouping::Path if left_out.is_some() && list.iter().any(has_left_out) => {
            format!(" {LEFT_OUT} stands for callers that the page this was read from had no room for.")
        }
        _ => String::new(),
    }
}

fn entry_name(report: &Report<'_>, tree: &CallTree<'_>, entry: &HotPath) -> Name {
    let stack = tree.node(entry.nodes[0]).stack;
    match report.options.grouping {
        Grouping::Path if entry.nodes.len() > 1 => {
            let stacks = entry.nodes.iter().map(|node| tree.node(*node).stack);
            let deepest = stacks.max_by_key(|stack| report.answer.profile.stacks.path(*stack).len());
            recursive_path_name(report.answer.profile, deepest.unwrap_or(stack))
        }
        Grouping::Path => path_name(report.answer.profile, stack),
        Grouping::Function => leaf_name(report.answer.profile, stack),
    }
}

/// What lists are sorted by, in words.
pub(super) fn order(report: &Report<'_>, tree: &CallTree<'_>) -> &'static str {
    match report.options.order {
        Order::Total => "total time",
        Order::SelfTime => "self time",
        Order::Calls if tree.source() == Source::Scopes => "number of calls",
        Order::Calls => "number of samples",
    }
}

/// What the list holds and how much of the whole that is.
fn listed(report: &Report<'_>, tree: &CallTree<'_>, list: &[HotPath], n_all: usize) -> String {
    let order = order(report, tree);
    let (n, n_all) = (list.len() as u64, n_all as u64);
    let listed = match report.options.grouping {
        Grouping::Path if n_all > n => format!("{} of {}", count(n), counted(n_all, "path")),
        Grouping::Path => counted(n, "path"),
        Grouping::Function => counted(n, "function"),
    };
    // Without any time there is nothing to have a share of.
    match tree.recorded_nanos() {
        0 => format!("{listed} by {order}."),
        whole => {
            let share: f64 = list.iter().filter_map(|entry| entry.share).sum();
            format!("{listed} by {order}: {} of {}.", percent(share), duration(whole as f64))
        }
    }
}
