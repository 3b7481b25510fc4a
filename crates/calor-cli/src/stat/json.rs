//! `calor stat --format json`: fields that scripts may rely on.

use anyhow::Result;
use calor_analysis::{Spread, counter_ratios};
use calor_record::counters::Unit;
use calor_wire::Envelope;
use calor_wire::stat::{self, Counter, Stat};
use serde_json::Number;

use super::outcome::{Function, Outcome, Row, Simulation, Source};

pub(super) fn page(outcome: &Outcome) -> Result<String> {
    let body = Stat {
        command: &outcome.command,
        runs: outcome.runs,
        warmup: outcome.warmup,
        exit_code: outcome.exit_code,
        counters: outcome.rows.iter().map(entry).collect(),
        derived: counter_ratios(|name| outcome.mean(name)).into_iter().collect(),
        simulation: outcome.simulation.as_ref().map(simulation),
    };
    Ok(Envelope::new(&outcome.warnings, body).text()?)
}

fn entry(row: &Row) -> Counter<'_> {
    let spread = row.spread.as_ref();
    let number = |of: fn(&Spread) -> f64| spread.and_then(|spread| exact(of(spread), row.unit));
    Counter {
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

fn simulation(simulation: &Simulation) -> stat::Simulation<'_> {
    let nanos = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    stat::Simulation {
        tool: &simulation.tool,
        caches: &simulation.caches,
        plain_ns: simulation.cost.map(|cost| nanos(cost.plain)),
        simulated_ns: simulation.cost.map(|cost| nanos(cost.simulated)),
        slowdown: simulation.cost.map(|cost| cost.slowdown()),
        functions: simulation.functions.iter().map(function).collect(),
    }
}

fn function(function: &Function) -> stat::Function<'_> {
    stat::Function {
        name: function.name.as_deref(),
        file: function.file.as_deref(),
        share: function.share,
        counters: function.counters.iter().copied().collect(),
    }
}
