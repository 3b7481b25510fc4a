//! The last words of a recording: how the program ended, what was seen, what was not, and what to do next.

use std::path::Path;

use calor_analysis::{CallTree, Grouping, Order, TreeOptions, hot_paths};
use calor_model::{Profile, SampleKind};
use calor_record::{Ended, Options, Progress};
use calor_report::quantity::{bytes, count, counted, duration, percent};

use super::Arguments;
use crate::{input, news};

/// How many paths are named.
const HOTTEST: usize = 3;
/// How many frames of each.
const FRAMES: usize = 4;

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
        news::warnings(&whole);
        if progress.samples + progress.waits == 0 {
            news::say(format_args!(
                "No samples: the program used too little CPU for {} samples a second; try a higher --rate, a longer \
                 run, or --off-cpu to see where it waits",
                count(self.options.rate.into())
            ));
        }
        for (kind, title) in [(SampleKind::Cpu, "Hottest"), (SampleKind::OffCpu, "Longest waits")] {
            if let Some(list) = hottest(&whole, kind, title) {
                news::say(list);
            }
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

/// The functions with the most time, with how they are called.
fn hottest(profile: &Profile, kind: SampleKind, title: &str) -> Option<String> {
    let tree = CallTree::of_samples(profile, kind, &TreeOptions::default());
    let list = hot_paths(&tree, Grouping::Function, Order::SelfTime, Some(HOTTEST));
    let mut text = format!("\n{title}:");
    for entry in &list {
        let mut frames = Vec::new();
        let mut node = entry.nodes.first().copied();
        while let Some(id) = node.filter(|_| frames.len() < FRAMES) {
            frames.push(tree.name(id));
            node = tree.node(id).parent;
        }
        let more = if node.is_some() { " < ..." } else { "" };
        let share = entry.share.map_or_else(String::new, percent);
        text += &format!("\n  {share:>7}  {}{more}", frames.join(" < "));
    }
    (!list.is_empty()).then_some(text)
}

fn signal_name(signal: i32) -> String {
    let known = [(1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS")];
    let more =
        [(8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (13, "SIGPIPE"), (14, "SIGALRM"), (15, "SIGTERM")];
    let name = known.iter().chain(&more).find(|(number, _)| *number == signal);
    name.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}
