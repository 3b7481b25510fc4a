//! `calor store ls`: the saved runs, the last first.

use std::time::Duration;

use anyhow::Result;
use calor_analysis::quantity::{bytes, counted};
use calor_store::Filter;
use clap::{Args, ValueEnum};

use super::age::{age, ago};
use super::saving::label;
use super::{page, place, table};
use crate::{news, number, output, terminal};

const EXAMPLES: &str = "\
Examples:
  calor store ls
  calor store ls --name train --branch main --last 20
  calor store ls --label build=fast --since 7d
  calor store ls --format csv > runs.csv";

/// List saved runs, the last one first
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(super) struct Arguments {
    /// Only runs with this label; may be given more than once
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Only runs of this program
    #[arg(long)]
    name: Option<String>,
    /// Only runs of this branch
    #[arg(long)]
    branch: Option<String>,
    /// Only runs of this commit, or of commits that begin like this
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// Only runs of this baseline
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Only runs that were saved in this time, such as 7d or 12h
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<Duration>,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true)]
    last: Option<usize>,
    /// How it looks
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For scripts: `calor schema store/1`
    Json,
    /// For spreadsheets
    Csv,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let store = place::open()?;
    let runs = store.runs(&arguments.filter())?;
    let text = match arguments.format {
        Format::Json => page::json(store.folder(), &runs)?,
        Format::Csv => page::csv(&runs),
        Format::Text if runs.is_empty() => String::new(),
        Format::Text => table::runs(&runs, terminal::width()),
    };
    output::write(None, text.as_bytes())?;
    if matches!(arguments.format, Format::Text) {
        let (all, room) = (store.n_runs()?, bytes(store.disk_bytes()));
        let which = match runs.len() as u64 {
            shown if shown == all => counted(all, "run"),
            shown => format!("{shown} of {}", counted(all, "run")),
        };
        news::say(format_args!("{which}, {room} in {}", store.folder().display()));
    }
    Ok(())
}

impl Arguments {
    fn filter(&self) -> Filter {
        Filter {
            name: self.name.clone(),
            commit: self.commit.as_ref().map(|commit| commit.to_ascii_lowercase()),
            branch: self.branch.clone(),
            labels: self.labels.clone(),
            baseline: self.baseline.clone(),
            saved_from_unix_nanos: self.since.map(ago),
            limit: self.last,
            ..Filter::default()
        }
    }
}
