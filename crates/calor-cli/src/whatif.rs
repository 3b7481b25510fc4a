//! `calor whatif`: the critical path of a run, and what the run would gain if scopes were faster, predicted from a recording
//! or tried in the program itself.

#[cfg_attr(not(target_os = "linux"), path = "whatif/starter_elsewhere.rs")]
mod starter;
mod trial;
mod trial_page;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use calor_analysis::{Speedup, WhatIfCandidate, WhatIfConfirmation, what_if_candidates};
use calor_report::{WhatIfOptions, render_what_if};
use clap::Args;

use crate::failure::INTERRUPTED;
use crate::format::Written;
use crate::page::{Page, Plain, Top};
use crate::{ExitCode, input, news, number, progress, terminal};

use trial_page::TrialPage;

const EXAMPLES: &str = "\
Examples:
  calor whatif profile.calor
  calor whatif profile.calor --speedup mlp_up=2x
  calor whatif profile.calor --speedup mlp_up=2x --speedup softmax=1.5x
  calor whatif profile.calor --speedup mlp_up=inf
  calor whatif profile.calor --format json | jq .scopes
  calor whatif profile.calor --confirm -- ./program
  calor whatif --confirm --speedup attention=2x -- ./program";

const AFTER: &str = "\
A profile with a timeline is run again, with the work of the scopes shorter and every wait as it then has to be. Which
thread waits for which is known where the program uses calor::sync or calor::link; otherwise it is inferred, and told.
Without a timeline the answer is the share of the time, by Amdahl's law.

With --confirm the program is run again and the answer found by experiment: while a scope runs, the other threads are slowed
by as much as it would be faster. The program uses the SDK and calls calor::enable() or calor::start_recording(..). The \
exit code is 130 when it was interrupted; what was tried by then is told.";

const WRITTEN: Written = Written::new("a what-if");

/// Find the critical path, and what the whole run gains if a scope gets faster
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    #[arg(required_unless_present = "confirm")]
    file: Option<PathBuf>,
    /// A scope, with all that it calls, so many times as fast; several are taken together
    #[arg(long = "speedup", value_name = "SCOPE=FACTOR", value_parser = speedup)]
    speedups: Vec<Speedup>,
    /// How many times as fast each scope is in the list of all
    #[arg(long, value_name = "FACTOR", default_value = "2x", value_parser = factor)]
    factor: f64,
    /// Run the program and try what these scopes would give, or the three that promise most
    #[arg(long, requires = "command")]
    confirm: bool,
    /// How often each speed-up is tried
    #[arg(long, value_name = "N", default_value = "10", value_parser = number::from_one, allow_negative_numbers = true)]
    rounds: usize,
    /// The progress point whose visits are measured [default: the first that the program visits]
    #[arg(long, value_name = "NAME", requires = "confirm")]
    progress: Option<String>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    page: Page<Plain>,
    /// The program that is run, with its arguments
    #[arg(last = true, value_name = "CMD", requires = "confirm")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(file) = &arguments.file {
        arguments.page.refuse_input(file)?;
    }
    if let Some(scope) = given_twice(&arguments.speedups) {
        bail!("--speedup was given twice for {scope}: give it once, with the speed-up that is meant");
    }
    match &arguments.file {
        Some(file) if !arguments.confirm => predicted(arguments, file).map(|()| ExitCode::SUCCESS),
        file => tried(arguments, file.as_deref()),
    }
}

/// The first scope with two speed-ups.
fn given_twice(speedups: &[Speedup]) -> Option<&str> {
    let is_again = |(at, speedup): &(usize, &Speedup)| {
        speedups[..*at].iter().any(|earlier| earlier.scope == speedup.scope)
    };
    speedups.iter().enumerate().find(is_again).map(|(_, speedup)| speedup.scope.as_str())
}

/// What the recording says.
fn predicted(arguments: &Arguments, file: &Path) -> Result<()> {
    let options = WhatIfOptions {
        format: arguments.page.format(WRITTEN)?.into(),
        speedups: arguments.speedups.clone(),
        factor: arguments.factor,
        top: arguments.top.rows,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    let profile = input::profile(file)?;
    let mut page = Vec::new();
    progress::waited("walking the critical path", || render_what_if(&profile, &options, &mut page))?;
    arguments.page.write(&page)
}

/// What experiments say.
fn tried(arguments: &Arguments, file: Option<&Path>) -> Result<ExitCode> {
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    let profile = file.map(input::profile).transpose()?;
    let candidates =
        what_if_candidates(profile.as_ref(), &arguments.speedups, arguments.factor, arguments.top.rows)?;
    let trial = trial::run(&candidates, &arguments.command, arguments.rounds, arguments.progress.as_deref())?;
    if trial.is_interrupted && trial.outcome.experiments.is_empty() {
        news::say("interrupted before the first experiment was whole: there is nothing to tell");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let confirmed = |candidate: &WhatIfCandidate| {
        let pairs = trial.outcome.pairs(&candidate.scope, candidate.factor);
        WhatIfConfirmation::of(candidate, &pairs)
    };
    let confirmations: Vec<WhatIfConfirmation> = candidates.iter().map(confirmed).collect();
    let page = TrialPage { confirmations: &confirmations, trial: &trial, command: &arguments.command };
    let text = match format {
        Plain::Text => page.text(terminal::width()),
        Plain::Md => page.markdown(),
        Plain::Json => page.json()?,
    };
    arguments.page.write(text.as_bytes())?;
    Ok(if trial.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// `attention=2x`: a name may have a `=` in it, the factor has none.
fn speedup(given: &str) -> Result<Speedup, String> {
    let parted = given.rsplit_once('=').filter(|(scope, _)| !scope.is_empty());
    let (scope, given) = parted.ok_or("expected a scope and how many times as fast, such as attention=2x")?;
    Ok(Speedup { scope: scope.to_owned(), factor: factor(given)? })
}

/// `2x`, `1.5`, or `inf` for no time at all.
fn factor(given: &str) -> Result<f64, String> {
    let number = given.trim().trim_end_matches(['x', 'X', '×']).trim();
    let factor = number.parse::<f64>().ok().filter(|factor| *factor > 0.0);
    factor.ok_or_else(|| "expected how many times as fast, such as 2x, 1.5x or inf".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speedup_is_a_name_and_a_factor() {
        let parsed = |given| speedup(given).map(|speedup| (speedup.scope, speedup.factor));
        assert_eq!(parsed("attention=2x"), Ok(("attention".to_owned(), 2.0)));
        assert_eq!(parsed("a=b=1.5"), Ok(("a=b".to_owned(), 1.5)));
        assert_eq!(parsed("a=inf"), Ok(("a".to_owned(), f64::INFINITY)));
        for wrong in ["attention", "=2x", "a=", "a=fast", "a=0", "a=-2x", "a=nan"] {
            assert!(parsed(wrong).is_err_and(|error| error.starts_with("expected")), "{wrong}");
        }
    }
}
