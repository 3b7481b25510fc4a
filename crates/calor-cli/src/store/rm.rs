//! `calor store rm`: runs that are no longer wanted, by name or by age and number.

use std::time::Duration;

use anyhow::{Result, bail};
use calor_analysis::quantity::{bytes, counted};
use calor_store::{Bounds, SavedId};
use clap::Args;

use super::age::{age, ago};
use super::{place, table};
use crate::{news, number, output, terminal};

const EXAMPLES: &str = "\
Examples:
  calor store rm k3f9x2a7 latest
  calor store rm --older-than 30d
  calor store rm --older-than 30d --keep 100 --dry-run";

const AFTER: &str = "\
Runs of baselines stay: remove the baseline first. With both --older-than and --keep, only runs go to which both apply.";

/// Remove runs and give their room back
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(super) struct Arguments {
    /// The runs: ids, latest, KEY=VALUE, commit:HASH ...
    #[arg(value_name = "RUN", conflicts_with_all = ["older_than", "keep"])]
    runs: Vec<String>,
    /// Those that were saved longer ago, such as 30d, 12h or 2w
    #[arg(long, value_name = "AGE", value_parser = age, allow_hyphen_values = true)]
    older_than: Option<Duration>,
    /// All but the last N
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    keep: Option<usize>,
    /// Only list them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let bounds = Bounds { saved_before_unix_nanos: arguments.older_than.map(ago), keep: arguments.keep };
    if arguments.runs.is_empty() && bounds == Bounds::default() {
        bail!("nothing to remove: name runs, or give --older-than 30d or --keep 100");
    }
    let mut store = place::open()?;
    let runs = match arguments.runs.is_empty() {
        true => store.beyond(&bounds)?,
        false => calor_project::runs(&store, &arguments.runs)?,
    };
    if arguments.dry_run {
        let ids: Vec<SavedId> = runs.iter().map(|run| run.id.clone()).collect();
        store.check_removal(&ids)?;
        if !runs.is_empty() {
            output::write(None, table::runs(&runs, terminal::width()).as_bytes())?;
        }
        news::say(format_args!("{} would be removed", counted(runs.len() as u64, "run")));
        return Ok(());
    }
    let ids: Vec<SavedId> = runs.into_iter().map(|run| run.id).collect();
    let removed = store.remove(&ids)?;
    let count = counted(removed.n_runs as u64, "run");
    news::say(format_args!("removed {count}, {}; {} are left", bytes(removed.bytes), store.n_runs()?));
    Ok(())
}
