//! The last words of a recording: how the program ended, what was seen, what was not, and what to do next.

use std::path::Path;

use calor_analysis::{CallTree, Grouping, Order, ThreadChoice, TreeOptions, hot_paths, waits, waits_by_site};
use calor_model::{Profile, SampleKind, StackId, simplify};
use calor_record::{Ended, Options, Progress};
use calor_report::quantity::{bytes, count, counted, duration, percent};

use super::Arguments;
use crate::{input, news};

/// How many paths are named.
const HOTTEST: usize = 3;
/// How many frames of each.
const FRAMES: usize = 4;
/// How long the name of a frame may be.
const NAME: usize = 60;
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
    /// Says them.
    pub(super) fn tell(&self, path: &Path, size: Option<u64>, last: Profile, is_last_of_many: bool) {
        if news::is_quiet() {
            return;
        }
        // A long recording is in the file, of which the last part is but the end.
        let whole = if is_last_of_many { input::profile(path).unwrap_or(last) } else { last };
        let progress = &self.progress;
        news::say(self.end());
        if self.left_behind > 0 && !matches!(self.ended, Ended::Asked) {
            news::say(match self.left_behind {
                1 => "one process that it started goes on and is no longer recorded".to_owned(),
                many => format!("{many} processes that it started go on and are no longer recorded"),
            });
        }
        let mut seen = format!(
            "{} of {} in {}",
            counted(progress.samples, "sample"),
            counted(progress.threads as u64, "thread"),
            path.display()
        );
        if let Some(size) = size {
            seen += &format!(" ({})", bytes(size));
        }
        if let Some(cost) = cost(&whole) {
            seen += &format!("; {cost}");
        }
        news::say(seen);
        news::warnings_but(&whole, |code| code == SYMBOLS);
        if let Some(files) = nameless(&whole) {
            news::say(format_args!("note: {files}; `calor report {}` says what to install", path.display()));
        }
        if progress.samples + progress.waits == 0 {
            news::say(format_args!(
                "No samples: the program used too little CPU for {} samples a second; try a higher --rate, a longer \
                 run, or --off-cpu to see where it waits",
                count(self.options.rate.into())
            ));
        }
        for list in [hottest(&whole), longest_waits(&whole)].into_iter().flatten() {
            news::say(list);
        }
        news::say(self.next(path));
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

    fn next(&self, path: &Path) -> String {
        let path = path.display();
        let off_cpu = if self.options.off_cpu {
            format!("\n      calor flame {path} --metric off_cpu -o waits.svg")
        } else {
            String::new()
        };
        format!(
            "\nNext: calor report {path}\n      calor flame {path} -o flame.html{off_cpu}\n      calor convert \
             {path} profile.pb.gz"
        )
    }
}

/// What recording took.
fn cost(profile: &Profile) -> Option<String> {
    let run = profile.runs.first()?;
    let own = run.cost.own_cpu_nanos?;
    let of = run
        .cpu_nanos
        .filter(|cpu| *cpu > 0)
        .map_or_else(String::new, |cpu| format!(", {} of the program's", percent(own as f64 / cpu as f64)));
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

/// The functions with the most time, with how they are called.
fn hottest(profile: &Profile) -> Option<String> {
    let tree = CallTree::of_samples(profile, SampleKind::Cpu, &TreeOptions::default());
    let list = hot_paths(&tree, Grouping::Function, Order::SelfTime, Some(HOTTEST));
    let mut text = String::from("\nHottest:");
    for entry in &list {
        let path = entry.nodes.first().map(|id| callers(profile, tree.node(*id).stack));
        let share = entry.share.map_or_else(String::new, percent);
        text += &format!("\n  {share:>8}  {}", path.unwrap_or_default());
    }
    (!list.is_empty()).then_some(text)
}

/// The functions that waited longest, and for what.
fn longest_waits(profile: &Profile) -> Option<String> {
    let all = waits(profile, &ThreadChoice::default());
    let sites = waits_by_site(profile, &all);
    let mut text = String::from("\nLongest waits:");
    for wait in sites.iter().take(HOTTEST) {
        let reason = wait.cause.reason.word();
        let blocked = duration(wait.blocked_nanos as f64);
        text += &format!("\n  {blocked:>8}  {reason:5}  {}", callers(profile, wait.cause.site));
    }
    (!sites.is_empty()).then_some(text)
}

/// A function and its nearest callers.
fn callers(profile: &Profile, stack: StackId) -> String {
    let name = |frame| short(profile.strings.get(profile.frames.get(frame).name));
    let names: Vec<String> = profile.stacks.frames(stack).take(FRAMES).map(name).collect();
    let more = if profile.stacks.frames(stack).nth(FRAMES).is_some() { " < ..." } else { "" };
    format!("{}{more}", names.join(" < "))
}

/// A name that leaves room for others.
fn short(name: &str) -> String {
    let name = simplify(name);
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into_owned(),
    }
}

fn signal_name(signal: i32) -> String {
    let known = [(1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS")];
    let more =
        [(8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (13, "SIGPIPE"), (14, "SIGALRM"), (15, "SIGTERM")];
    let name = known.iter().chain(&more).find(|(number, _)| *number == signal);
    name.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}
