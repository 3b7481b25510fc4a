//! The runs of both sides. A run that is given twice counts once, since it would make its side look steadier than it is; one
//! that is on both sides is compared all the same, and told.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_analysis::comparison::ComparedRun;
use calor_model::{Profile, RunId, Warning};

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
    /// When it began, which other formats keep where they lose the id.
    beginning: Option<u64>,
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
        let runs = calor_project::runs(&store, std::slice::from_ref(&shown)).with_context(failed)?;
        let named = |run: &calor_store::SavedRun| -> Result<Named> {
            let profile = store.profile(&run.id).with_context(failed)?;
            let mark = Mark::new(None, &profile);
            Ok(Named { name: format!("store:{}", run.id), mark, profile })
        };
        return runs.iter().map(named).collect();
    }
    let profile = input::profile(path)?;
    let name = if output::is_standard(path) { "standard input".to_owned() } else { shown };
    let mark = Mark::new(path.canonicalize().ok(), &profile);
    Ok(vec![Named { name, mark, profile }])
}

impl Mark {
    fn new(place: Option<PathBuf>, profile: &Profile) -> Self {
        // Formats that have no ids leave them out.
        let ids = profile.runs.iter().map(|run| run.id).filter(|id| *id != RunId::default()).collect();
        let beginning = match &profile.runs[..] {
            // To the nanosecond: two runs may well begin in the same second.
            [run] => Some(run.started_at_unix_nanos).filter(|nanos| nanos % 1_000_000 != 0),
            _ => None,
        };
        Self { place, ids, beginning }
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_place = self.place.is_some() && self.place == other.place;
        let is_beginning = self.beginning.is_some() && self.beginning == other.beginning;
        is_place || is_beginning || (!self.ids.is_empty() && self.ids == other.ids)
    }
}

#[cfg(test)]
mod tests {
    use calor_model::Run;

    use super::*;

    #[test]
    fn a_run_is_known_by_when_it_began_where_a_format_has_no_ids() {
        let mark = |id: u128, started_at_unix_nanos: u64| {
            let mut profile = Profile::default();
            profile.runs.push(Run { id: RunId(id), started_at_unix_nanos, ..Run::default() });
            Mark::new(None, &profile)
        };
        let began = 1_763_290_000_123_456_789;
        assert!(mark(7, began).is_same(&mark(0, began)));
        assert!(!mark(7, began).is_same(&mark(0, began + 1)));
        for rounded in [0, 1_763_290_000_000_000_000] {
            assert!(!mark(7, rounded).is_same(&mark(0, rounded)), "{rounded}");
        }
    }
}
