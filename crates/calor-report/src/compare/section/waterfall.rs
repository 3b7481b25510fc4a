//! How the total before becomes the total after, function by function.

use calor_analysis::CommonCause;
use calor_analysis::comparison::Comparison;
use calor_analysis::quantity::counted;

use super::super::name::Names;
use super::super::words;
use crate::document::{Bar, Body, Section, Tone, Waterfall};

/// Steps of the waterfall.
const STEPS: usize = 10;

/// The steps from one total to the other.
pub(in crate::compare) fn waterfall(compared: &Comparison) -> Section {
    let difference = &compared.difference;
    let unit = compared.metric.unit();
    let names = Names::new(&difference.functions);
    let waterfall = difference.waterfall(STEPS);
    let mut level = difference.before;
    let mut bars = Vec::new();
    let mut step = |name: String, delta: f64, tone: Tone| {
        let tone = if compared.is_of_other_work() { Tone::Plain } else { tone };
        let span = [level, level + delta];
        level += delta;
        bars.push(Bar { name, text: unit.signed(delta), span, tone });
    };
    if let Some(delta) = waterfall.common {
        let is_known = matches!(difference.common.cause, CommonCause::Machine | CommonCause::Build);
        step(words::common_step(compared), delta, tone(is_known, delta));
    }
    for told in &waterfall.steps {
        let function = &difference.functions[told.function_idx];
        let name = names.plain(&function.function);
        // Of different models none is known to be a change, and none is to be.
        let name = match function.verdict.is_change() || compared.is_of_other_work() {
            true => name,
            false => format!("{name} ({})", compared.word_of(function)),
        };
        step(name, told.delta, tone(compared.is_known(function), told.delta));
    }
    if waterfall.n_rest > 0 {
        let all = || counted(waterfall.n_rest as u64, compared.metric.subject());
        let others = match (waterfall.steps.is_empty(), waterfall.common) {
            (true, None) => format!("all {}", all()),
            (true, Some(_)) => format!("{} by themselves", all()),
            (false, _) => counted(waterfall.n_rest as u64, "other"),
        };
        step(others, waterfall.rest, Tone::Quiet);
    }
    let ends = [difference.before, difference.after];
    let levels = || bars.iter().flat_map(|bar| bar.span).chain(ends);
    let (lowest, highest) = (levels().fold(f64::INFINITY, f64::min), levels().fold(0.0, f64::max));
    // Steps are small beside the totals: a scale from nothing would not show them.
    let left = (lowest - 0.5 * (highest - lowest)).max(0.0);
    let left = if left < 0.5 * highest || lowest == highest { 0.0 } else { left };
    let end = |name: &str, value: f64| Bar {
        name: name.to_owned(),
        text: unit.text(value),
        span: [left, value],
        tone: Tone::Plain,
    };
    bars.insert(0, end("before", difference.before));
    bars.push(end("after", difference.after));
    let cut = match left > 0.0 {
        true => format!(" Bars begin at {}.", unit.text(left)),
        false => String::new(),
    };
    let pale = match bars.iter().any(|bar| bar.tone == Tone::Quiet) {
        true => " Pale steps are not known to be changes.",
        false => "",
    };
    let rest = if waterfall.n_rest > 0 { ", and all others together" } else { "" };
    let intro = format!(
        "How {} became {}: the largest steps by themselves{rest}.{pale}{cut}",
        unit.text(difference.before),
        unit.text(difference.after),
    );
    let edges = [left, highest.max(left + f64::MIN_POSITIVE)];
    Section::new("waterfall", "From before to after", Body::Waterfall(Waterfall { edges, bars }))
        .with_intro(intro)
}

/// How a step is shown: only what is known to have changed has a colour.
fn tone(is_known: bool, delta: f64) -> Tone {
    match is_known {
        false => Tone::Quiet,
        true if delta > 0.0 => Tone::Worse,
        true => Tone::Better,
    }
}
