//! How the total before becomes the total after, function by function.

use calor_analysis::{Difference, FunctionDifference};

use super::super::name::Names;
use super::super::{Compared, words};
use super::is_change;
use crate::document::{Bar, Body, Section, Tone, Waterfall};
use crate::quantity::counted;

/// Steps of the waterfall.
const STEPS: usize = 10;
/// Functions that could not be judged are steps from this part of the total on.
const LEAST_UNJUDGED: f64 = 0.01;

/// The steps from one total to the other.
pub(in crate::compare) fn waterfall(compared: &Compared) -> Section {
    let difference = &compared.difference;
    let unit = compared.metric.unit();
    let names = Names::new(&difference.functions);
    let steps = steps(difference);
    let mut level = difference.before;
    let mut bars = Vec::new();
    let mut step = |name: String, delta: f64, tone: Tone| {
        let span = [level, level + delta];
        level += delta;
        bars.push(Bar { name, text: unit.signed(delta), span, tone });
    };
    for function in &steps {
        let tone = match words::function_tone(function) {
            Tone::Quiet => Tone::Quiet,
            _ if function.delta() > 0.0 => Tone::Worse,
            _ => Tone::Better,
        };
        step(names.plain(&function.function), function.delta(), tone);
    }
    let n_rest = difference.functions.len() - steps.len();
    if n_rest > 0 {
        // What is left, so that the steps add up to the difference exactly.
        let told: f64 = steps.iter().map(|function| function.delta()).sum();
        let others = match steps.is_empty() {
            true => format!("all {}", counted(n_rest as u64, compared.metric.subject())),
            false => counted(n_rest as u64, "other"),
        };
        step(others, difference.after - difference.before - told, Tone::Quiet);
    }
    let ends = [difference.before, difference.after];
    let levels = || bars.iter().flat_map(|bar| bar.span).chain(ends);
    let (lowest, highest) = (levels().fold(f64::INFINITY, f64::min), levels().fold(0.0, f64::max));
    // Steps are small beside the totals: a scale from nothing would not show them.
    let left = (lowest - 0.5 * (highest - lowest)).max(0.0);
    let left = if left < 0.5 * highest { 0.0 } else { left };
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
    let intro = format!(
        "How {} became {}: steps of functions that changed, or may have, and all others together.{cut}",
        unit.text(difference.before),
        unit.text(difference.after)
    );
    let edges = [left, highest.max(left + f64::MIN_POSITIVE)];
    Section::new("waterfall", "From before to after", Body::Waterfall(Waterfall { edges, bars }))
        .with_intro(intro)
}

/// The functions whose steps are shown by themselves: those that changed, or may have. Where none could be judged, the
/// largest differences.
fn steps(difference: &Difference) -> Vec<&FunctionDifference> {
    let is_judged = difference.functions.iter().any(|function| function.q.is_some());
    let is_step = |function: &&FunctionDifference| match is_judged {
        true => is_change(function),
        false => function.contribution.abs() >= LEAST_UNJUDGED,
    };
    difference.functions.iter().filter(is_step).take(STEPS).collect()
}
