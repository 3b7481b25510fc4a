//! `calor whatif`: the critical path of a run, and what the run would gain if scopes were faster, predicted from a recording
//! or tried in the program itself.

mod candidate;
mod confirmation;
mod trial;
mod trial_page;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use calor_analysis::Speedup;
use calor_report::{WhatIfFormat, WhatIfOptions, render_what_if};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::terminal::{self, Look};
use crate::{input, number, output, progress};

use confirmation::Confirmation;
use trial_page::TrialPage;

const EXAMPLES: &str = "\
Examples:
  calor whatif profile.calor
  calor whatif profile.calor --speedup attention=2x
  calor whatif profile.calor --speedup attention=2x --speedup softmax=1.5x
  calor whatif profile.calor --speedup attention=inf
  calor whatif profile.calor --format json | jq .scopes
  calor whatif profile.calor --confirm -- ./program
  calor whatif --confirm --speedup attention=2x -- ./program";

const AFTER: &str = "\
A profile with a timeline is run again, with the work of the scopes shorter and every wait as it then has to be. Which
thread waits for which is known where the program uses calor::sync or calor::link; otherwise it is inferred, and told.
Without a timeline the answer is the share of the time, by Amdahl's law.

With --confirm the program is run again and the answer found by experiment: while a scope runs, the other threads are slowed
by as much as it would be faster. The program uses the SDK and calls calor::enable() or calor::start_recording(..).";

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
    /// Show at most N scopes of each list [default: what fits a page; in JSON all]
    #[arg(long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true)]
    top: Option<usize>,
    /// How it looks [default: by the ending of OUT, otherwise text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
    /// The program that is run, with its arguments
    #[arg(last = true, value_name = "CMD", requires = "confirm")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For a comment on a pull request
    #[value(alias = "markdown")]
    Md,
    /// For scripts: `calor schema whatif/1`
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(file) = &arguments.file {
        output::refuse_input(file, arguments.output.as_deref())?;
    }
    match &arguments.file {
        Some(file) if !arguments.confirm => predicted(arguments, file),
        file => tried(arguments, file.as_deref()),
    }
}

/// What the recording says.
fn predicted(arguments: &Arguments, file: &Path) -> Result<()> {
    let is_file = arguments.output.as_deref().is_some_and(|path| !output::is_standard(path));
    let options = WhatIfOptions {
        format: match WRITTEN.format(arguments.format, arguments.output.as_deref())? {
            Format::Text => WhatIfFormat::Text,
            Format::Md => WhatIfFormat::Markdown,
            Format::Json => WhatIfFormat::Json,
        },
        speedups: arguments.speedups.clone(),
        factor: arguments.factor,
        top: arguments.top,
        width: terminal::width(),
        color: arguments.look.is_coloured(is_file),
    };
    let profile = input::profile(file)?;
    let mut page = Vec::new();
    progress::waited("walking the critical path", || render_what_if(&profile, &options, &mut page))?;
    output::write(arguments.output.as_deref(), &page)
}

/// What experiments say.
fn tried(arguments: &Arguments, file: Option<&Path>) -> Result<()> {
    let format = WRITTEN.format(arguments.format, arguments.output.as_deref())?;
    if let Some(path) = arguments.output.as_deref().filter(|path| !output::is_standard(path)) {
        output::refuse_missing_folder(path)?;
    }
    let profile = file.map(input::profile).transpose()?;
    let candidates = candidate::all(profile.as_ref(), &arguments.speedups, arguments.factor, arguments.top)?;
    let trial = trial::run(&candidates, &arguments.command, arguments.rounds, arguments.progress.as_deref())?;
    let confirmations: Vec<Confirmation> =
        candidates.iter().map(|candidate| Confirmation::of(candidate, &trial.outcome)).collect();
    let page = TrialPage { confirmations: &confirmations, trial: &trial, command: &arguments.command };
    let text = match format {
        Format::Text => page.text(terminal::width()),
        Format::Md => page.markdown(),
        Format::Json => page.json()?,
    };
    output::write(arguments.output.as_deref(), text.as_bytes())
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
