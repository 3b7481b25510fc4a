//! `calor stat`: what a command costs in events, over as many runs as it takes to know it well. The program's output
//! passes through; where the processor shows no counters, valgrind simulates them.

mod absent;
mod cost;
mod counted;
mod derived;
mod json;
mod outcome;
mod repeat;
mod simulated;
mod text;

use std::ffi::OsString;

use anyhow::{Result, bail};
use calor_record::counters::{Counter, Streams};
use clap::Args;

use crate::format::Written;
use crate::page::{Brief, Page};
use crate::{ExitCode, launch, news, number, output, terminal};

const EXAMPLES: &str = "\
Examples:
  calor stat -- ./train --epochs 1            what one run costs
  calor stat -r 10 --warmup 2 -- ./train      ten runs, with their spread
  calor stat -e instructions,page-faults -- ./train
  calor stat --simulate -- ./train small.txt  by valgrind: slow, works anywhere
  calor stat --format json -- ./train | jq '.counters[0]'";

const AFTER: &str = "\
The program's output passes through, and the table goes to standard error beside it, so that `calor stat \
-- CMD > FILE` has the program's output alone. With --format json or -o - standard output is for the \
result, and what the program writes there goes to standard error; with --quiet what it writes is \
thrown away. The exit code is the program's: of the first run that failed, if one did.";

const WRITTEN: Written = Written::new("what was counted");

/// Count instructions, cycles, misses, faults and switches of a command
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(override_usage = "calor stat [OPTIONS] [--] CMD [ARGUMENTS]...")]
pub(crate) struct Arguments {
    /// Run it so often, for means with their spread
    #[arg(short, long, value_name = "N", visible_alias = "repeat", default_value_t = 1, value_parser = number::from_one, allow_negative_numbers = true)]
    runs: usize,
    /// Run it so often before, without counting
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::whole, allow_negative_numbers = true)]
    warmup: usize,
    /// Count these, separated by commas, such as instructions,cache-misses or r1a2 [default: all usual ones]
    #[arg(short, long, value_name = "LIST", value_delimiter = ',', value_parser = counter)]
    events: Vec<Counter>,
    /// Count with valgrind's cachegrind instead of the processor; runs it once more to tell the cost
    #[arg(long, conflicts_with = "events")]
    simulate: bool,
    /// List so many functions of a simulation
    #[arg(long, value_name = "N", default_value_t = 10, requires = "simulate", value_parser = number::from_one, allow_negative_numbers = true)]
    top: usize,
    #[command(flatten)]
    page: Page<Brief>,
    /// The program and its arguments; options of calor come before it
    #[arg(value_name = "CMD", trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.command.is_empty() {
        bail!("nothing to count: name a program, as in `calor stat -- ./train`");
    }
    // Nothing is run for a result that has no place.
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    let outcome = match arguments.simulate {
        true => simulated::outcome(arguments)?,
        false => counted::outcome(arguments)?,
    };
    match (format, arguments.is_beside_programs_output(format)) {
        (Brief::Json, _) => arguments.page.write(json::page(&outcome)?.as_bytes())?,
        (Brief::Text, false) => {
            let page = text::page(&outcome, terminal::width(), arguments.page.is_coloured());
            arguments.page.write(page.as_bytes())?;
        }
        (Brief::Text, true) => {
            let is_coloured = arguments.page.is_coloured_on_errors();
            let page = text::page(&outcome, terminal::width_of_errors(), is_coloured);
            output::write_to_errors(page.as_bytes())?;
        }
    }
    if !arguments.events.is_empty() && !outcome.has_any_of(&arguments.events) {
        news::say("warning: none of the events that -e asks for could be counted; the result says why");
    }
    Ok(ExitCode::from(outcome.exit_code))
}

impl Arguments {
    /// Whether the result would be mixed into what the program writes to standard output: nobody asked for it there, whether by
    /// name or as JSON, and the program's own is not thrown away.
    fn is_beside_programs_output(&self, format: Brief) -> bool {
        format == Brief::Text && !self.page.is_placed() && !news::is_quiet()
    }

    /// Where the program's output goes: a result that is asked for on standard output has it to itself.
    fn streams(&self) -> Streams {
        let is_beside = self.page.format(WRITTEN).is_ok_and(|format| self.is_beside_programs_output(format));
        Streams {
            no_input: false,
            output_to_errors: !is_beside && self.page.file().is_none(),
            discards: news::is_quiet(),
            taken_by: None,
        }
    }

    /// The command as it can be typed.
    fn shown_command(&self) -> String {
        launch::shown(&self.command)
    }
}

fn counter(given: &str) -> Result<Counter, String> {
    Counter::named(given.trim()).map_err(|error| error.to_string())
}
