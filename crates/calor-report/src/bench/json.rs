//! A run for programs: `calor/bench/1`.

use std::io::Write;

use serde::Serialize;
use serde_json::Value;

use super::models::ModelEntry;
use super::{Advice, Bench, ChartKind, Figure, Params};
use crate::Error;
use crate::json::WireWarning;

#[derive(Serialize)]
struct Page<'b> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'b>>,
    name: &'static str,
    title: &'b str,
    facts: Vec<WireFact<'b>>,
    results: Vec<Outcome<'b>>,
    tables: Vec<WireTable<'b>>,
    charts: Vec<WireChart<'b>>,
    advice: Vec<WireAdvice<'b>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<ModelEntry>,
}

#[derive(Serialize)]
struct WireFact<'b> {
    name: &'b str,
    value: &'b str,
}

#[derive(Serialize)]
struct Outcome<'b> {
    case: &'b str,
    params: &'b Params,
    unit: &'b str,
    median: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    n: u64,
    verified: Option<bool>,
}

#[derive(Serialize)]
struct WireTable<'b> {
    title: &'b str,
    columns: Vec<&'b str>,
    rows: &'b [Vec<String>],
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'b str>,
}

#[derive(Serialize)]
struct WireChart<'b> {
    title: &'b str,
    kind: &'static str,
    x: WireAxis<'b>,
    y: WireAxis<'b>,
    series: Vec<WireSeries<'b>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'b str>,
}

#[derive(Serialize)]
struct WireAxis<'b> {
    label: &'b str,
    is_log: bool,
}

#[derive(Serialize)]
struct WireSeries<'b> {
    name: &'b str,
    is_front: bool,
    points: Vec<Value>,
}

#[derive(Serialize)]
struct WireAdvice<'b> {
    title: &'b str,
    text: &'b str,
    evidence: &'b [String],
}

pub(super) fn write(bench: &Bench, out: &mut impl Write) -> Result<(), Error> {
    let page = Page {
        schema: "calor/bench/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: bench.warnings.iter().map(WireWarning::new).collect(),
        name: bench.name,
        title: &bench.title,
        facts: bench.facts.iter().map(|fact| WireFact { name: &fact.name, value: &fact.value }).collect(),
        results: bench.figures.iter().map(outcome).collect(),
        tables: bench.tables.iter().map(table).collect(),
        charts: bench.charts.iter().map(chart).collect(),
        advice: bench.advice.iter().map(advice).collect(),
        models: bench.models.iter().map(ModelEntry::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &page).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

fn outcome(figure: &Figure) -> Outcome<'_> {
    // JSON has no infinity, and what is none is no measurement.
    let number = |value: f64| value.is_finite().then_some(value);
    Outcome {
        case: &figure.case,
        params: &figure.params,
        unit: &figure.unit,
        median: number(figure.median),
        low: number(figure.low),
        high: number(figure.high),
        n: figure.n,
        verified: figure.verified,
    }
}

fn table(table: &super::Table) -> WireTable<'_> {
    WireTable {
        title: &table.title,
        columns: table.columns.iter().map(|column| column.name.as_str()).collect(),
        rows: &table.rows,
        note: table.note.as_deref(),
    }
}

fn chart(chart: &super::Chart) -> WireChart<'_> {
    WireChart {
        title: &chart.title,
        kind: match chart.kind {
            ChartKind::Lines => "lines",
            ChartKind::Points => "points",
            ChartKind::Bars => "bars",
        },
        x: axis(&chart.x),
        y: axis(&chart.y),
        series: chart.series.iter().map(series).collect(),
        note: chart.note.as_deref(),
    }
}

fn axis(axis: &super::Axis) -> WireAxis<'_> {
    WireAxis { label: &axis.label, is_log: axis.is_log }
}

fn series(series: &super::Series) -> WireSeries<'_> {
    let point = |point: &super::Point| match &point.label {
        Some(label) => serde_json::json!({ "x": point.x, "y": point.y, "label": label }),
        None => serde_json::json!({ "x": point.x, "y": point.y }),
    };
    WireSeries {
        name: &series.name,
        is_front: series.is_front,
        points: series.points.iter().map(point).collect(),
    }
}

fn advice(advice: &Advice) -> WireAdvice<'_> {
    WireAdvice { title: &advice.title, text: &advice.text, evidence: &advice.evidence }
}
