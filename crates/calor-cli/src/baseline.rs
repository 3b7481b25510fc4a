//! `calor baseline`: named sets of saved runs that others are held against.

mod page;

use std::path::Path;

use anyhow::{Result, bail};
use calor_report::quantity::counted;
use calor_store::{Baseline, BaselineNote, Filter, Note, SavedId};
use clap::{Args, Subcommand, ValueEnum};

use crate::store::{commit, minute, place, reference, rows, run_table, saved_file, saving, user};
use crate::{news, number, output, terminal};

const EXAMPLES: &str = "\
Examples:
  calor baseline set main latest build=fast
  calor baseline set main --last 1 --label build=fast
  calor baseline set release profile.calor
  calor baseline list
  calor baseline show main --format json
  calor baseline rm release";

const AFTER: &str = "\
From one run nobody can tell how much runs differ by themselves: five or more make a good baseline. Runs of a baseline \
stay in the store whatever `calor store rm --older-than` or `--keep` removes.";

/// Name saved runs that others are held against
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make a baseline of saved runs or files, or replace it
    Set {
        /// Its name, such as main
        name: String,
        /// Saved runs (an id, latest, latest~1, KEY=VALUE, commit:HASH ...) or files, which are saved first
        #[arg(value_name = "RUN|FILE", required_unless_present = "last")]
        runs: Vec<String>,
        /// The last N that were saved
        #[arg(long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true)]
        last: Option<usize>,
        /// Of those only runs with this label; may be given more than once
        #[arg(long = "label", value_name = "KEY=VALUE", value_parser = saving::label, requires = "last")]
        labels: Vec<(String, String)>,
    },
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
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For scripts: `calor schema baseline/1`
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Set { name, runs, last, labels } => set(
            name,
            runs,
            &last.map(|last| Filter { labels: labels.clone(), limit: Some(last), ..Filter::default() }),
        ),
        What::List(look) => list(look.format),
        What::Show { name, look } => show(name, look.format),
        What::Rm { names } => remove(names),
    }
}

fn set(name: &str, runs: &[String], last: &Option<Filter>) -> Result<()> {
    let mut store = place::create()?;
    let mut ids: Vec<SavedId> = Vec::new();
    for text in runs {
        let path = Path::new(text);
        // What is there is meant, whatever it is called.
        let found = match path.is_file() || output::is_standard(path) {
            true => vec![saved_file(&mut store, path, &Note::default())?.id],
            false => store.find(&reference::selector(text)?)?.into_iter().map(|run| run.id).collect(),
        };
        for id in found {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    if let Some(filter) = last {
        let found = store.runs(filter)?;
        let wanted = filter.limit.unwrap_or(found.len());
        if found.len() < wanted {
            let label = if filter.labels.is_empty() { "" } else { " with these labels" };
            bail!("only {} of {wanted} runs{label} are saved: see `calor store ls`", found.len());
        }
        ids.extend(found.into_iter().map(|run| run.id).filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    let note = BaselineNote { set_by: user(), revision: saving::here(), set_at_unix_nanos: None };
    let is_replaced = store.set_baseline(name, &ids, &note)?;
    let verb = if is_replaced { "replaced" } else { "set" };
    let advice =
        if ids.len() < 5 { "; more of them tell better how much runs differ by themselves" } else { "" };
    news::say_wrapped(&format!("{verb} baseline {name}: {}{advice}", counted(ids.len() as u64, "run")));
    Ok(())
}

fn list(format: Format) -> Result<()> {
    let store = place::open()?;
    let baselines = store.baselines()?;
    match format {
        Format::Json => output::write(None, page::json(store.folder(), &baselines)?.as_bytes()),
        Format::Text if baselines.is_empty() => {
            news::say("no baselines yet: set one with `calor baseline set main latest`");
            Ok(())
        }
        Format::Text => {
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

fn show(name: &str, format: Format) -> Result<()> {
    let store = place::open()?;
    let baseline = store.baseline(name)?;
    match format {
        Format::Json => {
            output::write(None, page::json(store.folder(), std::slice::from_ref(&baseline))?.as_bytes())
        }
        Format::Text => {
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
