//! The sentences of a page about a comparison. What it came to is said by the analysis itself, in the same words wherever it
//! is shown.

use calor_analysis::comparison::Comparison;
use calor_analysis::quantity::{counted, percent, signed_percent};
use calor_analysis::{CommonCause, CommonFactor, FunctionDifference, Verdict};

use crate::document::Tone;

/// How the headline is coloured.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Regressed => Tone::Worse,
        Verdict::Improved => Tone::Better,
        Verdict::Same | Verdict::Undecided => Tone::Plain,
    }
}

/// What has to be known before the figures are read, in few words; `None` where sides are alike.
pub(super) fn banner(compared: &Comparison) -> Option<String> {
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
pub(super) fn common_step(compared: &Comparison) -> String {
    let subject = compared.metric.subject();
    match compared.difference.common.cause {
        CommonCause::Machine => format!("the machine, in all {subject}s"),
        CommonCause::Build if compared.may_be_the_command() => {
            format!("the build or the command, in all {subject}s")
        }
        CommonCause::Build => format!("the build, in all {subject}s"),
        CommonCause::Unknown | CommonCause::Nothing => format!("all {subject}s alike"),
    }
}

/// What became of a whole, as a word of a table.
pub(super) fn total_verdict(verdict: Verdict, suspected: Option<Verdict>) -> &'static str {
    match suspected {
        Some(suspected) if suspected.is_change() => "suspected",
        _ => verdict.word(),
    }
}

/// How its row is shown: what decides nothing steps back.
pub(super) fn function_tone(compared: &Comparison, function: &FunctionDifference) -> Tone {
    match compared.word_of(function) {
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
