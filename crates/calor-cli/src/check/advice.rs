//! What would decide an open verdict, as commands that can be typed, the most helpful first.

use std::ffi::OsString;

use calor_analysis::gate::{GatedComparison, Remedy};
use calor_analysis::workload::BenchCommand;
use calor_model::command_words;
use calor_store::Baseline;

use super::runs::Before;
use crate::command_line;

/// What was asked for.
pub(super) struct Asked {
    /// The command line, where a command was recorded; its first word stands for Calor.
    pub(super) line: Option<Vec<OsString>>,
    /// Whether it was said what becomes of an open verdict.
    pub(super) has_policy: bool,
}

/// What to do about a comparison; nothing where it is decided.
pub(super) fn advice(comparison: &GatedComparison, before: &Before, asked: &Asked) -> Vec<String> {
    let remedies = comparison.remedies(asked.has_policy).into_iter();
    remedies.filter_map(|remedy| in_words(remedy, before.baseline(), asked)).collect()
}

/// `None` of what takes a baseline, where there is none.
fn in_words(remedy: Remedy, baseline: Option<&Baseline>, asked: &Asked) -> Option<String> {
    Some(match remedy {
        Remedy::SameModel => {
            "hold the model against runs of the same one: name it in both, as in `calor bench model --size small`".to_owned()
        }
        Remedy::SameWork => "hold the run against runs of the same work: give both the same --tokens and --prompt, as in `calor bench model \
                             --tokens 50 --prompt 15`"
            .to_owned(),
        Remedy::MoreRuns { n_runs, is_before, is_after } => {
            more_runs(baseline?, asked, n_runs, [is_before, is_after])
        }
        Remedy::Turns => turns(baseline?, asked),
        Remedy::MoreTurns(n) => {
            let line = asked.typed(&["--runs"], &["--runs".to_owned(), n.to_string()]);
            format!("give it more runs: `{line}`")
        }
        Remedy::WiderMargin(margin) => {
            let percent = format!("{:.0}%", 100.0 * margin);
            let line = asked.typed(&["--margin"], &["--margin".to_owned(), percent.clone()]);
            format!("where up to {percent} do not matter, say so: `{line}`")
        }
        Remedy::Policy => "let what is open pass or fail, which is exit code 3 now: `--undecided pass` or `fail`, or a line `undecided = \
                           \"pass\"` in [check] of calor.toml"
            .to_owned(),
    })
}

/// To record either side more often.
fn more_runs(baseline: &Baseline, asked: &Asked, wanted: usize, [is_before, is_after]: [bool; 2]) -> String {
    let check = asked.typed(&["--runs"], &["--runs".to_owned(), wanted.to_string()]);
    let former = baseline.runs.first().and_then(|run| run.command.as_deref()).unwrap_or("CMD BEFORE");
    let mut kept = asked.kept(&["--store", "--profile"]);
    if !kept.contains("--profile")
        && let Some(own) = BenchCommand::of(&command_words(former)).and_then(|it| it.own_profile())
    {
        let own = command_line::shown(&[own]);
        kept += &format!(" --profile {own}");
    }
    let set = format!("calor baseline set {} --runs {wanted}{kept} -- {former}", baseline.name);
    match (is_before, is_after) {
        (true, true) => format!(
            "record the baseline {wanted} times, where its program is, and check as many: `{set}`, then `{check}`"
        ),
        (true, false) => format!("record the baseline {wanted} times, where its program is: `{set}`"),
        (false, _) => format!("check more runs: `{check}`"),
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
