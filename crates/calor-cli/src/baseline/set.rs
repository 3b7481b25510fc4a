//! `calor baseline set`: of runs that are there, or of a command that is recorded for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use calor_report::quantity::counted;
use calor_store::{BaselineNote, Filter, Note, SavedId, Store, check_baseline_name};
use clap::Args;

use crate::store::{place, reference, saved_file, saving, user};
use crate::{news, number, output};

/// Runs of a command where nothing else is said.
const RUNS: usize = 10;
/// Fewer runs tell little of how much they differ.
const ENOUGH: usize = 5;

#[derive(Args)]
pub(super) struct Arguments {
    /// Its name, such as main
    name: String,
    /// Saved runs (an id, latest, latest~1, KEY=VALUE, commit:HASH ...) or files, which are saved first
    #[arg(value_name = "RUN|FILE", required_unless_present_any = ["last", "command"])]
    saved: Vec<String>,
    /// The last N that were saved
    #[arg(long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true)]
    last: Option<usize>,
    /// Of those only runs with this label, or a label for those that are recorded; may be given more than once
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = saving::label)]
    labels: Vec<(String, String)>,
    /// How often the command is recorded [default: 10]
    #[arg(long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true, requires = "command")]
    runs: Option<usize>,
    /// Run it so often before, without recording [default: 1]
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true, requires = "command")]
    warmup: Option<usize>,
    /// The profile that the command writes by itself, as one with scopes does: read instead of recording it
    #[arg(long, value_name = "FILE", requires = "command")]
    profile: Option<PathBuf>,
    /// A command to record, with its arguments
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["saved", "last"])]
    command: Vec<OsString>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if !arguments.labels.is_empty() && arguments.last.is_none() && arguments.command.is_empty() {
        bail!(
            "--label chooses among the last runs, or labels those that are recorded: give --last N, or a command behind --"
        );
    }
    // Before anything is recorded or saved for it.
    check_baseline_name(&arguments.name)?;
    let mut store = place::create()?;
    let ids = match arguments.command.is_empty() {
        true => chosen(arguments, &mut store)?,
        false => recorded(arguments, &mut store)?,
    };
    let name = &arguments.name;
    let note = BaselineNote { set_by: user(), revision: saving::here(), set_at_unix_nanos: None };
    let is_replaced = store.set_baseline(name, &ids, &note)?;
    let verb = if is_replaced { "replaced" } else { "set" };
    let advice = match ids.len() < ENOUGH {
        true => "; more of them tell better how much runs differ by themselves",
        false => "",
    };
    news::say_wrapped(&format!("{verb} baseline {name}: {}{advice}", counted(ids.len() as u64, "run")));
    Ok(())
}

/// Runs that are saved already, and files, which are saved for it.
fn chosen(arguments: &Arguments, store: &mut Store) -> Result<Vec<SavedId>> {
    let mut ids: Vec<SavedId> = Vec::new();
    for text in &arguments.saved {
        let path = Path::new(text);
        // What is there is meant, whatever it is called.
        let found = match path.is_file() || output::is_standard(path) {
            true => vec![saved_file(store, path, &Note::default())?.id],
            false => store.find(&reference::selector(text)?)?.into_iter().map(|run| run.id).collect(),
        };
        for id in found {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    if let Some(wanted) = arguments.last {
        let filter = Filter { labels: arguments.labels.clone(), limit: Some(wanted), ..Filter::default() };
        let found = store.runs(&filter)?;
        if found.len() < wanted {
            let label = if filter.labels.is_empty() { "" } else { " with these labels" };
            bail!("only {} of {wanted} runs{label} are saved: see `calor store ls`", found.len());
        }
        ids.extend(found.into_iter().map(|run| run.id).filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    Ok(ids)
}

#[cfg(not(target_os = "linux"))]
fn recorded(_: &Arguments, _: &mut Store) -> Result<Vec<SavedId>> {
    bail!("commands are recorded on Linux only: record the program in another way, and give its profiles")
}

/// Runs of a command, recorded here and now and then saved.
#[cfg(target_os = "linux")]
fn recorded(arguments: &Arguments, store: &mut Store) -> Result<Vec<SavedId>> {
    use crate::check::recorded::Plan;
    use crate::record;
    use crate::settings::Settings;

    if store.is_read_only() {
        bail!("the store may not be written to: ask for the permission, or name another with --store");
    }
    let options = record::usual_options(&Settings::load()?.record)?;
    let mut note = Note::default();
    // The sources may change while it runs.
    note.revision = saving::here();
    let is_recorded_here = arguments.profile.is_none();
    if is_recorded_here {
        note.settings = record::settings_of(&options);
    }
    let plan = Plan {
        commands: std::slice::from_ref(&arguments.command),
        n_runs: arguments.runs.unwrap_or(RUNS),
        warmup: arguments.warmup.unwrap_or(1),
        options,
        own_profile: arguments.profile.clone(),
    };
    let mut ids = Vec::new();
    for mut profile in plan.record()?.into_iter().flatten() {
        for run in &mut profile.runs {
            run.labels.extend(arguments.labels.iter().cloned());
            run.commit = run.commit.take().or_else(|| note.revision.commit.clone());
        }
        let id = store.save(&profile, &note)?.id;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}
