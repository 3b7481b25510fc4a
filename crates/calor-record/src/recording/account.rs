//! The account of a recording: which run it is of, what it cost, and what it could not see.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use calor_model::{Canary, Cost, Profile, Recorder, Run, RunId, Warning, command_line};

use super::options::{Options, Target};
use crate::counters::CounterSet;
use crate::cpu::observer::{Counts, Observer};
use crate::machine;
use crate::perf::Refusal;

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
    told_python: crate::python::Counts,
    warnings: Vec<Warning>,
}

impl Account {
    /// `canary_nanos` is what the canary took just before.
    pub(crate) fn new(options: &Options, target: &Target, pid: i32, canary_nanos: Option<u64>) -> Self {
        let command = match target {
            Target::Command(command) => Some(command_line(command)),
            Target::Process(pid) => machine::command_of(*pid),
            Target::Own => machine::command_of(pid),
        };
        let mut recorders = std::collections::BTreeSet::new();
        if options.cpu {
            recorders.insert(Recorder::Cpu);
        }
        if options.off_cpu {
            recorders.insert(Recorder::OffCpu);
        }
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let run = Run {
            id: RunId(random()),
            command,
            started_at_unix_nanos: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
            host: calor_host::host(),
            commit: std::env::var("CALOR_COMMIT").ok(),
            recorders,
            canary: Canary { first_nanos: canary_nanos, last_nanos: None },
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
            told_python: crate::python::Counts::default(),
            warnings: Vec::new(),
        }
    }

    /// What recording took so far.
    fn cost(&self) -> Cost {
        let own_cpu_nanos = own_cpu_nanos(self.is_inside).saturating_sub(self.own_cpu_before);
        Cost {
            own_cpu_nanos: Some(own_cpu_nanos),
            memory_bytes: if self.is_inside { None } else { machine::own_peak_bytes() },
            ..Cost::default()
        }
    }

    /// Reckons the cost of a part once more: names are found after the account is written.
    pub(crate) fn close(&self, profile: &mut Profile) {
        profile.runs.iter_mut().for_each(|run| run.cost = self.cost());
    }

    /// Times the canary once more: the program has ended.
    pub(crate) fn time_canary(&mut self) {
        if self.run.canary.first_nanos.is_some() && self.run.canary.last_nanos.is_none() {
            self.run.canary.last_nanos = Some(Canary::time(machine::own_thread_cpu_nanos));
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
        let what = if options.kernel {
            "time spent inside the kernel was not recorded, so none of its functions are shown"
        } else {
            "time spent inside the kernel was not recorded"
        };
        let message = format!(
            "{what}; to change that, run `sudo sysctl kernel.perf_event_paranoid=1`{level} or give calor the \
             capability cap_perfmon"
        );
        self.warnings.push(Warning::new("kernel_hidden", message));
        if options.off_cpu {
            let message =
                "waiting threads were not recorded: like the kernel's time, they are hidden from this user";
            self.warnings.push(Warning::new("off_cpu_missing", message));
            self.run.recorders.remove(&Recorder::OffCpu);
        }
    }

    /// Nothing is sampled: the kernel refuses it.
    pub(crate) fn cpu_hidden(&mut self, refusal: Refusal) {
        let message = format!("the CPU was not sampled, only the heap was watched: {refusal}");
        self.warnings.push(Warning::new("cpu_not_sampled", message));
        self.run.recorders.clear();
    }

    /// Of the counters that were asked for, these are counted; of the others, why not.
    pub(crate) fn counters_missing(&mut self, absent: Vec<Warning>, offered: CounterSet) {
        self.warnings.extend(absent);
        if !offered.is_empty() {
            self.run.recorders.insert(Recorder::Counters);
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

    /// Writes the account into a part of the profile. `cpu_nanos` is what the program used since the last one, where that
    /// was counted.
    pub(crate) fn write(
        &mut self,
        profile: &mut Profile,
        observer: &Observer,
        cpu_nanos: Option<u64>,
        elapsed: Duration,
    ) {
        self.run.duration_nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.run.cpu_nanos = cpu_nanos.map(|nanos| self.cpu_nanos + nanos);
        self.run.cost = self.cost();
        profile.runs.push(self.run.clone());
        let now = observer.counts;
        let python = observer.python.counts;
        for (code, message, count) in [
            ("python_unverified", UNVERIFIED, python.unverified - self.told_python.unverified),
            ("python_gone", GONE, python.gone - self.told_python.gone),
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
        (self.told, self.told_python) = (now, python);
        for note in &observer.python.notes {
            profile.warn(Warning::new("python_note", note.clone()));
        }
        for (reason, count) in &observer.python.unread {
            // Those of earlier parts too: a recording tells each reason once.
            profile.warn(Warning::new(
                "python_unread",
                format!("{count} samples without Python frames: {reason}"),
            ));
        }
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

/// A word about CPU time for which there are too few samples, if there is any. Lost and held back samples have
/// words of their own.
pub(crate) fn uncovered(counts: &Counts, period_nanos: u64, cpu_nanos: u64) -> Option<Warning> {
    let covered = (counts.samples + counts.stackless).saturating_mul(period_nanos);
    let missing = cpu_nanos.saturating_sub(covered) / period_nanos.max(1);
    let is_told = counts.lost + counts.throttled > 0;
    if is_told || missing < LEAST_MISSING || covered as f64 >= COVERED * cpu_nanos as f64 {
        return None;
    }
    let share = 100.0 * covered as f64 / cpu_nanos as f64;
    // A thread gives one sample too few at most.
    let why = if counts.began.saturating_mul(2) >= missing {
        "the kernel's clock starts anew with each thread and process, and those that end before it strikes give no \
         sample; a higher `--rate` sees more of them"
    } else {
        "the kernel took fewer samples than it was asked for, as on a machine that is very busy or virtual; a lower \
         `--rate` may help"
    };
    let message = format!("the samples stand for {share:.0} % of the program's CPU time: {why}");
    Some(Warning::new("cpu_time_uncovered", message))
}

/// The part of CPU time that samples have to stand for, and how many may be missing of a short recording.
const COVERED: f64 = 0.9;
const LEAST_MISSING: u64 = 20;

/// How many files that could not be used are named.
const MOST_PROBLEMS: usize = 20;
const MORE_PROBLEMS: &str = "more files could not be read; their functions are shown as offsets";
const LOST: &str = "records found no room and were lost: sample less often (`--rate`), or run fewer other programs \
                    beside";
const CUT: &str = "stacks are not whole: they reach beyond the kernel's copy of them, and the thread had moved on \
                   when the rest was read, which nothing can be done about; they are shown below \
                   `(stack cut off)`";
const UNTOLD: &str = "stacks are not whole: they go through code without unwind information; they are shown below \
                      `(stack cut off)`";
const LONGER: &str = "stacks are longer than the greatest depth, and their outermost frames were left out: raise \
                      `--max-depth`";
const STACKLESS: &str = "samples of threads without a user stack were left out";
const THROTTLED: &str = "times the kernel held sampling back: it allows no more; see the sysctls \
                         kernel.perf_event_max_sample_rate and kernel.perf_cpu_time_max_percent";
const UNVERIFIED: &str = "samples of Python whose frames could not be told for sure: what was read of them does not agree \
                          with the machine's stack, mostly because the thread had moved on or Python was just \
                          starting; they are shown below `(Python not verified)`";
const GONE: &str = "samples of Python code that was gone before its name was read, as a module's own after its import; it \
                    is shown as `(Python code that is gone)`";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_without_samples_is_told_with_its_likely_reason() {
        let told = |counts| uncovered(&counts, 1_000_000, 224_000_000).map(|warning| warning.message);
        let counts = Counts { samples: 15, began: 300, ..Counts::default() };
        let message = told(counts).expect("most is missing");
        assert!(message.contains("stand for 7 %") && message.contains("starts anew"), "{message}");
        let message = told(Counts { began: 1, ..counts }).expect("most is missing");
        assert!(message.contains("fewer samples"), "{message}");
        assert_eq!(told(Counts { samples: 210, ..counts }), None);
        assert_eq!(told(Counts { stackless: 200, ..counts }), None);
        assert_eq!(told(Counts { lost: 100, ..counts }), None, "that is told already");
        assert_eq!(uncovered(&counts, 1_000_000, 30_000_000), None, "too short to tell");
    }
}
