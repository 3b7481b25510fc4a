//! A forecast for programs: `calor/forecast/1`.

use std::io::Write;

use calor_analysis::{Forecasts, SizedForecast};
use calor_wire::Envelope;
use calor_wire::forecast::{Crossing, Figure, Forecast, NextSize, Scope};

use super::ForecastPage;
use crate::Error;

pub(super) fn write(forecasts: &Forecasts, page: &ForecastPage, out: &mut impl Write) -> Result<(), Error> {
    let time = forecasts.wall.as_ref().or(forecasts.cpu.as_ref());
    let crossings = time.map_or(&[][..], |told| &told.forecast.crossings);
    let body = Forecast {
        variable: &page.variable,
        at: page.at,
        sizes: &forecasts.sizes,
        runs: forecasts.n_runs,
        time_ns: forecasts.wall.as_ref().map(figure),
        cpu_ns: forecasts.cpu.as_ref().map(figure),
        peak_bytes: forecasts.peak.as_ref().map(figure),
        crossings: crossings
            .iter()
            .map(|crossing| Crossing {
                from: &crossing.from,
                to: crossing.to.as_deref(),
                before_bytes: crossing.bytes[0],
                after_bytes: crossing.bytes[1],
            })
            .collect(),
        next_size: forecasts.next.map(|next| NextSize { size: next.size, narrower: next.narrower }),
        scopes: forecasts
            .scopes
            .iter()
            .take(page.top.unwrap_or(usize::MAX))
            .map(|(name, told)| Scope { name, time_ns: figure(told) })
            .collect(),
    };
    Ok(Envelope::new(&forecasts.warnings, body).write(out)?)
}

fn figure(told: &SizedForecast) -> Figure {
    let forecast = &told.forecast;
    Figure {
        value: forecast.value.round() as u64,
        interval: forecast.interval.map(|end| end.round() as u64),
        measured: told.largest.round() as u64,
        growth: forecast.scaling.to_string(),
        weight: forecast.weight,
    }
}
