//! The sentences of a page about findings, the same in every format for people.

use calor_analysis::findings::{Evidence, Finding, Findings, Gain, NotEnough, SuppressedBy, Unit};
use calor_model::Warning;

use calor_analysis::quantity::{amount, byte_rate, bytes, count, counted, duration, percent, rate};

/// Ways to record more that are told unless all are asked for.
const MOST_MISSING: usize = 4;
/// Beginnings of the names of what starts programs and threads.
const RUNTIME: [&str; 13] = [
    "std::",
    "core::",
    "alloc::",
    "<std::",
    "<core::",
    "<alloc::",
    "_start",
    "__libc_start",
    "start_thread",
    "__clone",
    "clone3",
    "Thread._bootstrap",
    "Thread.run",
];
/// Where the pages of rules that come with Calor are.
const RULE_PAGES: &str = "docs/rules/";
/// What calls the main function of programs that are not of C.
const C_MAIN: &str = "main";
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

/// A value, its interval and its threshold, each where there is one.
pub(super) fn figures(evidence: &Evidence) -> [String; 3] {
    let of = |value: f64| figure(value, evidence.unit);
    let interval = evidence.interval.map(|(low, high)| format!("{} to {}", of(low), of(high)));
    [of(evidence.value), interval.unwrap_or_default(), evidence.threshold.map(of).unwrap_or_default()]
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

/// What the fix gives, in a few words.
pub(crate) fn gain_in_short(gain: &Gain) -> String {
    match gain.memory {
        Some((low, high)) => format!("{} less memory", saved(low, high)),
        None => format!("{} faster", times(gain.low, gain.high)),
    }
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
pub(super) fn times(low: f64, high: f64) -> String {
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

/// The functions that lead to the place, if any do; of many the nearest, and without what every program begins with.
pub(super) fn callers(finding: &Finding) -> Option<String> {
    const MOST: usize = 4;
    let (_, callers) = finding.place.path.split_last()?;
    let is_told = |name: &&str| !RUNTIME.iter().any(|beginning| name.starts_with(beginning));
    let mut callers: Vec<&str> = callers.iter().map(String::as_str).filter(is_told).collect();
    if callers.first() == Some(&C_MAIN) && finding.place.path.iter().any(|name| name.ends_with("::main")) {
        callers.remove(0);
    }
    let from = callers.len().saturating_sub(MOST);
    let cut = if from > 0 { "… > " } else { "" };
    (!callers.is_empty()).then(|| format!("{cut}{}", callers[from..].join(" > ")))
}

/// Where more is written about its rule; empty where nothing is. The pages of rules that come with Calor are in the command.
pub(super) fn more_about(finding: &Finding) -> String {
    match finding.doc.as_str() {
        "" => String::new(),
        own if own.starts_with(RULE_PAGES) => format!("`calor findings --explain {}`", finding.rule),
        elsewhere => elsewhere.to_owned(),
    }
}

/// What gains are of where it is not known how long the program waited.
pub(super) const WITHOUT_WAITS: &str = "gains are of the time in which the program ran: how long it waited is not known, \
                                        `calor record --off-cpu` tells";

/// How many findings are not shown.
pub(super) fn more(n_more: usize) -> String {
    format!("{} more with --all", count(n_more as u64))
}

/// What the profile could not see, as a title says it.
pub(super) const NOT_SEEN: &str = "What the profile could not see";
/// So many of it are told where not all is asked for.
const MOST_NOT_SEEN: usize = 4;

/// What the profile could not see, one sentence each.
pub(super) fn not_seen(warnings: &[Warning], shows_all: bool) -> Vec<String> {
    let most = if shows_all { usize::MAX } else { MOST_NOT_SEEN };
    let told = |warning: &Warning| match warning.count {
        Some(n) if n > 1 => format!("{} ({} times)", warning.message, count(n)),
        _ => warning.message.clone(),
    };
    let more = warnings.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("{} more with --all", count(more as u64)));
    warnings.iter().take(most).map(told).chain(more).collect()
}

/// How many rules found nothing.
pub(super) fn fine(n_fine: usize) -> String {
    format!("{} found nothing worth a change", counted(n_fine as u64, "rule"))
}

/// What was judged and is not shown, one sentence each.
pub(super) fn not_shown(findings: &Findings, n_more: usize) -> Vec<String> {
    let mut sentences = Vec::new();
    if n_more > 0 {
        sentences.push(more(n_more));
    }
    if !findings.fine.is_empty() {
        sentences.push(fine(findings.fine.len()));
    }
    let symptoms = findings.suppressed.iter().filter(|one| matches!(one.by, SuppressedBy::Rule(_)));
    let mut rules: Vec<&str> = symptoms.clone().map(|one| one.finding.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    match symptoms.count() {
        0 => {}
        1 => sentences
            .push(format!("1 finding is not shown, as a symptom of those above: {}", rules.join(", "))),
        n => sentences.push(format!(
            "{} are not shown, as symptoms of those above: {}",
            counted(n as u64, "finding"),
            rules.join(", ")
        )),
    }
    for one in &findings.suppressed {
        if let SuppressedBy::User(reason) = &one.by {
            let (rule, function) = (&one.finding.rule, &one.finding.place.function);
            sentences.push(format!("{rule} in {function} is suppressed: {reason}"));
        }
    }
    sentences
}

/// How many rules could not judge, and where that is told.
pub(super) fn n_not_enough(findings: &Findings) -> Option<String> {
    let n = findings.not_enough.len() as u64;
    (n > 0).then(|| {
        format!(
            "{} had not enough data: `calor findings FILE --all` tells what is missing",
            counted(n, "rule")
        )
    })
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
    let sentence = |(how, mut told, rules): (&str, Vec<&str>, Vec<&str>)| {
        // Every block of the heap is the heap too.
        let all = told.clone();
        told.retain(|one| !all.iter().any(|other| other.len() > one.len() && other.contains(one)));
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
