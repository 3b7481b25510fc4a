//! What a file says of the run it is of, read into a [`Run`] and written from one. What a run has no field for
//! becomes a label of the run, and what a file has no field for becomes a comment.

use std::collections::BTreeMap;

use calor_model::{HeapMode, Profile, Run};

use super::cells::Cell;
use super::file::{File, decode};
use super::message::ValueType;
use super::role::{ROLES, Role};
use super::texts::Texts;
use crate::Error;

/// Labels of a run that stand for fields of a file. The first is followed by the name of a module.
pub(super) const BUILD_ID: &str = "pprof.build_id.";
pub(super) const DROP_FRAMES: &str = "pprof.drop_frames";
pub(super) const KEEP_FRAMES: &str = "pprof.keep_frames";
pub(super) const COMMENT: &str = "pprof.comment";
pub(super) const DEFAULT_SAMPLE_TYPE: &str = "pprof.default_sample_type";
pub(super) const DOC_URL: &str = "pprof.doc_url";
pub(super) const PERIOD: &str = "pprof.period";

/// Comments that we write ourselves; the value follows.
const COMMAND: &str = "calor.command=";
const COMMIT: &str = "calor.commit=";
const HEAP: &str = "calor.heap=";

/// Comments are for people; a file could name a long string over and over.
const MAX_COMMENTS: usize = 1024;
const MAX_COMMENT_BYTES: usize = 1 << 20;

/// What a file says of its run.
pub(super) struct RunFacts {
    pub(super) run: Run,
    /// How the heap was watched, if the file says so.
    pub(super) heap_mode: Option<HeapMode>,
}

pub(super) fn read(file: &File<'_>, texts: &Texts<'_>) -> Result<RunFacts, Error> {
    let mut run = Run {
        started_at_unix_nanos: u64::try_from(file.time_nanos).unwrap_or(0),
        duration_nanos: u64::try_from(file.duration_nanos).unwrap_or(0),
        ..Run::default()
    };
    let end = file.n_bytes();
    for (label, index) in [
        (DROP_FRAMES, file.drop_frames),
        (KEEP_FRAMES, file.keep_frames),
        (DEFAULT_SAMPLE_TYPE, file.default_sample_type),
        (DOC_URL, file.doc_url),
    ] {
        if index != 0 {
            run.labels.insert(label.to_owned(), texts.get(index, end)?.into_owned());
        }
    }
    let mut heap_mode = None;
    if let Some(piece) = file.period_type {
        let of: ValueType = decode(piece, "the period's type")?;
        let (name, unit) = (texts.get(of.name, piece.offset)?, texts.get(of.unit, piece.offset)?);
        run.labels.insert(PERIOD.to_owned(), format!("{} {unit} {name}", file.period));
        heap_mode = Some(if file.period == 1 { HeapMode::Exact } else { HeapMode::Sampled });
    }
    let mut comments = Vec::new();
    let mut bytes_left = MAX_COMMENT_BYTES;
    for &index in file.comments.iter().take(MAX_COMMENTS) {
        let comment = texts.get(index, end)?;
        let Some(left) = bytes_left.checked_sub(comment.len()) else { break };
        bytes_left = left;
        if let Some(command) = comment.strip_prefix(COMMAND) {
            run.command = Some(command.to_owned());
        } else if let Some(commit) = comment.strip_prefix(COMMIT) {
            run.commit = Some(commit.to_owned());
        } else if let Some(mode) = comment.strip_prefix(HEAP) {
            heap_mode = Some(if mode == "exact" { HeapMode::Exact } else { HeapMode::Sampled });
        } else {
            comments.push(comment);
        }
    }
    if !comments.is_empty() {
        run.labels.insert(COMMENT.to_owned(), comments.join("\n"));
    }
    Ok(RunFacts { run, heap_mode })
}

/// The labels of all runs of a profile as one; of two values the first run's counts.
pub(super) fn labels(profile: &Profile) -> BTreeMap<&str, &str> {
    let all = profile.runs.iter().rev().flat_map(|run| &run.labels);
    all.map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

/// How often was sampled, as number, unit and name: as the file said that the profile is from, or as follows
/// from its samples.
pub(super) fn period(
    profile: &Profile,
    run_labels: &BTreeMap<&str, &str>,
    cells: &[Cell],
) -> Option<(i64, String, String)> {
    if let Some(mut words) = run_labels.get(PERIOD).map(|period| period.splitn(3, ' '))
        && let (Some(Ok(period)), Some(unit), Some(name)) =
            (words.next().map(str::parse), words.next(), words.next())
    {
        return Some((period, unit.to_owned(), name.to_owned()));
    }
    let sum = |role: Role| {
        let values = cells.iter().filter(|cell| cell.role == role).map(|cell| cell.value);
        values.fold(0, u64::saturating_add)
    };
    for (count, nanos) in [(Role::CpuCount, Role::CpuNanos), (Role::WallCount, Role::WallNanos)] {
        if let Some(period) = sum(nanos).checked_div(sum(count)) {
            let name = ROLES[nanos as usize].1.to_owned();
            return i64::try_from(period).ok().map(|period| (period, "nanoseconds".to_owned(), name));
        }
    }
    let is_exact = profile.heap.summary.is_some_and(|heap| heap.mode == HeapMode::Exact);
    is_exact.then(|| (1, "bytes".to_owned(), "space".to_owned()))
}

/// The comments of a file.
pub(super) fn comments(profile: &Profile) -> Vec<String> {
    let mut comments = Vec::new();
    for run in &profile.runs {
        comments.extend(run.command.as_ref().map(|command| format!("{COMMAND}{command}")));
        comments.extend(run.commit.as_ref().map(|commit| format!("{COMMIT}{commit}")));
        comments
            .extend(run.labels.get(COMMENT).into_iter().flat_map(|all| all.split('\n')).map(str::to_owned));
    }
    comments.extend(profile.heap.summary.map(|heap| match heap.mode {
        HeapMode::Exact => format!("{HEAP}exact"),
        _ => format!("{HEAP}sampled"),
    }));
    comments
}
