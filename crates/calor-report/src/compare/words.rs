//! The sentences of a page about a comparison. What it came to is said by the analysis itself, in the same words wherever it
//! is shown.

use calor_analysis::quantity::{counted, percent, signed_percent, times};
use calor_analysis::{
    Circumstance, CommonCause, CommonFactor, FunctionDifference, Presence, ToldDifference, Verdict,
};

use super::{CompareMetric, Compared, Unlike};
use crate::document::Tone;

/// The verdict in one sentence, with effect and interval.
pub(super) fn headline(compared: &Compared) -> String {
    if let Some(unlike) = &compared.unlike {
        return of_other_work(compared, unlike);
    }
    let word = match compared.difference.verdict {
        Verdict::Regressed => "Regressed",
        Verdict::Improved => "Improved",
        Verdict::Same => "Same",
        Verdict::Undecided => "Undecided",
    };
    format!("{word}: {}.", told(compared))
}

/// The same of sides that did different work, of which none is the other's regression.
fn of_other_work(compared: &Compared, unlike: &Unlike) -> String {
    let difference = &compared.difference;
    let ratio = times(difference.after / difference.before);
    let what = told_metric(compared);
    match unlike {
        Unlike::Models([before, after]) => {
            format!("Different models, so no verdict: {after} has {ratio} the {what} of {before}.")
        }
        Unlike::Lengths([before, after]) => {
            // Sides may have other numbers of inferences as well, so this is of all of them.
            format!(
                "Different work, so no verdict: {after}, against {before} before; all of them together took {ratio} the {what}."
            )
        }
    }
}

/// What stands in it behind the verdict.
pub(super) fn told(compared: &Compared) -> ToldDifference {
    let difference = &compared.difference;
    let mut told = difference.told(told_metric(compared));
    if difference.common.cause == CommonCause::Build && is_other_work(compared) {
        let moved = signed_percent(difference.common.change.effect);
        told.moved =
            Some(format!("the build or the command moved everything by {moved}, the machine did not"));
    }
    told
}

/// The analysis knows kinds of figures, the reader what they are of.
fn told_metric(compared: &Compared) -> &str {
    match &compared.metric {
        CompareMetric::Events(name) => name,
        CompareMetric::Scopes => "time in scopes",
        CompareMetric::OffCpu => "time waited",
        _ => compared.difference.metric.name(),
    }
}

/// Whether the sides were given different things to do: then it may not be the build that moved everything.
fn is_other_work(compared: &Compared) -> bool {
    let is_work = |what: &Circumstance| matches!(what, Circumstance::Command | Circumstance::Label(_));
    compared.mismatches.iter().any(|mismatch| is_work(&mismatch.what))
}

/// How the headline is coloured.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Regressed => Tone::Worse,
        Verdict::Improved => Tone::Better,
        Verdict::Same | Verdict::Undecided => Tone::Plain,
    }
}

/// What has to be known before the figures are read, in few words; `None` where sides are alike.
pub(super) fn banner(compared: &Compared) -> Option<String> {
    let mismatches = &compared.mismatches;
    let named: Vec<String> = mismatches.iter().map(|mismatch| mismatch.what.to_string()).collect();
    let is_serious = mismatches.iter().any(|mismatch| mismatch.what.is_serious());
    let others = match is_serious {
        true => ": the difference may be theirs and not the program's",
        false => "",
    };
    (!named.is_empty()).then(|| format!("The sides differ in {}{others}.", listed(&named)))
}

fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What moved all functions together, in a sentence.
pub(super) fn common(factor: &CommonFactor, n_functions: usize) -> String {
    let moved = factor.change.to_string();
    // Of a single run a side there are no bounds.
    let [low, high] = factor.change.interval;
    let moved = if low == high { signed_percent(factor.change.effect) } else { moved };
    let is_none = factor.change.effect == 0.0;
    match factor.cause {
        CommonCause::Nothing if is_none && n_functions < CommonFactor::FEWEST_FUNCTIONS => {
            "Too few functions to tell what moved all of them from what moved one.".to_owned()
        }
        CommonCause::Nothing if is_none => "Nothing moved all functions together.".to_owned(),
        CommonCause::Nothing => format!(
            "All functions moved by {moved} together, which is no more than chance or the margin: it is in the verdict, \
             and taken out of the functions."
        ),
        CommonCause::Machine => format!(
            "The machine moved everything by {moved}: it is taken out of the verdict and of the functions."
        ),
        CommonCause::Build => format!(
            "All functions moved by {moved} and the machine did not: it is the build, its flags or what it was given to do. \
             It is in the verdict, and taken out of the functions."
        ),
        CommonCause::Unknown => format!(
            "All functions moved by {moved}, and these profiles do not tell whether the machine or the build did: runs \
             in turns and `--interleaved` would. It is taken out of the functions."
        ),
    }
}

/// How fast the machine was, by the piece of code that recordings time, in a sentence; `None` where a run did not time it.
pub(super) fn canary(factor: &CommonFactor) -> Option<String> {
    let canary = factor.canary?;
    let size = percent(canary.effect.abs());
    let took = match canary.effect {
        effect if effect.abs() < 0.000_5 => "as long after as before".to_owned(),
        effect if effect > 0.0 => format!("{size} more time after"),
        _ => format!("{size} less time after"),
    };
    let [low, high] = canary.interval.map(signed_percent);
    let interval = match canary.interval[0] < canary.interval[1] {
        true => format!(" (95 % interval {} to {high})", low.trim_end_matches(" %")),
        false => String::new(),
    };
    Some(format!("The fixed piece of code that every recording times took {took}{interval}."))
}

/// What moved all functions together, as a step between two totals.
pub(super) fn common_step(compared: &Compared) -> String {
    let subject = compared.metric.subject();
    match compared.difference.common.cause {
        CommonCause::Machine => format!("the machine, in all {subject}s"),
        CommonCause::Build if is_other_work(compared) => {
            format!("the build or the command, in all {subject}s")
        }
        CommonCause::Build => format!("the build, in all {subject}s"),
        CommonCause::Unknown | CommonCause::Nothing => format!("all {subject}s alike"),
    }
}

/// The machine's part, where it is known: 1.1 is a machine that is 10 % slower after.
pub(super) fn machine_factor(factor: &CommonFactor) -> Option<f64> {
    match factor.cause {
        CommonCause::Machine => Some(1.0 + factor.change.effect),
        CommonCause::Nothing | CommonCause::Build => Some(1.0),
        CommonCause::Unknown => None,
    }
}

/// What else changed beyond doubt, where what was compared leaves it open; `None` where nothing did.
pub(super) fn decided_elsewhere(compared: &Compared) -> Option<String> {
    if compared.difference.verdict != Verdict::Undecided || compared.is_of_other_work() {
        return None;
    }
    let others = compared.others.iter();
    let others = others.map(|(metric, found)| (metric.total_name(), found.verdict, found.change));
    let wholes = compared.wholes.iter().filter_map(|whole| Some((whole.of, whole.judged?)));
    let wholes = wholes.map(|(of, found)| (of.name().to_owned(), found.verdict, found.change));
    let changed = others.chain(wholes).filter(|(_, verdict, _)| verdict.is_change());
    let changed: Vec<String> = changed
        .filter_map(|(name, verdict, change)| Some(format!("{name} {verdict}, {}", change?)))
        .collect();
    (!changed.is_empty()).then(|| format!("Decided all the same: {}.", changed.join("; ")))
}

/// What became of a whole, as a word of a table.
pub(super) fn total_verdict(verdict: Verdict, suspected: Option<Verdict>) -> &'static str {
    match suspected {
        Some(suspected) if suspected.is_change() => "suspected",
        _ => verdict.word(),
    }
}

/// What became of a function, as a word of a table.
pub(super) fn verdict(compared: &Compared, function: &FunctionDifference) -> &'static str {
    match (function.verdict, function.suspected, &function.presence) {
        (Verdict::Regressed, ..) => "regressed",
        (Verdict::Improved, ..) => "improved",
        // A sample or two are there or not by chance.
        (_, _, Presence::New) if compared.is_change(function) => "new",
        (_, _, Presence::Vanished) if compared.is_change(function) => "vanished",
        (_, Some(suspected), _) if suspected.is_change() => "suspected",
        (_, Some(Verdict::Same), _) | (Verdict::Same, ..) => "same",
        _ => "undecided",
    }
}

/// How its row is shown: what decides nothing steps back.
pub(super) fn function_tone(compared: &Compared, function: &FunctionDifference) -> Tone {
    match verdict(compared, function) {
        "regressed" => Tone::Worse,
        "improved" => Tone::Better,
        "undecided" => Tone::Quiet,
        "new" | "vanished" if !compared.is_known(function) => Tone::Quiet,
        _ => Tone::Plain,
    }
}

/// How many runs a side has and what they are called.
pub(super) fn runs(names: &[String]) -> String {
    const NAMED: usize = 4;
    match names {
        [one] => one.clone(),
        few if few.len() <= NAMED => few.join(", "),
        [first, .., last] => format!("{}: {first} to {last}", counted(names.len() as u64, "run")),
        [] => String::new(),
    }
}
