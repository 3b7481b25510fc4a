//! The last words of a recording: how the program ended, what was seen, what was not, and what to do next.

use std::collections::BTreeSet;
use std::path::Path;

use calor_analysis::quantity::{bytes, counted, duration, percent};
use calor_analysis::{Hottest, short_name};
use calor_model::{HeapMode, Profile, Recorder, SampleKind, StackId};
use calor_record::{Ended, Options, Progress};

use super::Arguments;
use crate::launch::signal_name;
use crate::{news, terminal};

/// How many paths are named.
const HOTTEST: usize = 3;
/// How many frames of each.
const FRAMES: usize = 4;
/// What stands between a function and its caller.
const BY: &str = " < ";
/// What stands for callers that are not shown.
const MORE: &str = "...";
/// How long the name of a caller may be.
const NAME: usize = 40;
/// The part of a function's time that its one path has to have to stand for all.
const MOSTLY: f64 = 0.95;
/// How many files without names are named.
const FILES: usize = 3;

/// What the words are about.
pub(super) struct Closing<'a> {
    pub(super) progress: Progress,
    pub(super) pid: i32,
    /// How many processes go on although the program has ended.
    pub(super) left_behind: usize,
    pub(super) ended: Ended,
    pub(super) options: &'a Options,
    pub(super) arguments: &'a Arguments,
}

impl Closing<'_> {
    /// Says them. `path` is where the profile can be read, if it was to be written anywhere.
    pub(super) fn tell(&self, path: Option<&Path>, size: u64, whole: &Profile) {
        if news::is_quiet() {
            return;
        }
        news::say(self.end());
        if self.left_behind > 0 && !matches!(self.ended, Ended::Asked) {
            news::say(match self.left_behind {
                1 => "one process that it started goes on and is no longer recorded".to_owned(),
                many => format!("{many} processes that it started go on and are no longer recorded"),
            });
        }
        news::say_wrapped(&self.seen(path, size, whole));
        if let Some(heap) = heap(whole) {
            news::say_wrapped(&heap);
        }
        news::warnings_but(whole, |code| code == SYMBOLS);
        let advice = path.map_or_else(String::new, |path| {
            format!("; `calor report {}` says what to install", path.display())
        });
        if let Some(files) = nameless(whole) {
            news::say_wrapped(&format!("note: {files}{advice}"));
        }
        if self.progress.samples + self.progress.waits == 0 && whole.heap.is_empty() {
            news::say_wrapped(&format!(
                "No samples: the program used too little CPU for {} a second; try a higher --rate, a longer \
                 run, or --off-cpu to see where it waits",
                counted(self.options.rate.into(), "sample")
            ));
        }
        let columns = terminal::width_of_news();
        let found = Hottest::of(whole, HOTTEST);
        let lists = [hottest(whole, &found, columns), longest_waits(whole, &found, columns)];
        for list in lists.into_iter().flatten() {
            news::say(list);
        }
        if let Some(path) = path {
            news::say(next(path, whole));
        }
    }

    /// What was seen, where it is, and what it took.
    fn seen(&self, path: Option<&Path>, size: u64, whole: &Profile) -> String {
        let threads: BTreeSet<_> = whole.samples.iter().map(|(key, _)| key.thread).collect();
        let mut seen = match whole.runs.iter().any(|run| run.recorders.contains(&Recorder::Cpu)) {
            true => format!(
                "{} of {}",
                counted(self.progress.samples, "sample"),
                counted(threads.len() as u64, "thread")
            ),
            false => "the heap alone".to_owned(),
        };
        if let Some(path) = path {
            seen += &format!(" in {} ({})", path.display(), bytes(size));
        }
        if let Some(cost) = cost(whole) {
            seen += &format!("; {cost}");
        }
        seen
    }

    fn end(&self) -> String {
        use std::os::unix::process::ExitStatusExt;
        let seconds = duration(self.progress.elapsed.as_nanos() as f64);
        let pid = self.pid;
        match self.ended {
            Ended::Program(status) => {
                let program = self.arguments.command.first().map(|word| word.to_string_lossy());
                let program = program.unwrap_or_default();
                match (status.code(), status.signal()) {
                    (Some(code), _) => format!("\n`{program}` ended with exit code {code} after {seconds}"),
                    (_, Some(signal)) => {
                        format!("\n`{program}` was ended by {} after {seconds}", signal_name(signal))
                    }
                    _ => format!("\n`{program}` ended after {seconds}"),
                }
            }
            Ended::Gone => format!("\nprocess {pid} ended after {seconds}"),
            _ => format!("\nstopped after {seconds}; process {pid} goes on"),
        }
    }
}

/// What can be done with the file as it is.
fn next(path: &Path, profile: &Profile) -> String {
    let path = path.display();
    let has = |kind| profile.samples.iter().any(|(key, _)| key.kind == kind);
    let mut text = format!("\nNext: calor report {path}");
    if has(SampleKind::Cpu) {
        text += &format!("\n      calor flame {path} -o flame.html");
    }
    if !profile.heap.is_empty() {
        text += &format!("\n      calor heap {path}");
        text += &format!("\n      calor flame {path} --metric peak -o peak.svg");
    }
    if has(SampleKind::OffCpu) {
        text += &format!("\n      calor flame {path} --metric off_cpu -o waits.svg");
    }
    if has(SampleKind::Cpu) {
        text += &format!("\n      calor convert {path} profile.pb.gz");
    }
    text
}

/// What the heap was like, in a sentence.
fn heap(profile: &Profile) -> Option<String> {
    let summary = profile.heap.summary?;
    let sum = profile
        .heap
        .iter()
        .fold((0, 0), |sum, (_, site)| (sum.0 + site.allocated_bytes, sum.1 + site.allocated_count));
    let about = if summary.mode == HeapMode::Exact { "" } else { "about " };
    let mut text = format!(
        "heap: {about}{} allocated in {about}{}, {about}{} at the peak",
        bytes(sum.0),
        counted(sum.1, "block"),
        bytes(summary.peak_bytes)
    );
    if let Some(leaked) = summary.leaked {
        let count = counted(leaked.count, "block");
        text += &format!(", {about}{} in {about}{count} not freed at the end", bytes(leaked.bytes));
    }
    Some(text)
}

/// What recording took.
fn cost(profile: &Profile) -> Option<String> {
    let run = profile.runs.first()?;
    let own = run.cost.own_cpu_nanos?;
    let of = match run.cpu_nanos {
        None | Some(0) => String::new(),
        // Starting and naming take as long for a short program as for a long one.
        Some(cpu) if own > cpu => format!(", more than the program's own {}", duration(cpu as f64)),
        Some(cpu) => format!(", {} of the program's", percent(own as f64 / cpu as f64)),
    };
    Some(format!("recording took {} of CPU{of}", duration(own as f64)))
}

/// The code of warnings about files without names or lines.
const SYMBOLS: &str = "symbols_missing";

/// The files whose functions have no names or no lines, in one line: each has a sentence of its own in the report.
fn nameless(profile: &Profile) -> Option<String> {
    let files: Vec<&str> = profile
        .warnings
        .iter()
        .filter(|warning| warning.code == SYMBOLS)
        .filter_map(|warning| warning.message.split(": ").next())
        .collect();
    let named = files.iter().take(FILES).copied().collect::<Vec<_>>().join(", ");
    let more = if files.len() > FILES { ", ..." } else { "" };
    let count = counted(files.len() as u64, "file");
    (!files.is_empty()).then(|| format!("{count} without names or lines of functions ({named}{more})"))
}

/// The functions with the most time, each with the path on which most of it was spent.
fn hottest(profile: &Profile, found: &Hottest<'_>, columns: usize) -> Option<String> {
    let (tree, list) = (&found.tree, &found.functions);
    let mut text = String::from("\nHottest:");
    for entry in list {
        let share = entry.share.map_or_else(String::new, percent);
        // The path with the most time stands first.
        let Some(node) = entry.nodes.first().map(|id| tree.node(*id)) else { continue };
        let room = columns.saturating_sub(12);
        let path = match nearest(profile, node.stack).as_slice() {
            [function, callers @ ..]
                if !callers.is_empty() && (node.self_nanos as f64) < MOSTLY * entry.self_nanos as f64 =>
            {
                let share = tree.share(node.self_nanos).map_or_else(String::new, percent);
                fitted(function, &format!(" ({share} from "), callers, ")", room)
            }
            [function, callers @ ..] => fitted(function, BY, callers, "", room),
            [] => continue,
        };
        text += &format!("\n  {share:>8}  {path}");
    }
    (!list.is_empty()).then_some(text)
}

/// The functions that waited longest, and for what.
fn longest_waits(profile: &Profile, found: &Hottest<'_>, columns: usize) -> Option<String> {
    let mut text = String::from("\nLongest waits:");
    for wait in &found.waits {
        let reason = wait.cause.reason.word();
        let blocked = duration(wait.blocked_nanos as f64);
        let names = nearest(profile, wait.cause.site);
        let Some((function, callers)) = names.split_first() else { continue };
        let path = fitted(function, BY, callers, "", columns.saturating_sub(19));
        text += &format!("\n  {blocked:>8}  {reason:5}  {path}");
    }
    (!found.waits.is_empty()).then_some(text)
}

/// A function and its nearest callers, nearest first; one more than is shown where there are more.
fn nearest(profile: &Profile, stack: StackId) -> Vec<String> {
    let name = |frame| {
        let frame = profile.frames.get(frame);
        short_name(frame.kind, profile.strings.get(frame.name)).into_owned()
    };
    profile.stacks.frames(stack).take(FRAMES + 1).map(name).collect()
}

/// A function with as many of its callers as there is room for: `before` stands in front of them, `after` behind. The
/// function itself is cut only where it does not fit alone.
fn fitted(function: &str, before: &str, callers: &[String], after: &str, room: usize) -> String {
    let letters = |text: &str| text.chars().count();
    let mut line = cut(function, room);
    let mut close = "";
    for (at, caller) in callers.iter().enumerate() {
        let joint = if at == 0 { before } else { BY };
        let caller = cut(caller, NAME);
        let is_last = at + 1 == callers.len();
        let rest = if is_last { 0 } else { letters(BY) + letters(MORE) };
        if at + 1 == FRAMES
            || letters(&line) + letters(joint) + letters(&caller) + rest + letters(after) > room
        {
            let fits = letters(&line) + letters(joint) + letters(MORE) + letters(after) <= room;
            if fits {
                line = line + joint + MORE;
                close = after;
            }
            break;
        }
        line = line + joint + &caller;
        close = after;
    }
    line + close
}

/// The beginning of a name that is too long.
fn cut(name: &str, room: usize) -> String {
    match name.char_indices().nth(room) {
        Some(_) => name.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_callers_that_fit_and_its_function_always() {
        let callers: Vec<String> = ["step", "train", "main"].map(str::to_owned).to_vec();
        let check = |room| fitted("dot", BY, &callers, "", room);
        assert_eq!(check(80), "dot < step < train < main");
        assert_eq!(check(25), "dot < step < train < main");
        assert_eq!(check(24), "dot < step < train < ...");
        assert_eq!(check(23), "dot < step < ...");
        assert_eq!(check(10), "dot < ...");
        assert_eq!(check(5), "dot");
        assert_eq!(check(2), "d…");
        let from = |room| fitted("dot", " (5 % from ", &callers, ")", room);
        assert_eq!(from(80), "dot (5 % from step < train < main)");
        assert_eq!(from(20), "dot (5 % from ...)");
        assert_eq!(from(17), "dot");
    }

    #[test]
    fn no_line_is_longer_than_its_room() {
        let long = "a".repeat(200);
        let callers = vec![long.clone(); 5];
        for room in 1..150 {
            let shown = fitted(&long, " (12.5 % from ", &callers, ")", room);
            assert!(shown.chars().count() <= room, "{room}: {shown}");
        }
        let deep: Vec<String> = (0..5).map(|depth| format!("f{depth}")).collect();
        assert_eq!(fitted("dot", BY, &deep, "", 80), "dot < f0 < f1 < f2 < ...");
    }
}
