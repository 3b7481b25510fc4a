//! A forecast for programs: `calor/forecast/1`.

use std::io::Write;

use serde::Serialize;

use super::ForecastPage;
use super::facts::{Forecasts, Told};
use crate::Error;
use crate::json::WireWarning;

#[derive(Serialize)]
struct Page<'p> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'p>>,
    variable: &'p str,
    at: f64,
    sizes: &'p [f64],
    runs: usize,
    time_ns: Option<Figure>,
    cpu_ns: Option<Figure>,
    peak_bytes: Option<Figure>,
    crossings: Vec<WireCrossing<'p>>,
    next_size: Option<Next>,
    scopes: Vec<WireScope<'p>>,
}

#[derive(Serialize)]
struct Figure {
    value: u64,
    interval: [u64; 2],
    measured: u64,
    growth: String,
    weight: f64,
}

#[derive(Serialize)]
struct WireCrossing<'p> {
    from: &'p str,
    to: Option<&'p str>,
    before_bytes: u64,
    after_bytes: u64,
}

#[derive(Serialize)]
struct Next {
    size: f64,
    narrower: f64,
}

#[derive(Serialize)]
struct WireScope<'p> {
    name: &'p str,
    time_ns: Figure,
}

pub(super) fn write(forecasts: &Forecasts, page: &ForecastPage, out: &mut impl Write) -> Result<(), Error> {
    let time = forecasts.wall.as_ref().or(forecasts.cpu.as_ref());
    let crossings = time.map_or(&[][..], |told| &told.forecast.crossings);
    let wire = Page {
        schema: "calor/forecast/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: forecasts.warnings.iter().map(WireWarning::new).collect(),
        variable: &page.variable,
        at: page.at,
        sizes: &forecasts.sizes,
        runs: forecasts.n_runs,
        time_ns: forecasts.wall.as_ref().map(figure),
        cpu_ns: forecasts.cpu.as_ref().map(figure),
        peak_bytes: forecasts.peak.as_ref().map(figure),
        crossings: crossings
            .iter()
            .map(|crossing| WireCrossing {
                from: &crossing.from,
                to: crossing.to.as_deref(),
                before_bytes: crossing.bytes[0],
                after_bytes: crossing.bytes[1],
            })
            .collect(),
        next_size: forecasts.next.map(|next| Next { size: next.size, narrower: next.narrower }),
        scopes: forecasts
            .scopes
            .iter()
            .take(page.top.unwrap_or(usize::MAX))
            .map(|(name, told)| WireScope { name, time_ns: figure(told) })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &wire).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn figure(told: &Told) -> Figure {
    let forecast = &told.forecast;
    Figure {
        value: forecast.value.round() as u64,
        interval: forecast.interval.map(|end| end.round() as u64),
        measured: told.largest.round() as u64,
        growth: forecast.scaling.to_string(),
        weight: forecast.weight,
    }
}
