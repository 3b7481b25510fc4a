//! The explanation for people: the verdict, the causes, the curve.

use calor_analysis::quantity::{duration, percent};
use calor_analysis::{Why, WhyPoint};
use calor_report::wrapped;

use super::explanation::Explanation;
use super::size::shown;
use crate::table::table;

/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 40;
/// Before what is said of a cause.
const INDENT: &str = "        ";

pub(super) fn page(explanation: &Explanation, width: usize, is_coloured: bool) -> String {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let columns = width.max(NARROWEST);
    let mut page = String::new();
    for line in wrapped(&headline(explanation), columns) {
        page += &format!("{}\n", paint("1", &line));
    }
    page.push('\n');
    for (name, shown) in ['A', 'B'].iter().zip(explanation.names()) {
        page += &format!("  {name}  {shown}\n");
    }
    page.push('\n');
    if let Some(why) = &explanation.why {
        page += &format!("  {}\n\n", why_at(explanation, why));
        for reason in &why.reasons {
            page += &format!("  {}  {}\n", paint("1", &part(reason.share)), paint("1", reason.cause.name()));
            let advice = format!("try: {}", reason.cause.advice());
            for sentence in reason.evidence.iter().chain([&advice]) {
                for line in wrapped(sentence, columns.saturating_sub(INDENT.len())) {
                    page += &format!("{INDENT}{line}\n");
                }
            }
        }
        if why.unexplained >= 0.005 {
            page += &format!("  {}  {}\n", part(why.unexplained), unexplained(why));
        }
        page.push('\n');
    }
    if explanation.has_sizes {
        for (at, line) in table(&curve(explanation)).iter().enumerate() {
            page += &format!("  {}\n", if at == 0 { paint("2", line) } else { line.clone() });
        }
        page.push('\n');
    }
    for sentence in remarks(explanation) {
        for (at, line) in wrapped(&sentence, columns.saturating_sub(4)).iter().enumerate() {
            page += &format!("{}{line}\n", if at == 0 { "  " } else { "    " });
        }
    }
    page
}

/// The verdict, by call and size.
pub(super) fn headline(explanation: &Explanation) -> String {
    let sentence = explanation.sentence();
    let point = &explanation.evidence.points[explanation.evidence.focus];
    match explanation.has_sizes {
        true => format!("At size {}: {sentence}", shown(point.size)),
        false => sentence,
    }
}

/// What is explained.
pub(super) fn why_at(explanation: &Explanation, why: &Why) -> String {
    let at = match explanation.has_sizes {
        true => format!(" at size {}", shown(why.size)),
        false => String::new(),
    };
    format!(
        "Why a call of {} takes {:.1} times as long{at}: {} of A, {} of B ({})",
        ['A', 'B'][why.slower],
        why.ratio(),
        duration(why.nanos[0]),
        duration(why.nanos[1]),
        why.clock.name()
    )
}

/// What nobody claims.
pub(super) fn unexplained(why: &Why) -> &'static str {
    match why.reasons.is_empty() {
        true => "unexplained: what was recorded shows no cause",
        false => "unexplained",
    }
}

fn part(share: f64) -> String {
    format!("{:>4.0} %", 100.0 * share)
}

/// The cells of the curve, its head first.
pub(super) fn curve(explanation: &Explanation) -> Vec<Vec<String>> {
    let evidence = &explanation.evidence;
    let tier = |point: &WhyPoint| {
        let tier =
            evidence.roof.as_ref().zip(point.bytes).and_then(|(roof, bytes)| roof.tier_with_room_for(bytes));
        tier.map(|(_, tier)| tier.name.clone()).unwrap_or_default()
    };
    let head = ["size", "A", "B", "B by A", "A an element", "B an element", "fits"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    for point in &evidence.points {
        let [a, b] = point.nanos(evidence.clock);
        let each = |nanos: f64| duration(nanos / point.size);
        let ratio = format!("{:.2}", point.gap(evidence.clock).exp());
        cells.push(vec![shown(point.size), duration(a), duration(b), ratio, each(a), each(b), tier(point)]);
    }
    cells
}

/// What else is to be known.
pub(super) fn remarks(explanation: &Explanation) -> Vec<String> {
    let outcome = &explanation.outcome;
    let mut remarks = Vec::new();
    match &explanation.why {
        Some(why) => {
            remarks.extend(why.notes.iter().cloned());
            remarks.extend(why.missing.iter().map(|missing| format!("not known: {missing}")));
        }
        None if outcome.is_interrupted => {}
        None => remarks.push(no_gap(explanation)),
    }
    remarks.extend(outcome.warnings.iter().map(|warning| format!("warning: {}", warning.message)));
    let elapsed = duration(outcome.elapsed.as_nanos() as f64);
    remarks.push(format!(
        "{} pairs at this size, all in {elapsed} (seed {})",
        outcome.n_pairs, outcome.plan.seed
    ));
    remarks
}

fn no_gap(explanation: &Explanation) -> String {
    let gaps = explanation.evidence.points.iter().map(|point| point.gap(explanation.evidence.clock).abs());
    let widest = gaps.fold(0.0, f64::max).exp() - 1.0;
    format!("there is no gap to explain: the widest is {}, within what times scatter", percent(widest))
}
