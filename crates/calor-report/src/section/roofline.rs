//! Scopes under the roofs of a machine, as tables.

use calor_analysis::quantity::{bytes, count, counted, duration, giga, percent};
use calor_analysis::{Bound, RoofCores, RoofNumber, RooflineAnswer, RooflinePoint};

use super::{not_seen, path_name};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

/// Scopes that are listed where nobody says how many.
const ROWS: usize = 20;

/// How a scope tells what it works on.
pub(crate) const HOW_TO_TELL: &str =
    "`calor::scope!(\"matmul\", flops = 2 * n * n * n, bytes = 3 * n * n * 4)` tells it";

pub(crate) fn sections(facts: &RooflineAnswer<'_>, top: Option<usize>) -> Vec<Section> {
    let mut sections = vec![machine(facts)];
    sections.push(points(facts, top));
    sections.extend(untold(facts));
    if !facts.warnings.is_empty() {
        sections.push(not_seen::of_warnings(&facts.warnings));
    }
    sections
}

/// The roofs.
fn machine(facts: &RooflineAnswer<'_>) -> Section {
    let (roof, number) = (facts.roof, facts.found.number);
    let mut lines = vec![("processor".to_owned(), processor(facts))];
    for other in [RoofNumber::F32, RoofNumber::F64] {
        let rates = roof.peaks.iter().filter(|peak| peak.number == other);
        let rates: Vec<String> =
            rates.map(|peak| format!("{} {}", peak.width, giga(peak.flops_per_s))).collect();
        let all = roof.peak(other, RoofCores::All).map(|all| format!("; all cores {}", giga(all)));
        if !rates.is_empty() {
            let text = format!("{} GFLOP/s{}", rates.join(", "), all.unwrap_or_default());
            lines.push((format!("peak {}", other.word()), text));
        }
    }
    for tier in &roof.tiers {
        let holds = tier.bytes.map(|holds| format!(", {}", bytes(holds))).unwrap_or_default();
        let all = tier.all_cores_bytes_per_s.map(|all| format!("; all cores {}", giga(all)));
        let ridge = roof.ridge(number, tier).map(|ridge| format!("; ridge {} FLOP/B", figure(ridge)));
        let text = format!(
            "{} GB/s{}{}",
            giga(tier.bytes_per_s),
            all.unwrap_or_default(),
            ridge.unwrap_or_default()
        );
        lines.push((format!("{}{holds}", tier.name), text));
    }
    let intro = format!(
        "One core, with numbers of {}; above a tier's ridge arithmetic limits, below it that tier.",
        number.word()
    );
    Section::new("machine", "Machine", Body::Facts(lines)).with_intro(intro)
}

fn processor(facts: &RooflineAnswer<'_>) -> String {
    let name = if facts.roof.cpu.is_empty() { "of unknown name" } else { &facts.roof.cpu };
    match facts.roof.cores {
        Some(cores) => format!("{name}, {}", counted(cores.into(), "core")),
        None => name.to_owned(),
    }
}

/// The scopes that told their work.
fn points(facts: &RooflineAnswer<'_>, top: Option<usize>) -> Section {
    let shown = top.unwrap_or(ROWS);
    let points = &facts.found.points;
    let (id, title) = ("roofline", "Scopes under the roof");
    if points.is_empty() {
        let line = match facts.found.n_paths {
            0 => "The profile has no scopes, and only scopes tell what they work on: record a program with the SDK, see `calor::scope!`.".to_owned(),
            _ => format!("No scope of this profile told what it works on, so there is nothing to hold against the roof: {HOW_TO_TELL}."),
        };
        return Section::new(id, title, Body::Lines(vec![line]));
    }
    let columns = vec![
        Column::new("time", 0, "the scope's time, children included, as a part of all that was recorded"),
        Column::new("calls", 3, "how often it was entered"),
        Column::new("GFLOP/s", 0, "floating-point operations that it told, in a second of its time"),
        Column::new("GB/s", 0, "bytes that it told, in a second of its time"),
        Column::new("FLOP/B", 1, "floating-point operations for each byte: its intensity"),
        Column::new(
            "roof",
            2,
            "the most GFLOP/s that the machine allows at that intensity; GB/s where no operations were told",
        ),
        Column::new("of roof", 0, "how much of that it attained"),
        Column::words("limited by", 0, "what would have to be faster for it to be faster"),
    ];
    let rows = points.iter().take(shown).map(|point| row(facts, point)).collect();
    let table = Table { subject: "scope", columns, rows }.without_empty_columns();
    let left_out = points.len().saturating_sub(shown);
    let more = match left_out {
        0 => String::new(),
        _ => format!(" {} more: --top {} shows all.", count(left_out as u64), points.len()),
    };
    let of_cpu = match points.iter().filter(|point| point.cpu_nanos.is_some()).count() {
        0 => "",
        n if n == points.len() => ", as CPU time, which all of them tell",
        _ => ", as CPU time of those that tell it",
    };
    let intro = format!(
        "As the scopes told, the longest first; rates are of their time with children{of_cpu}.{more}"
    );
    Section::new(id, title, Body::Table(table)).with_intro(intro)
}

fn row(facts: &RooflineAnswer<'_>, point: &RooflinePoint) -> Row {
    let rate = |value: Option<f64>| Cell::of(value, giga, |value| value).estimated(point.is_estimated);
    let cells = vec![
        Cell::share(Some(point.share)),
        Cell::count(Some(point.calls)),
        rate(point.flops_per_s),
        rate(point.bytes_per_s),
        Cell::of(point.intensity, figure, |value| value),
        roof_cell(point),
        Cell::of(point.roof_share, of_roof, |share| share),
        limit(facts, point).map_or_else(Cell::missing, Cell::words),
    ];
    Row::new(name(facts, point), cells)
}

fn roof_cell(point: &RooflinePoint) -> Cell {
    match (point.attainable_flops_per_s, point.attainable_bytes_per_s) {
        (Some(flops), _) => Cell::new(giga(flops), flops),
        (None, Some(bytes)) => Cell::new(format!("{} GB/s", giga(bytes)), bytes),
        (None, None) => Cell::missing(),
    }
}

/// The name of a scope.
pub(crate) fn name(facts: &RooflineAnswer<'_>, point: &RooflinePoint) -> Name {
    path_name(facts.profile, facts.tree.node(point.node).stack)
}

/// The roof of a scope with its unit.
pub(crate) fn roof(point: &RooflinePoint) -> Option<String> {
    let flops = point.attainable_flops_per_s.map(|most| format!("{} GFLOP/s", giga(most)));
    flops.or_else(|| point.attainable_bytes_per_s.map(|most| format!("{} GB/s", giga(most))))
}

/// What limits a scope, in words.
pub(crate) fn limit(facts: &RooflineAnswer<'_>, point: &RooflinePoint) -> Option<String> {
    let cores = if point.cores == RoofCores::All { ", all cores" } else { "" };
    let is_other = point.number != facts.found.number;
    let number = if is_other { format!(", {}", point.number.word()) } else { String::new() };
    Some(match point.bound? {
        Bound::Compute => format!("compute{number}{cores}"),
        Bound::Memory => format!("memory ({}{cores})", facts.roof.tiers[point.tier?].name),
    })
}

/// A share of a roof: whole percents, since roofs are not known better.
pub(crate) fn of_roof(share: f64) -> String {
    match share * 100.0 {
        small if small < 9.95 => percent(share),
        large => format!("{large:.0} %"),
    }
}

/// A number of three digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        small if small < 0.0995 => format!("{value:.3}"),
        small if small < 9.995 => format!("{value:.2}"),
        small if small < 99.95 => format!("{value:.1}"),
        _ => count(value.round().max(0.0) as u64),
    }
}

/// The longest scopes of which nothing is known.
fn untold(facts: &RooflineAnswer<'_>) -> Option<Section> {
    if facts.found.points.is_empty() || facts.found.untold.is_empty() {
        return None;
    }
    let named = facts.found.untold.iter().map(|id| {
        let node = facts.tree.node(*id);
        let path = path_name(facts.profile, node.stack).path();
        format!("{path}: {} by itself", duration(node.self_nanos as f64))
    });
    let intro = format!("The longest of those that did not tell what they work on: {HOW_TO_TELL}.");
    Some(Section::new("untold", "Not on the roofline", Body::Lines(named.collect())).with_intro(intro))
}
