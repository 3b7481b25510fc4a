//! The page for people: the program at the size, how sure that is, and its scopes.

use calor_analysis::quantity::{bytes, counted, duration, percent};
use calor_analysis::{Forecasts, SizedForecast};

use super::ForecastPage;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::section::not_seen;

/// Rows of the list of scopes unless told.
const ROWS: usize = 15;

pub(super) fn all(forecasts: &Forecasts, page: &ForecastPage) -> Vec<Section> {
    let mut sections = vec![program(forecasts, page)];
    sections.extend(scopes(forecasts, page));
    if !forecasts.warnings.is_empty() {
        sections.push(not_seen::of_warnings(&forecasts.warnings));
    }
    sections
}

fn program(forecasts: &Forecasts, page: &ForecastPage) -> Section {
    let (variable, sizes) = (&page.variable, &forecasts.sizes);
    let (least, most) = (sizes.first().copied().unwrap_or(0.0), sizes.last().copied().unwrap_or(0.0));
    let mut facts = Vec::new();
    let time = |nanos: f64| duration(nanos);
    let memory = |size: f64| bytes(size as u64);
    for (name, told, text) in [
        ("time", &forecasts.wall, &time as &dyn Fn(f64) -> String),
        ("CPU time", &forecasts.cpu, &time),
        ("peak memory", &forecasts.peak, &memory),
    ] {
        if let Some(told) = told {
            facts.push((name.to_owned(), figure(told, text, variable)));
        }
    }
    // What makes a forecast of no worth stands beside it, not only among what was not seen.
    if forecasts.has_several_commands {
        facts.push((
            "warning".to_owned(),
            "the runs are of different commands, which are listed below: they may not be one program"
                .to_owned(),
        ));
    }
    let runs = counted(forecasts.n_runs as u64, "run");
    let different = counted(sizes.len() as u64, "size");
    facts.push((
        "measured".to_owned(),
        format!("{runs} at {different}, {variable} = {} to {}", size(least), size(most)),
    ));
    if let Some(next) = forecasts.next {
        facts.push((
            "run next".to_owned(),
            format!(
                "{variable} = {}: the interval would be expected to become {} of what it is",
                size(next.size),
                percent(next.narrower)
            ),
        ));
    }
    Section::new("forecast", format!("At {variable} = {}", size(page.at)), Body::Facts(facts))
}

/// A value, its interval and how it grows.
fn figure(told: &SizedForecast, text: &dyn Fn(f64) -> String, variable: &str) -> String {
    let SizedForecast { forecast, largest } = told;
    let [low, high] = forecast.interval;
    format!(
        "{} (90 %: {} to {}), {} at the largest size measured; grows as {} ({})",
        text(forecast.value),
        text(low),
        text(high),
        text(*largest),
        grows(&forecast.scaling.to_string(), variable),
        percent(forecast.weight),
    )
}

fn scopes(forecasts: &Forecasts, page: &ForecastPage) -> Option<Section> {
    if forecasts.scopes.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("then", 0, "time expected, with what it calls, over all threads"),
        Column::words("90 %", 1, "between which it is expected to lie with 90 % certainty"),
        Column::new("now", 1, "time at the largest size measured"),
        Column::words("grows as", 0, "the curve that fits best"),
    ];
    let rows = forecasts.scopes.iter().take(page.top.unwrap_or(ROWS)).map(|(name, told)| {
        let [low, high] = told.forecast.interval;
        let cells = vec![
            Cell::duration(Some(told.forecast.value)),
            Cell::words(format!("{} to {}", duration(low), duration(high))),
            Cell::duration(Some(told.largest)),
            Cell::words(grows(&told.forecast.scaling.to_string(), &page.variable)),
        ];
        Row::new(Name::plain(name.clone()), cells)
    });
    let (subject, title) = match forecasts.is_of_functions {
        true => ("function", "Its functions then"),
        false => ("scope", "Its scopes then"),
    };
    let table = Table { subject, columns, rows: rows.collect() };
    Some(Section::new("scopes", title, Body::Table(table)))
}

/// The formula in the word that the user has for the size.
fn grows(formula: &str, variable: &str) -> String {
    match formula {
        "constant" => "a constant".to_owned(),
        formula if variable == "n" => formula.to_owned(),
        formula => formula.split(' ').map(|word| renamed(word, variable)).collect::<Vec<_>>().join(" "),
    }
}

fn renamed(word: &str, variable: &str) -> String {
    match word.strip_prefix('n') {
        Some(rest) if rest.is_empty() || rest.starts_with('^') => format!("{variable}{rest}"),
        _ => word.to_owned(),
    }
}

/// A size: whole numbers without digits behind the point.
fn size(size: f64) -> String {
    if size.fract() == 0.0 && size < 1e15 { format!("{size:.0}") } else { format!("{size}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_told_in_the_users_word_for_the_size() {
        assert_eq!(grows("n + n^2", "tokens"), "tokens + tokens^2");
        assert_eq!(grows("n log n", "tokens"), "tokens log tokens");
        assert_eq!(
            (grows("n^1.5", "n"), grows("constant", "tokens")),
            ("n^1.5".to_owned(), "a constant".to_owned())
        );
        assert_eq!((size(4000.0), size(0.5)), ("4000".to_owned(), "0.5".to_owned()));
    }
}
