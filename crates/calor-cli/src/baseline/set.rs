//! `calor baseline set`: of runs that are there, or of a command that is recorded for it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use calor_analysis::comparison::CompareMetric;
use calor_analysis::quantity::counted;
use calor_store::{BaselineNote, Encoded, Filter, Note, SavedId, Selector, Store, check_baseline_name};
use clap::Args;

use crate::store::{place, saved_profile, saving, user};
use crate::{input, news, number, output};

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
    let (mut store, ids) = match arguments.command.is_empty() {
        true => chosen(arguments)?,
        false => {
            let mut store = place::create()?;
            let ids = recorded(arguments, &mut store)?;
            (store, ids)
        }
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

/// Runs that are saved already, and files, which are saved for it. Nothing is saved before all of them are found good.
fn chosen(arguments: &Arguments) -> Result<(Store, Vec<SavedId>)> {
    let given = arguments.saved.iter().map(|text| Given::read(text)).collect::<Result<Vec<_>>>()?;
    let is_saved = |given: &Given| matches!(given, Given::Saved(_));
    let mut store = match arguments.last.is_some() || given.iter().any(is_saved) {
        true => place::open()?,
        false => place::create()?,
    };
    let found = given.into_iter().map(|given| given.found(&store)).collect::<Result<Vec<_>>>()?;
    let last = last(arguments, &store)?;
    let mut ids: Vec<SavedId> = Vec::new();
    for found in found {
        match found {
            Found::Saved(found) => ids.extend(found),
            Found::File(path, run) => {
                ids.push(saved_profile(&mut store, &path, &run, &Note::default())?.id);
            }
        }
    }
    ids.extend(last);
    let mut known = BTreeSet::new();
    ids.retain(|id| known.insert(id.to_string()));
    Ok((store, ids))
}

/// The last runs, where so many are asked for.
fn last(arguments: &Arguments, store: &Store) -> Result<Vec<SavedId>> {
    let Some(wanted) = arguments.last else { return Ok(Vec::new()) };
    let filter = Filter { labels: arguments.labels.clone(), limit: Some(wanted), ..Filter::default() };
    let found = store.runs(&filter)?;
    if found.len() < wanted {
        let label = if filter.labels.is_empty() { "" } else { " with these labels" };
        bail!("only {} of {wanted} runs{label} are saved: see `calor store ls`", found.len());
    }
    Ok(found.into_iter().map(|run| run.id).collect())
}

/// What was named on the command line.
enum Given {
    File(PathBuf, Box<Encoded>),
    Saved(Selector),
}

/// The same where the store was looked into.
enum Found {
    File(PathBuf, Box<Encoded>),
    Saved(Vec<SavedId>),
}

impl Given {
    fn read(text: &str) -> Result<Self> {
        let path = Path::new(text);
        // What is there is meant, whatever it is called.
        if !path.is_file() && !output::is_standard(path) {
            return Ok(Self::Saved(calor_project::selector(text)?));
        }
        let run = input::encoded(path)?;
        if CompareMetric::of_profile(run.profile()).is_empty() {
            bail!(
                "nothing can be held against it: it has no scopes, samples, allocations or events; record it anew: {}",
                path.display()
            );
        }
        Ok(Self::File(path.to_owned(), Box::new(run)))
    }

    fn found(self, store: &Store) -> Result<Found> {
        Ok(match self {
            Self::File(path, run) => Found::File(path, run),
            Self::Saved(selector) => {
                Found::Saved(store.find(&selector)?.into_iter().map(|run| run.id).collect())
            }
        })
    }
}

#[cfg(not(target_os = "linux"))]
fn recorded(_: &Arguments, _: &mut Store) -> Result<Vec<SavedId>> {
    bail!("commands are recorded on Linux only: record the program in another way, and give its profiles")
}

/// Runs of a command, recorded here and now and then saved.
#[cfg(target_os = "linux")]
fn recorded(arguments: &Arguments, store: &mut Store) -> Result<Vec<SavedId>> {
    use crate::check::recorded::Plan;
    use crate::check::repeated;
    use crate::store::naming::bench_name;
    use crate::{project, record};

    if store.is_read_only() {
        bail!("the store may not be written to: ask for the permission, or name another with --store");
    }
    let options = record::usual_options(&project::settings()?.record)?;
    let mut note = Note::default();
    // The sources may change while it runs.
    note.revision = saving::here();
    let is_recorded_here = arguments.profile.is_none();
    if is_recorded_here {
        repeated::refuse_baseline(&arguments.name, &arguments.command)?;
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
        note.name = bench_name(&profile);
        let id = store.save(&profile, &note)?.id;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}
