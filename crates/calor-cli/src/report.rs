//! `calor report`: a profile as a page.

use std::path::PathBuf;

use anyhow::Result;
use calor_analysis::SelectedProfile;
use calor_analysis::findings::{Circumstances, judge};
use calor_model::Profile;
use calor_report::{Carry, Grouping, Metric, Options, Order, ReportFormat, ThreadChoice};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::language::LanguageChoice;
use crate::page::{Page, Tabled, Top};
use crate::{findings, input, metric, progress, terminal};

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
    #[command(flatten)]
    page: Page<Tabled>,
    #[command(flatten)]
    top: Top,
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
    arguments.page.refuse_input(&arguments.file)?;
    let options = arguments.options()?;
    let profile = input::profile(&arguments.file)?;
    arguments.language.note(&profile);
    arguments.page.write(&page(&profile, options)?)
}

/// The report of a profile, held against this machine where that is the one it is of.
pub(crate) fn page(profile: &Profile, options: Options) -> Result<Vec<u8>> {
    let mut options = Options { roof: calor_project::kept_roof(profile), ..options };
    // Programs have `calor findings` for them.
    let names_findings = !matches!(options.format, ReportFormat::Json | ReportFormat::Csv);
    let circumstances = Circumstances { roof: options.roof.clone(), ..findings::circumstances() }.of_report();
    let mut page = Vec::new();
    progress::waited("making the report", || {
        if names_findings {
            let part = SelectedProfile::new(profile, options.context.as_deref(), options.language)?;
            options.findings = judge(part.profile(), &circumstances).findings;
        }
        calor_report::render(profile, &options, &mut page)
    })?;
    Ok(page)
}

impl Arguments {
    fn options(&self) -> Result<Options> {
        Ok(Options {
            format: self.page.format(WRITTEN)?.into(),
            top: self.top.rows,
            width: terminal::width(),
            color: self.page.is_coloured(),
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
            ..Options::default()
        })
    }
}
