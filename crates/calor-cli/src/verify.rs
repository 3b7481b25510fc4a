//! `calor verify`: whether a change gave what a finding promised. The commands before and after it take turns as in
//! `calor ab`, and what came of it is kept, so that it can be told how far predictions are to be trusted.

mod page;
mod prediction;
mod score;

use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Result, bail};
use calor_analysis::{Metric, Promise};
use calor_store::Verification;
use clap::{Args, ValueEnum};

use self::prediction::Prediction;
use crate::failure::INTERRUPTED;
use crate::format::Written;
use crate::page::{Brief, Place};
use crate::store::place;
use crate::{ExitCode, ab, command_line, news, record, terminal};

const EXAMPLES: &str = "\
Examples:
  calor verify profile.calor './old input.txt' './new input.txt'
  calor verify profile.calor#CPU-MEMORY-COPIES './old' './new'
  calor verify profile.calor#2 -- ./old input.txt -- ./new input.txt
  calor verify profile.calor --max-time 5m './old' './new'
  calor verify --score
  calor verify --score --format json";

const AFTER: &str = "\
A finding is named by its file, and by `#` with its number in `calor findings`, its RULE or RULE@FUNCTION where it is not the \
first. The commands are given as to `calor ab`: each in quotes, or with `--` before each.

What is measured follows from the finding: memory where it is about memory, time on the wall where threads wait or run \
beside each other, otherwise time on processors, which other programs disturb less; --metric chooses another. Of memory the \
most that the process held is measured, so that the prediction, which is of its heap, is first made one of the process.

The outcome is kept in the store (.calor); `calor verify --score` tells how often the real gain lay in the predicted \
interval. The exit code is 0 whatever the outcome is, 2 when a command failed, and 130 when it was interrupted: then what \
was known by then is told, and not kept.";

const WRITTEN: Written = Written::new("the outcome");

/// Measure whether a change gave what a finding promised
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(override_usage = "calor verify [OPTIONS] FINDING 'BEFORE' 'AFTER'\n       \
                            calor verify [OPTIONS] FINDING -- BEFORE... -- AFTER...\n       \
                            calor verify --score")]
pub(crate) struct Arguments {
    /// The finding: FILE, FILE#NUMBER, FILE#RULE or FILE#RULE@FUNCTION
    #[arg(required_unless_present = "score")]
    finding: Option<OsString>,
    /// Tell how often predictions were right, instead
    #[arg(long, conflicts_with_all = ["finding", "commands", "words"])]
    score: bool,
    /// What is measured [default: what the finding is about]
    #[arg(long, value_enum)]
    metric: Option<Measured>,
    /// End after this time, decided or not
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = record::duration, allow_hyphen_values = true)]
    max_time: Duration,
    /// Do not keep the outcome
    #[arg(long)]
    no_save: bool,
    #[command(flatten)]
    page: Place<Brief>,
    /// The commands before and after the change, each in quotes
    #[arg(value_name = "CMD")]
    commands: Vec<OsString>,
    /// The commands, with `--` between them
    #[arg(last = true, hide = true)]
    words: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measured {
    /// Time on processors
    Cpu,
    /// Time on the wall
    Wall,
    /// The most memory it held
    Rss,
}

impl From<Measured> for Metric {
    fn from(measured: Measured) -> Self {
        match measured {
            Measured::Cpu => Self::Cpu,
            Measured::Wall => Self::Wall,
            Measured::Rss => Self::Rss,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    let Some(finding) = arguments.finding.as_ref().filter(|_| !arguments.score) else {
        let store = place::open_if_there()?;
        let kept = store.map(|store| store.verifications()).transpose()?.unwrap_or_default();
        let page = match format {
            Brief::Text => score::text(&kept, terminal::width()),
            Brief::Json => score::json(&kept)?,
        };
        arguments.page.write(page.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    let commands = two_commands(&arguments.commands, &arguments.words)?;
    let prediction = Prediction::find(finding)?;
    let metric = arguments.metric.map_or(prediction.metric, Metric::from);
    let Some(compared) = ab::compared(commands.clone(), metric, arguments.max_time)? else {
        news::say("interrupted before the first pair was whole: there is nothing to tell");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let comparison = &compared.comparison;
    let promised = prediction.promised(comparison.metric, compared.before);
    let outcome = Promise::of(promised, comparison, compared.is_bound);
    let page = match format {
        Brief::Text => page::text(&prediction, &compared, &outcome, terminal::width()),
        Brief::Json => page::json(&prediction, &compared, &outcome, &commands)?,
    };
    arguments.page.write(page.as_bytes())?;
    if compared.is_interrupted {
        news::say("interrupted: this is what was known by then, and it is not kept");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if let (false, Some(verification)) = (arguments.no_save, verification(&prediction, &outcome, metric)) {
        place::create()?.add_verification(&verification)?;
        news::say("kept; `calor verify --score` tells how often predictions were right");
    }
    Ok(ExitCode::SUCCESS)
}

/// The commands, each as one line.
fn two_commands(commands: &[OsString], words: &[OsString]) -> Result<[OsString; 2]> {
    let line = |words: &[OsString]| match words {
        [line] => line.clone(),
        words => OsString::from(command_line::shown(words)),
    };
    let parts: Vec<OsString> = match words {
        [] => commands.to_vec(),
        words => words.split(|word| word == "--").filter(|words| !words.is_empty()).map(line).collect(),
    };
    if !words.is_empty() && !commands.is_empty() {
        bail!("expected the commands either in quotes or after `--`, found both");
    }
    <[OsString; 2]>::try_from(parts).or_else(|parts| {
        let found = parts.len();
        bail!("expected two commands, before and after the change, found {found}: see `calor verify --help`")
    })
}

/// What is kept of it; `None` where nothing was measured.
fn verification(prediction: &Prediction, outcome: &Promise, metric: Metric) -> Option<Verification> {
    let measured = outcome.measured?;
    let mut kept = Verification::default();
    kept.rule.clone_from(&prediction.finding.rule);
    kept.version = prediction.finding.version;
    kept.place = prediction.place();
    kept.metric = metric.word().to_owned();
    kept.predicted = outcome.promised;
    kept.measured = measured.gain;
    kept.measured_interval = measured.interval;
    kept.outcome = outcome.kept.word().to_owned();
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(commands: &[&str], words: &[&str]) -> Result<[String; 2]> {
        let list = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let found = two_commands(&list(commands), &list(words))?;
        Ok(found.map(|line| line.to_string_lossy().into_owned()))
    }

    #[test]
    fn commands_are_lines_in_quotes_or_words_after_dashes() {
        let expected = ["./old 'a b'".to_owned(), "./new x".to_owned()];
        assert_eq!(given(&["./old 'a b'", "./new x"], &[]).unwrap(), expected);
        assert_eq!(given(&[], &["./old", "a b", "--", "./new", "x"]).unwrap(), expected);
        assert_eq!(given(&[], &["./old 'a b'", "--", "./new x"]).unwrap(), expected);
        for (commands, words) in
            [(&["a"][..], &[][..]), (&[], &["a"]), (&["a"], &["b"]), (&["a", "b", "c"], &[])]
        {
            assert!(given(commands, words).is_err(), "{commands:?} {words:?}");
        }
    }
}
