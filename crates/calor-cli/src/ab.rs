//! `calor ab`: commands that take turns, in random order, until it is known whether they differ. The engine of
//! `calor-analysis` says when to stop and what it came to; here commands are started, measured and told about.

mod captured;
mod cells;
mod json;
mod markdown;
mod measuring;
mod rounds;
mod running;
mod text;
mod variant;
mod why;

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::hash::BuildHasher;
use std::time::Duration;

use anyhow::{Result, bail};
use calor_analysis::{Comparison, ExperimentPlan, Metric, Middle};
use calor_model::Warning;
use clap::{Args, ValueEnum};

pub(crate) use self::why::parsed_size;
use crate::check::repeated::refuse_timing;
use crate::failure::INTERRUPTED;
use crate::format::Written;
use crate::page::{Page, Paged};
use crate::{ExitCode, news, number, record, terminal};

const EXAMPLES: &str = "\
Examples:
  calor ab './old input.txt' './new input.txt'
  calor ab -- ./old input.txt -- ./new input.txt -- ./newest input.txt
  calor ab --max-time 5m --margin 1% './old' './new'
  calor ab --metric rss './old' './new'       which one needs more memory
  calor ab -o verdict.md './old' './new'
  calor ab --why --sizes 1k,4M './old {size} {calls}' './new {size} {calls}'
  calor ab --why --python numpy:add mylib:add --shape 512x512 -o why.html
  calor ab --format json './old' './new' | jq .verdict";

const AFTER: &str = "\
With --why, `{size}` in a command is the size and `{calls}` how often it does its work: a call is then what a run with many \
takes beyond a run with one, without its start. Both have to print the same, or return the same, unless --no-check is given.

A command given as one word with blanks in it is run by `sh -c`; several words between two `--` are \
run as they are, without a shell. Commands find nothing on their standard input. What they write is \
passed on, to standard error as long as standard output is for the result, unless --discard-output is \
given. One that fails ends the experiment, and its last lines are shown.

The exit code is 0 whatever the verdict is, 2 when a command failed or could not be measured, and \
130 when it was interrupted.";

const WRITTEN: Written = Written::new("the outcome");

/// Find out whether one command is slower than another, and how sure that is
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(override_usage = "calor ab [OPTIONS] 'CMD A' 'CMD B' ['CMD C']...\n       \
                            calor ab [OPTIONS] -- CMD A... -- CMD B... [-- CMD C...]")]
pub(crate) struct Arguments {
    /// Run each so often before, without measuring
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::whole, allow_negative_numbers = true)]
    warmup: usize,
    /// End after this time, decided or not; a pair that has begun is run to its end
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = record::duration, allow_hyphen_values = true)]
    max_time: Duration,
    /// End after so many pairs, decided or not
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = number::from_one, allow_negative_numbers = true)]
    max_pairs: usize,
    /// What decides; the others are shown beside it
    #[arg(long, value_enum, default_value_t = Decisive::Cpu)]
    metric: Decisive,
    /// Differences up to this count as none
    #[arg(long, value_name = "PART", default_value = "2%", value_parser = number::part, allow_hyphen_values = true)]
    margin: f64,
    /// What the order of the runs follows from [default: another one each time]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Throw away what the commands write
    #[arg(long, overrides_with = "show_output")]
    discard_output: bool,
    /// Pass on what the commands write, which is done anyhow
    #[arg(long, hide = true, overrides_with = "discard_output")]
    show_output: bool,
    #[command(flatten)]
    page: Page<Paged>,
    #[command(flatten)]
    why: why::Choice,
    /// The commands, each in quotes; the first is what the others are compared with
    #[arg(value_name = "CMD")]
    commands: Vec<OsString>,
    /// The commands, with `--` between them
    #[arg(last = true, hide = true)]
    words: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Decisive {
    /// Time on processors, of the command and all it starts
    Cpu,
    /// Time on the wall
    Wall,
    /// The most memory it held
    Rss,
    /// Instructions, where the processor counts them
    Instructions,
}

impl From<Decisive> for Metric {
    fn from(decisive: Decisive) -> Self {
        match decisive {
            Decisive::Cpu => Self::Cpu,
            Decisive::Wall => Self::Wall,
            Decisive::Rss => Self::Rss,
            Decisive::Instructions => Self::Instructions,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let format = arguments.page.format(WRITTEN)?;
    if format == Paged::Html && !arguments.why.is_asked() {
        bail!("the page for a browser explains a gap: add --why, or choose text, md or json with --format");
    }
    // Nothing is run for a result that has no place.
    arguments.page.refuse_bad_place()?;
    let plan = rounds::Plan {
        of: ExperimentPlan {
            metric: arguments.metric.into(),
            margin: arguments.margin,
            warmup: arguments.warmup,
            max_time: arguments.max_time,
            max_pairs: arguments.max_pairs,
            seed: arguments.seed.unwrap_or_else(chosen_seed),
        },
        shows_output: arguments.show_output || !arguments.discard_output,
        has_standard_output: arguments.page.file().is_none(),
        takes_bounds: false,
    };
    if arguments.why.is_asked() {
        return why::run(arguments, plan, format);
    }
    let variants = variant::variants(&arguments.commands, &arguments.words)?;
    if arguments.metric != Decisive::Rss {
        let timed: Vec<&[OsString]> = variants.iter().map(|variant| &variant.words[..]).collect();
        refuse_timing(&timed)?;
    }
    let Some(outcome) = rounds::experiment(variants, plan)? else {
        news::say("interrupted before the first pair was whole: there is nothing to tell");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let page = match format {
        Paged::Text => text::page(&outcome, terminal::width(), arguments.page.is_coloured()),
        Paged::Md => markdown::page(&outcome),
        Paged::Json => json::page(&outcome, None)?,
        Paged::Html => bail!("the page for a browser explains a gap: add --why"),
    };
    arguments.page.write(page.as_bytes())?;
    if arguments.page.file().is_some() {
        // Who waits for an experiment wants to know what it says.
        outcome.comparisons.iter().for_each(|found| news::say_wrapped(&format!("{found}.")));
    }
    Ok(if outcome.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The words of a command that is given as one: those of a shell that reads it, where it takes one.
pub(crate) fn words(line: &OsString) -> Result<Vec<OsString>> {
    Ok(variant::variant('A', vec![line.clone()])?.words)
}

/// Runs two commands in turns and returns what that came to; `None` where it was interrupted before there was anything.
pub(crate) fn compared(
    commands: [OsString; 2],
    metric: Metric,
    max_time: Duration,
) -> Result<Option<Compared>> {
    let plan = rounds::Plan {
        of: ExperimentPlan {
            metric,
            margin: 0.02,
            warmup: 1,
            max_time,
            max_pairs: 1_000,
            seed: chosen_seed(),
        },
        shows_output: false,
        has_standard_output: true,
        takes_bounds: true,
    };
    let variants = variant::variants(&commands, &[])?;
    if metric != Metric::Rss {
        refuse_timing(&[&variants[0].words, &variants[1].words])?;
    }
    let outcome = rounds::experiment(variants, plan)?;
    Ok(outcome.and_then(|outcome| {
        let first = outcome.series.iter().find(|series| series.metric == metric);
        let bound = outcome.gain_is_a_bound();
        let mut warnings = outcome.warnings;
        let is_bound = bound.is_some();
        warnings.extend(bound);
        Some(Compared {
            before: first.and_then(|series| Middle::of(series.values.first()?)).map(|it| it.median),
            comparison: outcome.comparisons.into_iter().next()?,
            is_bound,
            is_interrupted: outcome.is_interrupted,
            warnings,
        })
    }))
}

/// What two commands came to.
pub(crate) struct Compared {
    pub(crate) comparison: Comparison,
    /// What the first one takes of what was measured, in the middle; `None` where that was not measured.
    pub(crate) before: Option<f64>,
    /// Whether the second one takes less than can be measured, so that the change is at least as large as it looks.
    pub(crate) is_bound: bool,
    /// Whether somebody asked for the end before it was decided.
    pub(crate) is_interrupted: bool,
    /// What has to be known of it.
    pub(crate) warnings: Vec<Warning>,
}

/// Another number each time; it is told, so that an experiment can be done again in the same order. Short enough to be typed.
fn chosen_seed() -> u64 {
    RandomState::new().hash_one("the order of runs") % 1_000_000
}

fn seed(given: &str) -> Result<u64, String> {
    given.parse().map_err(|_| "expected a whole number, such as 7".to_owned())
}
