//! The runs of both sides. A run that is given twice counts once, since it would make its side look steadier than it is; one
//! that is on both sides is compared all the same, and told.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_model::{Profile, RunId, Warning};
use calor_report::ComparedRun;

use crate::{input, output, store};

/// The runs of both sides, and what is to be said of them.
pub(crate) struct Sides {
    pub(crate) before: Vec<ComparedRun>,
    pub(crate) after: Vec<ComparedRun>,
    pub(crate) remarks: Vec<Warning>,
}

/// What a run is known by: two files of one recording have the same.
struct Mark {
    place: Option<PathBuf>,
    ids: Vec<RunId>,
}

struct Named {
    name: String,
    mark: Mark,
    profile: Profile,
}

/// The runs of one side alone.
pub(crate) fn read_one(paths: &[PathBuf], remarks: &mut Vec<Warning>) -> Result<Vec<ComparedRun>> {
    Ok(compared(side(paths, remarks)?))
}

pub(crate) fn read(before: &[PathBuf], after: &[PathBuf]) -> Result<Sides> {
    if before.iter().chain(after).filter(|path| output::is_standard(path)).count() > 1 {
        bail!("standard input can be read once: give - for one run, and files for the others");
    }
    let mut remarks = Vec::new();
    let before = side(before, &mut remarks)?;
    let after = side(after, &mut remarks)?;
    for run in &after {
        if let Some(same) = before.iter().find(|other| other.mark.is_same(&run.mark)) {
            let message = match same.name == run.name {
                true => format!("{} is on both sides: it is compared with itself", run.name),
                false => {
                    format!("{} and {} are the same run: it is compared with itself", same.name, run.name)
                }
            };
            remarks.push(Warning::new("same_run", message));
        }
    }
    Ok(Sides { before: compared(before), after: compared(after), remarks })
}

fn compared(side: Vec<Named>) -> Vec<ComparedRun> {
    side.into_iter().map(|run| ComparedRun::new(run.name, run.profile)).collect()
}

fn side(paths: &[PathBuf], remarks: &mut Vec<Warning>) -> Result<Vec<Named>> {
    let mut runs: Vec<Named> = Vec::new();
    for path in paths {
        for run in profiles(path)? {
            match runs.iter().find(|known| known.mark.is_same(&run.mark)) {
                Some(known) => {
                    let message =
                        format!("{} is given more than once on its side: it counts once", known.name);
                    remarks.push(Warning::new("run_given_twice", message));
                }
                None => runs.push(run),
            }
        }
    }
    Ok(runs)
}

/// The profile that a path names, or all runs of a baseline.
fn profiles(path: &Path) -> Result<Vec<Named>> {
    let shown = path.display().to_string();
    let is_file = path.symlink_metadata().is_ok();
    let baseline = shown.strip_prefix("store:").unwrap_or(&shown).starts_with("baseline:");
    if baseline && !is_file {
        let failed = || format!("cannot read {shown}");
        let store = store::place::open().with_context(failed)?;
        let runs = store::reference::runs(&store, std::slice::from_ref(&shown)).with_context(failed)?;
        let named = |run: &calor_store::SavedRun| -> Result<Named> {
            let profile = store.profile(&run.id).with_context(failed)?;
            let mark = Mark { place: None, ids: ids(&profile) };
            Ok(Named { name: format!("store:{}", run.id), mark, profile })
        };
        return runs.iter().map(named).collect();
    }
    let profile = input::profile(path)?;
    let name = if output::is_standard(path) { "standard input".to_owned() } else { shown };
    let mark = Mark { place: path.canonicalize().ok(), ids: ids(&profile) };
    Ok(vec![Named { name, mark, profile }])
}

/// The ids of a profile's runs; those of formats that have none are not known.
fn ids(profile: &Profile) -> Vec<RunId> {
    profile.runs.iter().map(|run| run.id).filter(|id| *id != RunId::default()).collect()
}

impl Mark {
    fn is_same(&self, other: &Self) -> bool {
        let is_place = self.place.is_some() && self.place == other.place;
        is_place || (!self.ids.is_empty() && self.ids == other.ids)
    }
}
