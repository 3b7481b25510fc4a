//! `calor forecast`: what a program will take at a size that it was not run at.

mod sized;
mod tiers;

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use calor_analysis::{MemoryTier, SizedRun};
use calor_report::{ForecastPage, render_forecast};
use clap::Args;

use self::sized::{SizedFile, Target};
use crate::format::Written;
use crate::page::{Page, Plain, Top};
use crate::{input, machine, progress, terminal};

const EXAMPLES: &str = "\
Examples:
  calor forecast n=10:a.calor n=20:b.calor n=30:c.calor n=40:d.calor --at n=4x
  calor forecast tokens-*.calor --at tokens=8192
  calor forecast tokens-*.calor --at tokens=4x --tier L2=1MiB:78GB/s
  calor forecast tokens-*.calor --at tokens=4x --format json";

const AFTER: &str = "\
Four sizes are the least, and several runs at one size are welcome. The size of a run is what stands before its name, or
else its label: calor::set_label(\"tokens\", \"512\"). 4k is 4096, and 4x is four times the largest of them. With the heap recorded
(`calor record --heap`), peak memory is forecast too, and tiers of memory that the program leaves on the way are told.";

const WRITTEN: Written = Written::new("a forecast");

/// Forecast time and peak memory at a larger size, from runs at smaller ones
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Profiles of runs at different sizes, each with NAME=SIZE: before it unless it has a label of that name
    #[arg(required = true, value_name = "[NAME=SIZE:]FILE")]
    files: Vec<String>,
    /// The size to look at: a number, or so many times the largest
    #[arg(long, value_name = "NAME=SIZE", value_parser = sized::target)]
    at: Target,
    /// A tier of memory: what it holds and how fast a core reads it [default: as `calor machine` measures them here]
    #[arg(long = "tier", value_name = "NAME=BYTES:RATE", value_parser = tiers::tier)]
    tiers: Vec<MemoryTier>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    page: Page<Plain>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let name = &arguments.at.name;
    let format = arguments.page.format(WRITTEN)?;
    let (mut runs, mut cpus) = (Vec::new(), BTreeSet::new());
    for given in &arguments.files {
        let file = SizedFile::parse(given, name)?;
        arguments.page.refuse_input(&file.path)?;
        let profile = input::profile(&file.path)?;
        let labelled = || sized::label(&profile, name);
        let Some(size) = file.size.map_or_else(labelled, |size| Ok(Some(size)))? else {
            bail!(
                "{}: its size is not known: write {name}=SIZE:{given}, or record it with \
                 calor::set_label(\"{name}\", ..)",
                file.path.display()
            );
        };
        cpus.extend(profile.runs.iter().map(|run| run.host.cpu.clone()).filter(|cpu| !cpu.is_empty()));
        runs.push(SizedRun::new(size, &profile));
    }
    let largest = runs.iter().fold(0.0, |largest, run| f64::max(largest, run.size));
    let at = arguments.at.size.at(largest);
    let (tiers, mut remarks) = tiers::known(&arguments.tiers, &cpus, || machine::this(false).0);
    remarks.extend(sized::below(name, at, &runs));
    let options = ForecastPage {
        format: format.into(),
        variable: name.clone(),
        at,
        tiers,
        top: arguments.top.rows,
        remarks,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    let mut page = Vec::new();
    progress::waited("fitting curves", || render_forecast(&runs, &options, &mut page))?;
    arguments.page.write(&page)
}
