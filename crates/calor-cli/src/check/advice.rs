//! What would decide an open verdict: commands as they can be typed, the most helpful first. Runs of a baseline and of today saw
//! different moments of the machine, which more runs do not mend; programs that take turns do.

use std::ffi::OsString;

use calor_analysis::{Change, CommonCause, Difference};
use calor_model::command_words;
use calor_report::Unlike;
use calor_store::Baseline;

use super::RUNS;
use super::comparison::Comparison;
use super::workload::Workload;
use crate::command_line;

/// Nobody is asked to record a baseline more often than this, or to let programs take turns.
const MOST_RUNS: usize = 100;
const MOST_TURNS: usize = 1_000;
/// Margins that people take.
const MARGINS: [f64; 4] = [0.1, 0.2, 0.3, 0.5];

/// What was asked for.
pub(super) struct Asked {
    /// The command line, where a command was recorded; its first word stands for Calor.
    pub(super) line: Option<Vec<OsString>>,
    /// Whether it was said what becomes of an open verdict.
    pub(super) has_policy: bool,
}

/// Of a verdict that is open.
pub(super) fn advice(comparison: &Comparison, asked: &Asked) -> Vec<String> {
    match comparison.compared.unlike() {
        Some(Unlike::Models(_)) => {
            return vec!["hold the model against runs of the same one: name it in both, as in `calor bench model --size small`".to_owned()];
        }
        Some(Unlike::Lengths(_)) => {
            return vec!["hold the run against runs of the same work: give both the same --tokens and --prompt, as in `calor bench model \
                         --tokens 50 --prompt 15`".to_owned()];
        }
        None => {}
    }
    let difference = comparison.compared.difference();
    let wanted = difference.needs_runs.unwrap_or(RUNS).max(RUNS);
    let mut advice = Vec::new();
    match comparison.before.baseline() {
        Some(baseline) => {
            let more =
                (wanted <= MOST_RUNS).then(|| more_runs(baseline, difference, asked, wanted)).flatten();
            let turns = turns(baseline, asked);
            match is_of_machine(comparison) {
                true => advice.extend([Some(turns), more.filter(|_| difference.n_runs.contains(&1))]),
                false => advice.extend([more, Some(turns)]),
            }
        }
        None if difference.n_runs[1] < wanted && wanted <= MOST_TURNS => {
            let line = asked.typed(&["--runs"], &["--runs".to_owned(), wanted.to_string()]);
            advice.push(Some(format!("give it more runs: `{line}`")));
        }
        None => {}
    }
    let mut advice: Vec<String> = advice.into_iter().flatten().collect();
    advice.extend(wider_margin(difference, asked));
    if !asked.has_policy {
        advice.push(
            "let what is open pass or fail, which is exit code 3 now: `--undecided pass` or `fail`, or a line `undecided = \
             \"pass\"` in [check] of calor.toml"
                .to_owned(),
        );
    }
    advice
}

/// Whether more runs at other times would not tell, since it may have been the machine.
fn is_of_machine(comparison: &Comparison) -> bool {
    let difference = comparison.compared.difference();
    let is_moved = matches!(difference.common.cause, CommonCause::Machine | CommonCause::Unknown)
        || difference
            .common
            .canary
            .is_some_and(|Change { interval: [low, high], .. }| low > 0.0 || high < 0.0);
    is_moved || comparison.is_hidden() || comparison.is_refuted
}

/// To record either side more often.
fn more_runs(baseline: &Baseline, difference: &Difference, asked: &Asked, wanted: usize) -> Option<String> {
    let [n_before, n_after] = difference.n_runs;
    let check = asked.typed(&["--runs"], &["--runs".to_owned(), wanted.to_string()]);
    let former = baseline.runs.first().and_then(|run| run.command.as_deref()).unwrap_or("CMD BEFORE");
    let mut kept = asked.kept(&["--store", "--profile"]);
    if !kept.contains("--profile")
        && let Some(own) = Workload::of(&command_words(former)).and_then(|it| it.own_profile())
    {
        let own = command_line::shown(&[own]);
        kept += &format!(" --profile {own}");
    }
    let set = format!("calor baseline set {} --runs {wanted}{kept} -- {former}", baseline.name);
    match (n_before < wanted, n_after < wanted) {
        (true, true) => Some(format!(
            "record the baseline {wanted} times, where its program is, and check as many: `{set}`, then `{check}`"
        )),
        (true, false) => Some(format!("record the baseline {wanted} times, where its program is: `{set}`")),
        (false, true) => Some(format!("check more runs: `{check}`")),
        (false, false) => None,
    }
}

/// To let the program of the baseline and that of today take turns.
fn turns(baseline: &Baseline, asked: &Asked) -> String {
    let line = asked.typed(&["--baseline"], &["--against".to_owned(), "CMD BEFORE".to_owned()]);
    let commit = baseline.revision.commit.as_deref().map(|commit| commit.chars().take(7).collect::<String>());
    let at_hand = match commit {
        Some(commit) => format!(
            "build commit {commit} beside this one, which `git worktree add ../before {commit}` checks out, and let both programs"
        ),
        None => "have the program of the baseline at hand as well, and let both".to_owned(),
    };
    format!("{at_hand} take turns: `{line}`")
}

/// A margin that lets what is possible pass, where nothing else speaks against it.
fn wider_margin(difference: &Difference, asked: &Asked) -> Option<String> {
    let [_, high] = difference.change?.interval;
    let is_of_size = difference.common.cause != CommonCause::Unknown && !difference.n_runs.contains(&1);
    let margin = MARGINS
        .into_iter()
        .find(|margin| *margin >= high && *margin > difference.margin)
        .filter(|_| is_of_size)?;
    let percent = format!("{:.0}%", 100.0 * margin);
    let line = asked.typed(&["--margin"], &["--margin".to_owned(), percent.clone()]);
    Some(format!("where up to {percent} do not matter, say so: `{line}`"))
}

impl Asked {
    /// The check as it was typed, without some options that have a value, and with some words instead.
    fn typed(&self, without: &[&str], with: &[String]) -> String {
        let Some(line) = &self.line else {
            let baseline = if without.contains(&"--baseline") { "" } else { " --baseline NAME" };
            let with: Vec<OsString> = with.iter().map(OsString::from).collect();
            return format!("calor check{baseline} {} -- CMD", command_line::shown(&with));
        };
        let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
        let mut words = self.options(without, with);
        words.extend_from_slice(&line[end..]);
        command_line::shown(&words)
    }

    /// The same without the command that is checked.
    pub(super) fn options(&self, without: &[&str], with: &[String]) -> Vec<OsString> {
        let Some(line) = &self.line else {
            let words = ["calor", "check"].map(OsString::from);
            return words.into_iter().chain(with.iter().map(OsString::from)).collect();
        };
        let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
        let mut words = vec![OsString::from("calor")];
        let mut options = line[..end].iter().skip(1);
        while let Some(word) = options.next() {
            let text = word.to_string_lossy();
            if without.contains(&&*text) {
                options.next();
            } else if !without.iter().any(|name| text.starts_with(&format!("{name}="))) {
                words.push(word.clone());
            }
        }
        words.extend(with.iter().map(OsString::from));
        words
    }

    /// Options with their values that were typed, with a blank before each.
    fn kept(&self, names: &[&str]) -> String {
        let line = self.line.as_deref().unwrap_or_default();
        let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
        let pairs = line[..end].windows(2).filter(|pair| names.iter().any(|name| pair[0] == *name));
        let joined = line[..end]
            .iter()
            .filter(|word| names.iter().any(|name| word.to_string_lossy().starts_with(&format!("{name}="))));
        let kept = pairs.map(<[OsString]>::to_vec).chain(joined.map(|word| vec![word.clone()]));
        kept.map(|words| format!(" {}", command_line::shown(&words))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &[&str]) -> Asked {
        Asked { line: Some(line.iter().map(OsString::from).collect()), has_policy: false }
    }

    #[test]
    fn a_check_is_typed_again_with_all_that_was_asked_for() {
        let asked = asked(&[
            "/usr/bin/calor",
            "check",
            "--baseline",
            "main",
            "--runs=4",
            "--budget",
            "a b=5 ms",
            "--store",
            "x y",
            "--",
            "./bench",
            "--runs",
            "7",
            "it's",
        ]);
        let runs = ["--runs".to_owned(), "40".to_owned()];
        assert_eq!(
            asked.typed(&["--runs"], &runs),
            "calor check --baseline main --budget 'a b=5 ms' --store 'x y' --runs 40 -- ./bench --runs 7 'it'\\''s'"
        );
        let against = ["--against".to_owned(), "CMD BEFORE".to_owned()];
        assert_eq!(
            asked.typed(&["--baseline"], &against),
            "calor check --runs=4 --budget 'a b=5 ms' --store 'x y' --against 'CMD BEFORE' -- ./bench --runs 7 'it'\\''s'"
        );
        assert_eq!(asked.kept(&["--store", "--runs"]), " --store 'x y' --runs=4");
        let of_files = Asked { line: None, has_policy: true };
        assert_eq!(of_files.typed(&["--runs"], &runs), "calor check --baseline NAME --runs 40 -- CMD");
        assert_eq!(of_files.typed(&["--baseline"], &against), "calor check --against 'CMD BEFORE' -- CMD");
    }
}
