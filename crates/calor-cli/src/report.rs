//! `calor report`: a profile as a page.

use std::path::PathBuf;

use anyhow::Result;
use calor_report::{Carry, Grouping, Metric, Options, Order, ReportFormat, ThreadChoice};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::language::LanguageChoice;
use crate::terminal::{self, Look};
use crate::{findings, input, metric, output, progress};

const EXAMPLES: &str = "\
Examples:
  calor report profile.calor
  calor report profile.calor --by calls --top 10
  calor report profile.calor --thread 'worker 1' --context decode
  calor report profile.calor -o report.html
  calor report profile.calor -o comment.md --carry none
  calor report profile.calor --format json | jq '.hot_paths[0]'
  cat profile.calor | calor report -";

const WRITTEN: Written = Written { name: "a report", drawn_by: Some("calor flame") };

/// Show hot paths, allocators, the call tree and what stands out
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    file: PathBuf,
    /// How it looks [default: by the ending of OUT, otherwise text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Show at most N rows of every list [default: what fits a page; in JSON all]
    #[arg(long, value_name = "N", value_parser = rows, allow_negative_numbers = true)]
    top: Option<usize>,
    /// Sort hot paths by this
    #[arg(long, value_enum, default_value_t = By::SelfTime)]
    by: By,
    /// List hot paths and the call tree by this alone: scopes, cpu, off_cpu (time waited) or wall (both) [default: all
    /// that the profile has]
    #[arg(long, value_name = "METRIC", value_parser = metric::words(), hide_possible_values = true)]
    metric: Option<Metric>,
    /// List call paths, or functions with all their paths added up
    #[arg(long, value_enum, default_value_t = Group::Path)]
    group: Group,
    /// Report only threads of this name
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    /// Report only what happened inside the context of this name
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    #[command(flatten)]
    language: LanguageChoice,
    /// Take the recorder's own cost out of the times
    #[arg(long)]
    subtract_overhead: bool,
    /// How much of the profile a Markdown or HTML report carries, so that it can be read like one
    #[arg(long, value_enum, default_value_t = Carried::Fit)]
    carry: Carried,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For scripts: `calor schema report/1`
    Json,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For a browser: one page that needs nothing else
    Html,
    /// For spreadsheets: a row for each call path
    Csv,
}

#[derive(Clone, Copy, ValueEnum)]
enum Carried {
    /// What fits: Markdown stays short enough for a comment on a pull request, HTML below two megabytes
    Fit,
    /// All of it
    Whole,
    /// Nothing
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// Time with children
    Total,
    /// Time without children
    #[value(name = "self")]
    SelfTime,
    /// Number of calls
    Calls,
}

#[derive(Clone, Copy, ValueEnum)]
enum Group {
    /// One row a call path
    Path,
    /// One row a function
    Function,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    output::refuse_input(&arguments.file, arguments.output.as_deref())?;
    let mut options = arguments.options()?;
    let profile = input::profile(&arguments.file)?;
    // After the profile: what is wrong with a store is told once, by whoever needs it.
    options.suppressions = findings::suppressions()?;
    options.roof = findings::machine::kept_roof(&profile);
    arguments.language.note(&profile);
    let mut page = Vec::new();
    progress::waited("making the report", || calor_report::render(&profile, &options, &mut page))?;
    output::write(arguments.output.as_deref(), &page)
}

impl Arguments {
    fn options(&self) -> Result<Options> {
        let is_file = self.output.as_deref().is_some_and(|path| !output::is_standard(path));
        Ok(Options {
            format: match WRITTEN.format(self.format, self.output.as_deref())? {
                Format::Text => ReportFormat::Text,
                Format::Json => ReportFormat::Json,
                Format::Md => ReportFormat::Markdown,
                Format::Html => ReportFormat::Html,
                Format::Csv => ReportFormat::Csv,
            },
            top: self.top,
            width: terminal::width(),
            color: self.look.is_coloured(is_file),
            context: self.context.clone(),
            language: self.language.language(),
            threads: self.thread.clone().map_or(ThreadChoice::All, ThreadChoice::Named),
            order: match self.by {
                By::Total => Order::Total,
                By::SelfTime => Order::SelfTime,
                By::Calls => Order::Calls,
            },
            metric: self.metric,
            grouping: match self.group {
                Group::Path => Grouping::Path,
                Group::Function => Grouping::Function,
            },
            subtract_overhead: self.subtract_overhead,
            carry: match self.carry {
                Carried::Fit => Carry::Fitting,
                Carried::Whole => Carry::Whole,
                Carried::None => Carry::Nothing,
            },
            suppressions: Vec::new(),
            roof: None,
        })
    }
}

/// A number of rows; a report without any would say nothing.
fn rows(given: &str) -> Result<usize, String> {
    given.parse().ok().filter(|rows| *rows > 0).ok_or_else(|| {
        "expected a whole number from 1 on, such as 20; leave --top out for what fits a page".to_owned()
    })
}
