//! The sections of a page about operations. The first is also a part of every report of a profile that has operations.

use std::ops::RangeInclusive;

use calor_analysis::findings::Finding;
use calor_analysis::quantity::{count, counted, duration, giga, percent};
use calor_analysis::{OperationRow, SampledFunction, ScopeCalls, ScopeSum, ScopeSumKind, spread_of_calls};

use super::OperationsReport;
use super::labelled;
use super::work;
use calor_model::{ScopeStats, Warning};

use crate::document::{Body, Cell, Column, Name, Row, Section, Table, Told, Tone};
use crate::section::finding_line;
use crate::section::gpu;
use crate::section::not_seen;
use crate::section::roofline::of_roof;
use crate::text::printable::cut_back;

/// Operations that are listed where nobody says how many.
const OPERATIONS: usize = 20;
/// Rows of the other lists.
const OTHER_ROWS: usize = 12;
/// Sets of labels that are listed of a name.
const LABEL_ROWS: usize = 8;
/// Findings that are told here; the rest is asked for.
const FINDINGS: usize = 5;
/// Columns that shapes and types may take: operands are many at times.
const WORDS: usize = 28;
/// The parts of the time at which the slowest operation is worth a word about what it could give. Of one that takes nearly all,
/// the bound says nothing: 1.1 times faster to 10 times.
const WORTH_TELLING: RangeInclusive<f64> = 0.1..=0.9;
/// An operation that does so much of what the machine can do has little left to give.
const NEAR_ROOF: f64 = 0.6;

/// The whole page.
pub(super) fn page(report: &OperationsReport<'_>) -> Vec<Section> {
    let top = report.options.top;
    let mut sections = Vec::new();
    if report.answer.is_empty() {
        let lines = vec![format!("{}.", report.answer.why_empty().replacen('n', "N", 1))];
        sections.push(Section::new("operations", "Operations", Body::Lines(lines)));
        // What kept it from being recorded stands among these.
        if !report.answer.profile.warnings.is_empty() {
            sections.push(not_seen::of_warnings(&report.answer.profile.warnings));
        }
        return sections;
    }
    sections.extend(operations(&report.answer.operations, top, report.answer.tree.recorded_nanos()));
    sections.extend(scopes(&report.answer.scopes, top, report.options.context.is_some()));
    sections.extend(gpu::sections(report.answer.gpu.as_ref(), report.answer.profile, top));
    sections.extend(work::section(report, top.unwrap_or(OPERATIONS)));
    sections.extend(functions(report, top));
    sections.extend(sampled(report, top));
    sections.push(next(report));
    // A dash in the table says as much of operations that were called once.
    let told: Vec<Warning> =
        report.answer.warnings.iter().filter(|warning| warning.code != "spread_unknown").cloned().collect();
    if !told.is_empty() {
        sections.push(not_seen::of_warnings(&told));
    }
    sections
}

/// The table of operations; `None` without any. Those inside others are not listed: their time is in that of the others.
pub(crate) fn operations(
    rows: &[OperationRow<'_>],
    top: Option<usize>,
    recorded_nanos: u64,
) -> Option<Section> {
    let outermost: Vec<&OperationRow<'_>> = rows.iter().filter(|row| !row.is_nested).collect();
    if outermost.is_empty() {
        return None;
    }
    let listed = &outermost[..outermost.len().min(top.unwrap_or(OPERATIONS))];
    let columns = vec![
        Column::new("total", 0, "time of all calls, with the operations inside"),
        Column::new("% of total", 0, "that as a part of all recorded time").shortened("%"),
        Column::new(
            "GPU",
            0,
            "time of the kernels and copies that it had GPUs do, which is beside the host's",
        ),
        Column::new("count", 0, "how often it was called"),
        Column::new("mean", 0, "mean of the calls"),
        Column::new("min", 9, "shortest timed call"),
        Column::new("max", 8, "longest timed call"),
        Column::new("stddev", 10, "standard deviation of the timed calls"),
        Column::new("p95", 6, "95 of 100 calls take no longer"),
        Column::words("backend", 4, "what did the work"),
        Column::words("device", 6, "where the operands were"),
        Column::new("GB/s", 2, "thousand million bytes read and written a second"),
        Column::new("GFLOP/s", 3, "thousand million floating-point operations a second"),
        Column::new("of roof", 5, "how much of what one or all cores of this machine can do at most"),
        Column::new("allocated", 1, "bytes that all calls allocated"),
        Column::new("held", 3, "the most bytes that one call held"),
        Column::words("shapes", 1, "extents of the operands"),
        Column::words("types", 7, "types of the operands and the result"),
    ];
    let mut table_rows: Vec<Row> = listed.iter().map(|row| operation_row(row)).collect();
    if let [first, _, ..] = &mut table_rows[..] {
        first.tone = Tone::Worse;
        first.mark = Some("slowest");
    }
    let table = Table { subject: "operation", columns, rows: table_rows }.without_empty_columns();
    let nanos: u64 = outermost.iter().map(|row| row.outermost_nanos).fold(0, u64::saturating_add);
    let mut intro = match listed.len() == outermost.len() {
        true => counted(listed.len() as u64, "row"),
        false => format!("{} of {}", listed.len(), counted(outermost.len() as u64, "row")),
    };
    let calls: u64 = outermost.iter().map(|row| row.stats.calls).fold(0, u64::saturating_add);
    intro = format!(
        "{intro} by operation, line and shape: {} in {} of {} recorded.",
        counted(calls, "call"),
        duration(nanos as f64),
        duration(recorded_nanos as f64),
    );
    let n_nested = rows.len() - outermost.len();
    if n_nested > 0 {
        intro = format!(
            "{intro} {} inside these {} not listed.",
            count(n_nested as u64),
            if n_nested == 1 { "is" } else { "are" }
        );
    }
    if listed.iter().any(|row| row.stats.is_estimated()) {
        intro.push_str(" ~ marks an estimate: only some calls were timed.");
    }
    Some(Section::new("operations", "Operations", Body::Table(table)).with_intro(intro))
}

fn operation_row(row: &OperationRow<'_>) -> Row {
    let (stats, timed) = (&row.stats, &row.stats.timed);
    let (is_timed, is_estimated) = (timed.count > 0, row.stats.is_estimated());
    let words = |text: Option<&str>| {
        text.filter(|text| !text.is_empty())
            .map_or_else(Cell::missing, |text| Cell::words(cut_back(&spaced(text), WORDS)))
    };
    let rate = |value: Option<f64>| Cell::of(value, giga, |value| value).estimated(is_estimated);
    let cells = vec![
        Cell::duration(Some(row.total_nanos as f64)).estimated(is_estimated),
        Cell::share(row.share),
        Cell::duration(row.gpu_nanos.map(|nanos| nanos as f64)),
        Cell::count(Some(stats.calls)),
        Cell::duration(stats.mean_nanos()).estimated(is_estimated),
        Cell::duration(is_timed.then_some(timed.min_nanos as f64)),
        Cell::duration(is_timed.then_some(timed.max_nanos as f64)),
        Cell::duration(spread_of_calls(timed)),
        Cell::duration(timed.quantile_nanos(0.95)),
        words(Some(row.backend)),
        words(row.device),
        rate(row.bytes_per_second()),
        rate(row.flops_per_second()),
        Cell::of(row.roof_share(), of_roof, |share| share),
        Cell::bytes(stats.memory.map(|memory| memory.allocated_bytes)),
        Cell::bytes(stats.memory.map(|memory| memory.peak_bytes)),
        words(shape(row).as_deref()),
        words(row.dtype),
    ];
    Row::new(name_at(row.name, row.file, row.line), cells)
}

/// Extents of the operands, with how exact they are.
fn shape(row: &OperationRow<'_>) -> Option<String> {
    match (row.shape, row.grain) {
        (Some(shape), Some(_)) => Some(format!("~{shape}")),
        (Some(shape), None) => Some(shape.to_owned()),
        (None, grain) => grain.map(str::to_owned),
    }
}

/// Operands apart from each other.
fn spaced(operands: &str) -> String {
    let operands = operands.trim_start_matches("->");
    operands.replace("->", " -> ").replace(',', ", ")
}

/// A name with the line that belongs to it.
fn name_at(name: &str, file: Option<&str>, line: Option<u32>) -> Name {
    let location = file.map(|file| line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")));
    Name { leaf: name.to_owned(), location, is_function: true, keeps_line: true, ..Name::default() }
}

/// The program's own sections by name. `is_of_context` says that they are those inside a context.
pub(crate) fn scopes(list: &[ScopeSum<'_>], top: Option<usize>, is_of_context: bool) -> Option<Section> {
    let (id, title) = ("scopes", "Contexts and scopes");
    let n_rows = top.unwrap_or(OTHER_ROWS);
    let section = sums(list, "name", n_rows, |sum| Name::plain(labelled::name(sum)));
    let has_contexts = list.iter().any(|sum| sum.kind == ScopeSumKind::Context);
    let mut intro = left_out(list.len(), n_rows);
    let n_sets_left_out: usize =
        list.iter().map(|sum| labelled::sets(sum).len().saturating_sub(LABEL_ROWS)).sum();
    if n_sets_left_out > 0 {
        intro.push_str(&format!(
            "Of the labels of a name the {LABEL_ROWS} with the most time; {} more in JSON and CSV. ",
            count(n_sets_left_out as u64)
        ));
    }
    if list.iter().take(n_rows).any(is_folded) {
        intro.push_str(
            "Where a name is open inside itself, total counts that time once, and mean is of each call. ",
        );
    }
    if has_contexts && !is_of_context {
        intro.push_str("`calor.profile_report(context=...)` shows the inside of a context alone.");
    }
    section.map(|table| titled(id, title, table, &intro))
}

/// Functions that were traced.
fn functions(report: &OperationsReport<'_>, top: Option<usize>) -> Option<Section> {
    let rows = top.unwrap_or(OTHER_ROWS);
    let table = sums(&report.answer.functions, "function", rows, |sum| name_at(sum.name, sum.file, sum.line));
    let mut intro = left_out(report.answer.functions.len(), rows);
    if report.answer.functions.iter().take(rows).any(is_folded) {
        intro.push_str("Where functions call themselves, through others or not, total counts that time once, and mean is of each call.");
    }
    table.map(|table| titled("functions", "Functions", table, &intro))
}

/// Whether calls of it, or of what called it, were inside one another: their time counts at the outermost.
fn is_folded(sum: &ScopeSum<'_>) -> bool {
    // Recorders fold functions that they trace: then only what calls took one by one tells. Of scopes each path is kept.
    let one_by_one = sum.stats.timed.total_nanos.max(sum.stats.total_nanos);
    !sum.is_estimated && one_by_one > sum.total_nanos.saturating_add(sum.stats.timed.count)
}

/// Functions that samples found.
fn sampled(report: &OperationsReport<'_>, top: Option<usize>) -> Option<Section> {
    let columns = vec![
        Column::new("self", 0, "time in it alone, in proportion to the samples"),
        Column::new("total", 0, "time in it and in what it calls"),
        Column::new("% of samples", 0, "self time as a part of that of all samples").shortened("%"),
        Column::new("samples", 1, "samples that found it innermost"),
    ];
    let n_rows = top.unwrap_or(OTHER_ROWS);
    let row = |function: &SampledFunction| {
        let cells = vec![
            Cell::duration(Some(function.self_nanos as f64)),
            Cell::duration(Some(function.total_nanos as f64)),
            Cell::share(function.share),
            Cell::count(function.samples),
        ];
        Row::new(name_at(&function.name, function.file.as_deref(), function.line), cells)
    };
    let rows: Vec<Row> = report.answer.sampled.iter().take(n_rows).map(row).collect();
    let intro = left_out(report.answer.sampled.len(), n_rows);
    let table = Table { subject: "function", columns, rows };
    let title = "Functions by samples";
    (!table.rows.is_empty()).then(|| titled("sampled-functions", title, table, &intro))
}

fn titled(id: &'static str, title: &'static str, table: Table, intro: &str) -> Section {
    let section = Section::new(id, title, Body::Table(table));
    match intro.trim() {
        "" => section,
        intro => section.with_intro(intro),
    }
}

fn left_out(n_all: usize, n_listed: usize) -> String {
    match n_all.saturating_sub(n_listed) {
        0 => String::new(),
        more => format!(
            "The longest {n_listed}; `calor.profile_report(top={n_all})` lists {} more. ",
            count(more as u64)
        ),
    }
}

fn sums(
    list: &[ScopeSum<'_>],
    subject: &'static str,
    n_rows: usize,
    name: impl Fn(&ScopeSum<'_>) -> Name,
) -> Option<Table> {
    let columns = vec![
        Column::new("total", 0, "time of all calls, with what is inside"),
        Column::new("self", 1, "time outside any scope, function or operation inside"),
        Column::new("% of total", 0, "total as a part of all recorded time").shortened("%"),
        Column::new(
            "GPU",
            0,
            "time of the kernels and copies that it had GPUs do, which is beside the host's",
        ),
        Column::new("count", 0, "how often it was entered"),
        Column::new("mean", 0, "mean of the calls"),
        Column::new("p95", 2, "95 of 100 calls take no longer"),
        Column::new("max", 3, "longest timed call"),
        Column::new("allocated", 0, "bytes that all calls allocated, with what is inside"),
        Column::new("held", 1, "the most bytes that one call held"),
        Column::new(
            "life",
            4,
            "mean of coroutines and generators from their first step to their end, waiting included",
        ),
    ];
    let cells = |stats: &ScopeStats, total_nanos: u64, own: [Option<u64>; 2], share, is_estimated| {
        let calls = ScopeCalls::of(stats, total_nanos);
        let [self_nanos, gpu_nanos] = own.map(|nanos| nanos.map(|nanos| nanos as f64));
        vec![
            Cell::duration(Some(total_nanos as f64)).estimated(is_estimated),
            Cell::duration(self_nanos).estimated(is_estimated),
            Cell::share(share),
            Cell::duration(gpu_nanos),
            Cell::count(Some(calls.count)),
            Cell::duration(calls.mean_nanos).estimated(is_estimated),
            Cell::duration(calls.quantile(0.95)),
            Cell::duration(calls.max_nanos()),
            Cell::bytes(stats.memory.map(|memory| memory.allocated_bytes)),
            Cell::bytes(stats.memory.map(|memory| memory.peak_bytes)),
            Cell::duration(calls.life_mean_nanos()),
        ]
    };
    let rows_of = |sum: &ScopeSum<'_>| {
        let (total, own) = (sum.total_nanos, [Some(sum.self_nanos), sum.gpu_nanos]);
        let mut rows = vec![Row::new(name(sum), cells(&sum.stats, total, own, sum.share, sum.is_estimated))];
        // What is inside is not told apart by the labels of what is around it, so these have no time of their own.
        rows.extend(labelled::sets(sum).iter().take(LABEL_ROWS).map(|set| {
            let cells = cells(&set.stats, set.total_nanos, [None; 2], set.share, set.stats.is_estimated());
            Row::new(Name::plain(labelled::name_of(sum, set)), cells)
        }));
        rows
    };
    let rows: Vec<Row> = list.iter().take(n_rows).flat_map(rows_of).collect();
    (!rows.is_empty()).then(|| Table { subject, columns, rows }.without_empty_columns())
}

/// What to do next: the findings with the most sure gain, or else what the slowest operation could give.
fn next(report: &OperationsReport<'_>) -> Section {
    let judged = &report.options.findings;
    let found: Vec<Finding> = judged.found.iter().take(FINDINGS).cloned().collect();
    let n_more = judged.found.len() - found.len();
    let mut lines: Vec<String> = found.iter().map(finding_line).collect();
    lines.extend(bound(report, &found));
    lines.push(match (found.len(), n_more) {
        (0, _) => format!(
            "no rule found anything to change here{}; `calor.export(\"report.html\")` draws the flame graph",
            match judged.not_enough.len() {
                0 => String::new(),
                n => format!(
                    ", and {} had not enough data to judge: `calor findings` of an exported .calor file says of what",
                    counted(n as u64, "rule")
                ),
            }
        ),
        (_, 0) => "`calor.get_recommendations()` has evidence, reasons and code".to_owned(),
        (_, more) => format!(
            "`calor.get_recommendations()` has {} more, and evidence, reasons and code",
            count(more as u64)
        ),
    });
    Section::new("findings", "What to change", Body::Findings(Told { lines, found }))
}

/// How much faster all would be at most without the slowest operation, where no finding is about its line.
fn bound(report: &OperationsReport<'_>, found: &[Finding]) -> Option<String> {
    let slowest = report.answer.operations.first()?;
    let share = slowest.share.filter(|share| WORTH_TELLING.contains(share))?;
    if slowest.roof_share().is_some_and(|share| share >= NEAR_ROOF) {
        return None;
    }
    let is_told = |finding: &Finding| {
        (finding.place.file.as_deref(), finding.place.line) == (slowest.file, slowest.line)
    };
    if found.iter().any(is_told) {
        return None;
    }
    let place = match (slowest.file, slowest.line) {
        (Some(file), Some(line)) => format!(" at {}:{line}", file.rsplit('/').next().unwrap_or(file)),
        _ => String::new(),
    };
    Some(format!(
        "look at `{}`{place} first: it takes {} of the time, so no change there can make all of this more than {:.1} times faster",
        slowest.name,
        percent(share),
        1.0 / (1.0 - share),
    ))
}
