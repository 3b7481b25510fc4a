//! The account of a recording: which run it is of, what it cost, and what it could not see.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use calor_model::{Cost, Profile, Recorder, Run, RunId, Warning};

use super::observer::{Counts, Observer};
use super::options::{Options, Target};
use crate::machine;

/// What is known of a recording beside its samples.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) pid: i32,
    run: Run,
    /// Whether the recorder is a thread of the program that it watches.
    is_inside: bool,
    own_cpu_before: u64,
    cpu_nanos: u64,
    /// What earlier parts have told already.
    told: Counts,
    warnings: Vec<Warning>,
}

impl Account {
    pub(crate) fn new(options: &Options, target: &Target, pid: i32) -> Self {
        let command = match target {
            Target::Command(command) => {
                let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
                Some(words.join(" "))
            }
            Target::Process(pid) => machine::command_of(*pid),
            Target::Own => machine::command_of(pid),
        };
        let mut recorders = std::collections::BTreeSet::from([Recorder::Cpu]);
        if options.off_cpu {
            recorders.insert(Recorder::OffCpu);
        }
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let run = Run {
            id: RunId(random()),
            command,
            started_at_unix_nanos: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
            host: machine::host(),
            commit: std::env::var("CALOR_COMMIT").ok(),
            recorders,
            ..Run::default()
        };
        let is_inside = *target == Target::Own;
        let own_cpu_before = own_cpu_nanos(is_inside);
        Self {
            pid,
            run,
            is_inside,
            own_cpu_before,
            cpu_nanos: 0,
            told: Counts::default(),
            warnings: Vec::new(),
        }
    }

    /// CPU time that events counted which are no longer there.
    pub(crate) fn add_cpu_nanos(&mut self, nanos: u64) {
        self.cpu_nanos += nanos;
    }

    /// The same, all of it.
    pub(crate) fn earlier_cpu_nanos(&self) -> u64 {
        self.cpu_nanos
    }

    /// The kernel's part is not shown to this user.
    pub(crate) fn kernel_hidden(&mut self, options: &Options) {
        let level = crate::perf::paranoia().map_or_else(String::new, |level| format!(" ({level} here)"));
        let remedy = format!(
            "to see it, run `sudo sysctl kernel.perf_event_paranoid=1`{level} or give calor the capability \
             cap_perfmon"
        );
        let mut warn = |code: &str, what: &str| {
            self.warnings.push(Warning::new(code, format!("{what}; {remedy}")));
        };
        warn("kernel_hidden", "time spent inside the kernel was not recorded");
        if options.kernel {
            warn("kernel_stacks_missing", "the kernel's functions are not shown");
        }
        if options.off_cpu {
            warn("off_cpu_missing", "waiting threads were not recorded");
            self.run.recorders.remove(&Recorder::OffCpu);
        }
    }

    /// Only running threads are seen, outside the kernel.
    pub(crate) fn timers_only(&mut self, options: &Options) {
        if options.off_cpu {
            self.run.recorders.remove(&Recorder::OffCpu);
            self.warnings.push(Warning::new("off_cpu_missing", "waiting threads are not seen by timers"));
        }
        if options.kernel {
            self.warnings.push(Warning::new("kernel_stacks_missing", "the kernel is not seen by timers"));
        }
    }

    /// Writes the account into a part of the profile.
    pub(crate) fn write(
        &mut self,
        profile: &mut Profile,
        observer: &Observer,
        cpu_nanos: u64,
        elapsed: Duration,
    ) {
        self.run.duration_nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.run.cpu_nanos = Some(self.cpu_nanos + cpu_nanos);
        let own_cpu_nanos = own_cpu_nanos(self.is_inside).saturating_sub(self.own_cpu_before);
        self.run.cost = Cost {
            own_cpu_nanos: Some(own_cpu_nanos),
            memory_bytes: if self.is_inside { None } else { machine::own_peak_bytes() },
            ..Cost::default()
        };
        profile.runs.push(self.run.clone());
        let now = observer.counts;
        for (code, message, count) in [
            ("samples_lost", LOST, now.lost - self.told.lost),
            ("stacks_cut", CUT, now.cut - self.told.cut),
            ("stacks_untold", UNTOLD, now.untold - self.told.untold),
            ("stacks_longer", LONGER, now.longer - self.told.longer),
            ("stacks_missing", STACKLESS, now.stackless - self.told.stackless),
            ("sampling_throttled", THROTTLED, now.throttled - self.told.throttled),
            ("paths_overflowed", OVERFLOWED, now.overflowed - self.told.overflowed),
        ] {
            if count > 0 {
                profile.warn(Warning::counted(code, message, count));
            }
        }
        self.told = now;
        for warning in self.warnings.drain(..) {
            profile.warn(warning);
        }
        // Those of earlier parts too: the same warnings of several parts are one.
        let mut problems = observer.images.problems();
        for (name, problem) in problems.by_ref().take(MOST_PROBLEMS) {
            profile.warn(Warning::new(
                "image_unreadable",
                format!("{name}: {problem}; its functions are shown as offsets"),
            ));
        }
        if problems.next().is_some() {
            profile.warn(Warning::new("images_unreadable", MORE_PROBLEMS));
        }
    }
}

/// How many files that could not be used are named.
const MOST_PROBLEMS: usize = 20;
const MORE_PROBLEMS: &str = "more files could not be read; their functions are shown as offsets";
const LOST: &str = "records found no room and were lost: sample less often (`--rate`), or run fewer other programs \
                    beside";
const CUT: &str = "stacks are not whole: the rest of the stack was not to be had; they are shown below \
                   `(stack cut off)`";
const UNTOLD: &str = "stacks are not whole: they go through code without unwind information; they are shown below \
                      `(stack cut off)`";
const LONGER: &str = "stacks are longer than the greatest depth, and their outermost frames were left out: raise \
                      `--max-depth`";
const STACKLESS: &str = "samples of threads without a user stack were left out";
const THROTTLED: &str = "times the kernel held sampling back: it allows no more; see the sysctls \
                         kernel.perf_event_max_sample_rate and kernel.perf_cpu_time_max_percent";
const OVERFLOWED: &str =
    "samples on too many different call paths were added to a common beginning of theirs";

/// What the recorder has used: its process, or its thread where it is inside the program.
fn own_cpu_nanos(is_inside: bool) -> u64 {
    if is_inside { machine::own_thread_cpu_nanos() } else { machine::own_cpu_nanos() }
}

fn random() -> u128 {
    let word = || u128::from(RandomState::new().build_hasher().finish());
    word() << 64 | word()
}
