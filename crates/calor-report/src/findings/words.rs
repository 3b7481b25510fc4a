//! The sentences of a page about findings, the same in every format for people.

use calor_analysis::findings::{Evidence, Finding, Findings, Gain, NotEnough, SuppressedBy, Unit};

use crate::quantity::{amount, byte_rate, bytes, count, counted, duration, percent, rate};

/// Ways to record more that are told unless all are asked for.
const MOST_MISSING: usize = 4;
/// Beginnings of the names of what starts programs and threads.
const RUNTIME: [&str; 9] =
    ["std::", "core::", "<std::", "<core::", "_start", "__libc_start", "start_thread", "__clone", "clone3"];
/// Rules that are listed by name for one missing thing; more are counted.
const NAMED_RULES: usize = 3;

/// What came of it in a few words.
pub(super) fn headline(subject: &str, findings: &Findings) -> String {
    match findings.found.len() {
        0 => format!("Nothing found in {subject}"),
        n => format!("{} in {subject}", counted(n as u64, "finding")),
    }
}

/// A figure with its unit.
fn figure(value: f64, unit: Unit) -> String {
    let whole = |value: f64| value.round().max(0.0) as u64;
    match unit {
        Unit::Share => percent(value),
        Unit::Nanos => duration(value),
        Unit::Bytes => bytes(whole(value)),
        Unit::BytesPerSecond => byte_rate(value),
        Unit::FlopsPerSecond => format!("{}FLOP/s", with_blank(&amount(value))),
        Unit::PerSecond => rate(value),
        Unit::Ratio => format!("{value:.2}"),
        Unit::Bits => format!("{value:.0} bit"),
        _ if value.fract() == 0.0 && (0.0..1e18).contains(&value) => count(whole(value)),
        _ => amount(value),
    }
}

/// `41.2 G` before a unit, `41` too.
fn with_blank(amount: &str) -> String {
    match amount.chars().last() {
        Some(last) if last.is_ascii_digit() => format!("{amount} "),
        _ => amount.to_owned(),
    }
}

/// One figure of the evidence.
pub(super) fn evidence(evidence: &Evidence) -> String {
    let mut beside = Vec::new();
    if let Some((low, high)) = evidence.interval {
        beside.push(format!("{} to {}", figure(low, evidence.unit), figure(high, evidence.unit)));
    }
    if let Some(threshold) = evidence.threshold {
        beside.push(format!("threshold {}", figure(threshold, evidence.unit)));
    }
    let beside = if beside.is_empty() { String::new() } else { format!(" ({})", beside.join("; ")) };
    format!("{} {}{beside}", evidence.metric, figure(evidence.value, evidence.unit))
}

/// What the fix gives, and why.
pub(super) fn gain(gain: &Gain) -> String {
    let reason = if gain.reason.is_empty() { String::new() } else { format!(", {}", gain.reason) };
    match gain.memory {
        Some((low, high)) => {
            format!("{} less memory where the heap is largest{reason}", saved(low, high))
        }
        None => format!("{} faster, the whole program{reason}", times(gain.low, gain.high)),
    }
}

/// An interval of speed-ups.
pub(crate) fn times(low: f64, high: f64) -> String {
    match (factor(low), factor(high)) {
        (low, high) if low == high => format!("{low}x"),
        (low, high) => format!("{low}x to {high}x"),
    }
}

fn factor(factor: f64) -> String {
    if factor >= 9.95 { format!("{factor:.0}") } else { format!("{factor:.2}") }
}

fn saved(low: f64, high: f64) -> String {
    match [low, high].map(|factor| percent(1.0 - 1.0 / factor.max(1.0))) {
        [low, high] if low == high => low,
        [low, high] => format!("{low} to {high}"),
    }
}

/// Where it is: the source and the function.
pub(super) fn whereabouts(finding: &Finding) -> String {
    let function = &finding.place.function;
    match finding.place.source() {
        Some(source) => format!("{source} in {function}"),
        None => function.clone(),
    }
}

/// The path to the place, where it says more than the place itself; long ones from their end, and without what every
/// program begins with.
pub(super) fn path(finding: &Finding) -> Option<String> {
    const MOST: usize = 5;
    let is_told = |name: &&String| !RUNTIME.iter().any(|beginning| name.starts_with(beginning));
    let path: Vec<&str> = finding.place.path.iter().filter(is_told).map(String::as_str).collect();
    let from = path.len().saturating_sub(MOST);
    let cut = if from > 0 { "… > " } else { "" };
    (path.len() > 1).then(|| format!("{cut}{}", path[from..].join(" > ")))
}

/// What gains are of where it is not known how long the program waited.
pub(super) const WITHOUT_WAITS: &str = "gains are of the time in which the program ran: how long it waited is not known, \
                                        `calor record --off-cpu` tells";

/// What was judged and is not shown, one sentence each.
pub(super) fn not_shown(findings: &Findings, n_more: usize) -> Vec<String> {
    let mut sentences = Vec::new();
    if n_more > 0 {
        sentences.push(format!("{} more with --all", count(n_more as u64)));
    }
    if !findings.fine.is_empty() {
        let n = counted(findings.fine.len() as u64, "rule");
        sentences.push(format!("{n} found nothing worth a change"));
    }
    let symptoms = findings.suppressed.iter().filter(|one| matches!(one.by, SuppressedBy::Rule(_))).count();
    if symptoms > 0 {
        let n = counted(symptoms as u64, "finding");
        sentences.push(format!("{n} not shown, as symptoms of those above"));
    }
    for one in &findings.suppressed {
        if let SuppressedBy::User(reason) = &one.by {
            let (rule, function) = (&one.finding.rule, &one.finding.place.function);
            sentences.push(format!("{rule} in {function} is suppressed: {reason}"));
        }
    }
    sentences
}

/// What could not be judged: how to record it, what that would tell, and for which rules; what most rules want first. Of
/// more than a few the rest is counted.
pub(super) fn not_enough(findings: &Findings, shows_all: bool) -> (Vec<(String, String)>, Option<String>) {
    let mut groups: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
    for NotEnough { rule, missing, how } in &findings.not_enough {
        match groups.iter_mut().find(|(known, _, _)| *known == how) {
            Some((_, told, rules)) => {
                if !told.contains(&missing.as_str()) {
                    told.push(missing);
                }
                rules.push(rule);
            }
            None => groups.push((how, vec![missing], vec![rule])),
        }
    }
    let sentence = |(how, told, rules): (&str, Vec<&str>, Vec<&str>)| {
        let who = match rules.len() {
            n if n <= NAMED_RULES => rules.join(", "),
            n => format!("{} rules", count(n as u64)),
        };
        (format!("{} (for {who})", told.join("; ")), how.to_owned())
    };
    groups.sort_by_key(|(_, _, rules)| std::cmp::Reverse(rules.len()));
    let rest = groups.split_off(if shows_all { groups.len() } else { groups.len().min(MOST_MISSING) });
    let n_rest: usize = rest.iter().map(|(_, _, rules)| rules.len()).sum();
    let more = (n_rest > 0).then(|| format!("more for {}, with --all", counted(n_rest as u64, "rule")));
    (groups.into_iter().map(sentence).collect(), more)
}
