//! `calor stat --format json`: fields that scripts may rely on.

use std::collections::BTreeMap;

use anyhow::Result;
use calor_record::counters::Unit;
use calor_report::WireWarning;
use serde::Serialize;
use serde_json::Number;

use super::derived;
use super::outcome::{Function, Outcome, Row, Simulation, Source};

#[derive(Serialize)]
struct Page<'o> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'o>>,
    command: &'o str,
    runs: usize,
    warmup: usize,
    exit_code: u8,
    counters: Vec<Entry<'o>>,
    derived: BTreeMap<&'static str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulation: Option<SimulationEntry<'o>>,
}

#[derive(Serialize)]
struct Entry<'o> {
    name: &'o str,
    value: Option<Number>,
    stddev: Option<f64>,
    source: &'static str,
    unit: &'static str,
    median: Option<Number>,
    min: Option<Number>,
    max: Option<Number>,
    interval: Option<[f64; 2]>,
    counted_share: Option<f64>,
}

#[derive(Serialize)]
struct SimulationEntry<'o> {
    tool: &'o str,
    caches: &'o [String],
    plain_ns: Option<u64>,
    simulated_ns: Option<u64>,
    slowdown: Option<f64>,
    functions: Vec<FunctionEntry<'o>>,
}

#[derive(Serialize)]
struct FunctionEntry<'o> {
    name: Option<&'o str>,
    file: Option<&'o str>,
    share: f64,
    counters: BTreeMap<&'static str, u64>,
}

pub(super) fn page(outcome: &Outcome) -> Result<String> {
    let page = Page {
        schema: "calor/stat/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: outcome.warnings.iter().map(WireWarning::new).collect(),
        command: &outcome.command,
        runs: outcome.runs,
        warmup: outcome.warmup,
        exit_code: outcome.exit_code,
        counters: outcome.rows.iter().map(entry).collect(),
        derived: derived::all(outcome).into_iter().collect(),
        simulation: outcome.simulation.as_ref().map(simulation),
    };
    Ok(serde_json::to_string_pretty(&page)? + "\n")
}

fn entry(row: &Row) -> Entry<'_> {
    let spread = row.spread.as_ref();
    let number =
        |of: fn(&super::spread::Spread) -> f64| spread.and_then(|spread| exact(of(spread), row.unit));
    Entry {
        name: &row.name,
        value: number(|spread| spread.mean),
        stddev: spread.and_then(|spread| spread.stddev),
        source: match row.source {
            Source::Hardware => "hardware",
            Source::Software => "software",
            Source::Simulated => "simulated",
        },
        unit: match row.unit {
            Unit::Nanos => "ns",
            Unit::Bytes => "bytes",
            _ => "count",
        },
        median: number(|spread| spread.median),
        min: number(|spread| spread.min),
        max: number(|spread| spread.max),
        interval: spread.and_then(|spread| spread.interval()).map(|(low, high)| [low, high]),
        counted_share: spread.map(|_| row.counted_share),
    }
}

/// Times and sizes are whole; a mean of counts need not be.
fn exact(value: f64, unit: Unit) -> Option<Number> {
    if value.fract() == 0.0 || unit != Unit::Count {
        return Some(Number::from(value.round() as u64));
    }
    Number::from_f64(value)
}

fn simulation(simulation: &Simulation) -> SimulationEntry<'_> {
    let nanos = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    SimulationEntry {
        tool: &simulation.tool,
        caches: &simulation.caches,
        plain_ns: simulation.cost.map(|cost| nanos(cost.plain)),
        simulated_ns: simulation.cost.map(|cost| nanos(cost.simulated)),
        slowdown: simulation.cost.map(|cost| cost.slowdown()),
        functions: simulation.functions.iter().map(function).collect(),
    }
}

fn function(function: &Function) -> FunctionEntry<'_> {
    FunctionEntry {
        name: function.name.as_deref(),
        file: function.file.as_deref(),
        share: function.share,
        counters: function.counters.iter().copied().collect(),
    }
}
