//! `calor baseline`: named sets of saved runs that others are held against.

mod page;
mod set;

use anyhow::Result;
use calor_store::Baseline;
use clap::{Args, Subcommand};

use crate::page::Brief;
use crate::store::{commit, minute, place, rows, run_table};
use crate::{news, output, terminal};

const EXAMPLES: &str = "\
Examples:
  calor baseline set main --runs 10 -- ./bench --size 100
  calor baseline set main latest build=fast
  calor baseline set main --last 1 --label build=fast
  calor baseline set release profile.calor
  calor baseline list
  calor baseline show main --format json
  calor baseline rm release";

const AFTER: &str = "\
From one run nobody can tell how much runs differ by themselves: five or more make a good baseline. `set NAME --runs 10 \
-- CMD` records them as `calor record` would, with the settings of calor.toml and CALOR_* variables. Runs of a baseline stay in the store whatever `calor store rm --older-than` or `--keep` removes.";

/// Name saved runs that others are held against
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make a baseline of a command, of saved runs or files, or replace it
    Set(set::Arguments),
    /// List all baselines
    #[command(visible_alias = "ls")]
    List(Look),
    /// Show the runs of a baseline
    Show {
        /// Its name
        name: String,
        #[command(flatten)]
        look: Look,
    },
    /// Remove baselines; their runs stay
    #[command(visible_alias = "remove")]
    Rm {
        /// Their names
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
}

#[derive(Args)]
struct Look {
    /// How it looks
    #[arg(long, value_enum, default_value_t = Brief::Text)]
    format: Brief,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Set(arguments) => set::run(arguments),
        What::List(look) => list(look.format),
        What::Show { name, look } => show(name, look.format),
        What::Rm { names } => remove(names),
    }
}

fn list(format: Brief) -> Result<()> {
    let store = place::open()?;
    let baselines = store.baselines()?;
    match format {
        Brief::Json => output::write(None, page::json(store.folder(), &baselines)?.as_bytes()),
        Brief::Text if baselines.is_empty() => {
            news::say("no baselines yet: set one with `calor baseline set main --runs 10 -- CMD`");
            Ok(())
        }
        Brief::Text => {
            let heading = ["NAME", "RUNS", "SET (UTC)", "BY", "COMMIT", "OF"];
            let table: Vec<Vec<String>> = baselines.iter().map(row).collect();
            output::write(None, rows(&heading, &table, terminal::width()).as_bytes())
        }
    }
}

fn row(baseline: &Baseline) -> Vec<String> {
    let mut programs: Vec<&str> = baseline.runs.iter().map(|run| run.name.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    vec![
        baseline.name.clone(),
        baseline.runs.len().to_string(),
        minute(baseline.set_at_unix_nanos),
        baseline.set_by.clone().unwrap_or_default(),
        commit(&baseline.revision),
        programs.join(" "),
    ]
}

fn show(name: &str, format: Brief) -> Result<()> {
    let store = place::open()?;
    let baseline = store.baseline(name)?;
    match format {
        Brief::Json => {
            output::write(None, page::json(store.folder(), std::slice::from_ref(&baseline))?.as_bytes())
        }
        Brief::Text => {
            let by = baseline.set_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            let at = Some(commit(&baseline.revision)).filter(|commit| !commit.is_empty());
            let at = at.map(|commit| format!(" at {commit}")).unwrap_or_default();
            let when = minute(baseline.set_at_unix_nanos);
            let table = run_table(&baseline.runs, terminal::width());
            output::write(None, format!("{name}: set {when} UTC{by}{at}\n\n{table}").as_bytes())
        }
    }
}

fn remove(names: &[String]) -> Result<()> {
    let mut store = place::open()?;
    for name in names {
        store.remove_baseline(name)?;
        news::say(format_args!("removed baseline {name}; its runs stay"));
    }
    Ok(())
}
