//! The options that every workload has.

use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_report::bench::{BenchFormat, BenchOptions};
use calor_workloads::repeat::Plan;
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::page::Page;
use crate::store::saving::SaveChoice;
use crate::{output, terminal};

const WRITTEN: Written = Written::new("the result of a workload");

/// What decides weights, prompts and texts unless told otherwise.
const SEED: u64 = 2025;

/// The options.
#[derive(Args)]
pub(crate) struct Common {
    /// Fewer and smaller cases: done in less than 20 seconds on two cores
    #[arg(long)]
    pub(crate) quick: bool,
    /// Decides everything that is made up, such as weights and texts
    #[arg(long, value_name = "N", default_value_t = SEED, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Also write the run's profile, for calor compare and all other commands
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    #[command(flatten)]
    pub(super) saving: SaveChoice,
    #[command(flatten)]
    pub(super) page: Page<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For scripts: `calor schema bench/1`
    Json,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For a browser: one page that needs nothing else
    Html,
    /// For spreadsheets: a row for each figure
    Csv,
}

impl Common {
    /// How often cases are repeated.
    pub(crate) fn plan(&self) -> Plan {
        if self.quick { Plan::quick() } else { Plan::full() }
    }

    /// How the page looks.
    pub(super) fn options(&self) -> Result<BenchOptions> {
        let format = match self.page.format(WRITTEN)? {
            Format::Text => BenchFormat::Text,
            Format::Json => BenchFormat::Json,
            Format::Md => BenchFormat::Markdown,
            Format::Html => BenchFormat::Html,
            Format::Csv => BenchFormat::Csv,
        };
        Ok(BenchOptions { format, width: terminal::width(), color: self.page.is_coloured() })
    }

    /// Refuses what cannot be written, and to write over what is read, before anything is measured for it.
    pub(super) fn refuse_bad_places<'i>(&self, inputs: impl IntoIterator<Item = &'i PathBuf>) -> Result<()> {
        self.page.refuse_bad_place()?;
        for input in inputs {
            self.page.refuse_input(input)?;
            output::refuse_input(input, self.profile.as_deref())?;
        }
        let Some(profile) = &self.profile else { return Ok(()) };
        if output::is_standard(profile) || profile.is_dir() {
            bail!("--profile expects the name of a file, such as run.calor, not {}", profile.display());
        }
        if self.page.file().is_some_and(|page| page == profile || output::is_same_file(page, profile)) {
            bail!("--profile and -o name the same file: give one of them another name");
        }
        output::refuse_bad_place(profile)
    }
}

fn seed(given: &str) -> Result<u64, String> {
    given.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}
