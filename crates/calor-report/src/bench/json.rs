//! A run for programs: `calor/bench/1`.

use std::io::Write;

use calor_wire::Envelope;
use calor_wire::bench as wire;

use super::{Advice, Bench, ChartKind, Figure};
use crate::Error;

pub(super) fn write(bench: &Bench, out: &mut impl Write) -> Result<(), Error> {
    let body = wire::Bench {
        name: bench.name,
        title: &bench.title,
        facts: bench.facts.iter().map(|fact| wire::Fact { name: &fact.name, value: &fact.value }).collect(),
        results: bench.figures.iter().map(outcome).collect(),
        tables: bench.tables.iter().map(table).collect(),
        charts: bench.charts.iter().map(chart).collect(),
        advice: bench.advice.iter().map(advice).collect(),
        models: bench.models.iter().map(Into::into).collect(),
    };
    Ok(Envelope::new(&bench.warnings, body).write(out)?)
}

fn outcome(figure: &Figure) -> wire::Figure<'_> {
    // JSON has no infinity, and what is none is no measurement.
    let number = |value: f64| value.is_finite().then_some(value);
    wire::Figure {
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

fn table(table: &super::Table) -> wire::Table<'_> {
    wire::Table {
        title: &table.title,
        columns: table.columns.iter().map(|column| column.name.as_str()).collect(),
        rows: &table.rows,
        note: table.note.as_deref(),
    }
}

fn chart(chart: &super::Chart) -> wire::Chart<'_> {
    wire::Chart {
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

fn axis(axis: &super::Axis) -> wire::Axis<'_> {
    wire::Axis { label: &axis.label, is_log: axis.is_log }
}

fn series(series: &super::Series) -> wire::Series<'_> {
    wire::Series {
        name: &series.name,
        is_front: series.is_front,
        points: series.points.iter().map(point).collect(),
    }
}

fn advice(advice: &Advice) -> wire::Advice<'_> {
    wire::Advice { title: &advice.title, text: &advice.text, evidence: &advice.evidence }
}

fn point(point: &super::Point) -> wire::Point<'_> {
    wire::Point { label: point.label.as_deref(), x: point.x, y: point.y }
}
