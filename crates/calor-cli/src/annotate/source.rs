//! The source files whose lines are shown. They are read as they are now, which may not be as they were: what was changed
//! since is told.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calor_analysis::Annotation;
use calor_model::{FrameKind, Profile, Warning};

/// Larger files are no source that somebody wrote.
const MOST_SOURCE_BYTES: u64 = 16 << 20;

/// Source files that were read; one that cannot be read is no reason to fail.
#[derive(Default)]
pub(super) struct Sources {
    files: RefCell<HashMap<String, Vec<String>>>,
}

impl Sources {
    pub(super) fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| read(file).unwrap_or_default());
        lines.get(usize::try_from(line).ok()?.checked_sub(1)?).cloned()
    }
}

/// What is to be said of files whose lines are shown: those that changed since the program was built or ran.
pub(super) fn notes(profile: &Profile, annotation: &Annotation<'_>, files: &BTreeSet<&str>) -> Vec<Warning> {
    let Some((known_at, since)) = known_at(profile, annotation) else { return Vec::new() };
    let is_newer = |file: &&str| modified(Path::new(file)).is_some_and(|modified| modified > known_at);
    let newer: Vec<&str> = files.iter().copied().filter(is_newer).collect();
    let Some(first) = newer.first() else { return Vec::new() };
    let others = match newer.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let message = format!(
        "{first}{others} changed after {since}, so that the text beside a line's number may be that of another line"
    );
    vec![Warning::counted("source_changed", message, newer.len() as u64)]
}

/// Until when a change of the source is in what was recorded, and what that moment is called: the start of the recording;
/// for compiled code when it was built, if the file that was started is known and still the same.
fn known_at(profile: &Profile, annotation: &Annotation<'_>) -> Option<(SystemTime, &'static str)> {
    let runs = profile.runs.iter().filter(|run| run.started_at_unix_nanos > 0);
    let run = runs.min_by_key(|run| run.started_at_unix_nanos)?;
    let started = UNIX_EPOCH + Duration::from_nanos(run.started_at_unix_nanos);
    let program = run.command.as_deref().and_then(|command| command.split_whitespace().next()).map(Path::new);
    let is_of_it = |program: &&Path| program.file_name().and_then(|name| name.to_str()) == annotation.module;
    let program = program.filter(|_| annotation.kind == FrameKind::Native).filter(is_of_it);
    let built = program.and_then(modified).filter(|built| *built <= started);
    Some(built.map_or((started, "the recording began"), |built| (built, "the program was built")))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn read(file: &str) -> Option<Vec<String>> {
    let data = std::fs::metadata(file).ok()?;
    if !data.is_file() || data.len() > MOST_SOURCE_BYTES {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}
