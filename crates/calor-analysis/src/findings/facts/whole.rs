//! The whole that shares are of: the time that the program needed by itself. A machine that is busy with others keeps programs
//! from running, so the clock counts too much: the whole is the time in which the program ran, and waited, where waiting
//! was recorded. Scopes are timed by the clock, and so their whole is the clock's.
//!
//! Threads run beside each other, so time on processors is not time by the clock. Where samples tell when they were taken,
//! each counts for its part of the instant: of four threads that run at once each counts a quarter. Where they do not,
//! all count the same, so that together they are no more than the time there was.

use calor_model::{Profile, Recorder, Run, SampleKey, SampleKind, SampleWeight};

use crate::findings::Share;

/// A stretch of time has to hold so many samples of one thread for their number to say how many threads ran.
const SAMPLES_OF_STRETCH: u64 = 20;
/// At most so many stretches.
const MOST_STRETCHES: u64 = 100_000;
/// By chance a stretch may hold so many times the samples of one thread that ran all the time.
const BY_CHANCE: f64 = 1.25;

/// What a whole was measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The clock, from the start of the recording to its end, since nothing tells when the program ran.
    Clock,
    /// The time in which it ran or waited.
    RunningAndWaiting,
    /// The time in which it ran: waiting was not recorded.
    Running,
    /// Time inside scopes, all threads together, since no clock is known.
    Scopes,
}

/// The whole of a profile.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// How long.
    pub nanos: u64,
    /// By what.
    pub basis: Basis,
    /// How long by the clock; the same as `nanos` where no clock is known.
    pub clock_nanos: u64,
    /// Time on processors by the samples, threads added up.
    pub cpu_nanos: u64,
    /// Time in which at least one thread ran, about.
    pub busy_nanos: u64,
    stretches: Option<Stretches>,
}

/// How much of a sample is time by the clock, by when it was taken.
#[derive(Clone, PartialEq, Debug)]
struct Stretches {
    nanos: u64,
    factors: Vec<f64>,
}

impl Whole {
    pub(super) fn of(profile: &Profile) -> Self {
        let kind = running_kind(profile);
        let rows = || profile.samples.iter().filter(|(key, _)| key.kind == kind);
        let mut sum = SampleWeight::default();
        rows().for_each(|(_, weight)| sum.add(weight));
        let clock = profile.runs.iter().fold(0, |sum: u64, run| sum.saturating_add(run.duration_nanos));
        let mut whole = Self {
            nanos: clock,
            basis: Basis::Clock,
            clock_nanos: clock,
            cpu_nanos: sum.nanos,
            busy_nanos: 0,
            stretches: None,
        };
        if clock > 0 && profile.runs.len() == 1 && rows().all(|(key, _)| key.at_nanos.is_some()) {
            whole.stretches = Stretches::new(rows, sum, clock);
        }
        let busy: f64 = rows().map(|(key, weight)| whole.clock_nanos(&key, weight)).sum();
        whole.busy_nanos = if clock > 0 { (busy as u64).min(clock) } else { busy as u64 };
        (whole.nanos, whole.basis) = own_time(profile, &whole);
        if clock == 0 {
            whole.clock_nanos = whole.nanos;
        }
        whole
    }

    /// How much time by the clock a sample stands for.
    pub(super) fn clock_nanos(&self, key: &SampleKey, weight: SampleWeight) -> f64 {
        let factor = match &self.stretches {
            Some(stretches) => stretches.factor(key.at_nanos),
            None if self.clock_nanos == 0 => 1.0,
            // No more than there was.
            None => (self.clock_nanos as f64 / self.cpu_nanos.max(1) as f64).min(1.0),
        };
        weight.nanos as f64 * factor
    }

    /// A time on processors, or waited, as a part of the whole.
    #[must_use]
    pub fn share(&self, nanos: f64) -> Share {
        Share::exact(nanos / self.nanos.max(1) as f64)
    }

    /// A time by the clock as a part of all the time by the clock.
    #[must_use]
    pub fn clock_share(&self, nanos: f64) -> Share {
        Share::exact(nanos / self.clock_nanos.max(1) as f64)
    }

    /// How many threads ran at once in the mean, while any did.
    #[must_use]
    pub fn parallelism(&self) -> f64 {
        self.cpu_nanos as f64 / self.busy_nanos.max(1) as f64
    }

    /// The part of the time in which all threads waited; `None` where waiting was not recorded.
    #[must_use]
    pub fn idle_share(&self) -> Option<f64> {
        (self.basis == Basis::RunningAndWaiting)
            .then(|| 1.0 - self.busy_nanos as f64 / self.nanos.max(1) as f64)
    }
}

/// The time that the program needed by itself, and by what that is known.
fn own_time(profile: &Profile, whole: &Whole) -> (u64, Basis) {
    let (clock, busy) = (whole.clock_nanos, whole.busy_nanos);
    let measured = profile.runs.iter().map(|run| run.cpu_nanos).reduce(|a, b| Some(a?.saturating_add(b?)));
    // Several threads may have run at once, but not for longer than there was.
    let measured = measured.flatten().map(|cpu| cpu.min(clock));
    match () {
        () if clock == 0 && busy == 0 => (scope_nanos(profile), Basis::Scopes),
        () if clock == 0 => (busy, Basis::Running),
        () if knows_waits(profile) => {
            (longest_thread(profile).clamp(busy.max(1), clock.max(1)), Basis::RunningAndWaiting)
        }
        () if busy > 0 => (busy, Basis::Running),
        () => measured.filter(|cpu| *cpu > 0).map_or((clock, Basis::Clock), |cpu| (cpu, Basis::Running)),
    }
}

/// Whether waiting was recorded: of a program that never waited there are no samples then.
pub(in crate::findings) fn knows_waits(profile: &Profile) -> bool {
    let was_asked_for = |run: &Run| run.recorders.contains(&Recorder::OffCpu);
    profile.samples.iter().any(|(key, _)| key.kind == SampleKind::OffCpu)
        || !profile.runs.is_empty() && profile.runs.iter().all(was_asked_for)
}

/// For how long the thread ran and waited that did so longest.
fn longest_thread(profile: &Profile) -> u64 {
    let kind = running_kind(profile);
    let mut sums = vec![0_u64; profile.threads.len()];
    for (key, weight) in profile.samples.iter() {
        if let Some(sum) = sums.get_mut(key.thread.index())
            && (key.kind == kind || key.kind == SampleKind::OffCpu)
        {
            *sum = sum.saturating_add(weight.nanos);
        }
    }
    sums.into_iter().max().unwrap_or(0)
}

/// The kind of samples that tell where threads ran: those of the wall clock where no others are, as some profilers record.
pub(super) fn running_kind(profile: &Profile) -> SampleKind {
    let has = |kind| profile.samples.iter().any(|(key, _)| key.kind == kind);
    if !has(SampleKind::Cpu) && has(SampleKind::Wall) { SampleKind::Wall } else { SampleKind::Cpu }
}

impl Stretches {
    fn new<I: Iterator<Item = (SampleKey, SampleWeight)>>(
        rows: impl Fn() -> I,
        sum: SampleWeight,
        clock: u64,
    ) -> Option<Self> {
        let period = sum.nanos.checked_div(sum.count)?;
        let nanos = (period * SAMPLES_OF_STRETCH).max(clock / MOST_STRETCHES).max(1);
        let latest = rows().filter_map(|(key, _)| key.at_nanos).max()?;
        // What lies beyond the end of the recording is part of its last stretch.
        let n_stretches = (latest.min(clock) / nanos) as usize + 1;
        let mut sums = vec![0.0; n_stretches];
        for (key, weight) in rows() {
            let at = (key.at_nanos.unwrap_or(0) / nanos) as usize;
            sums[at.min(n_stretches - 1)] += weight.nanos as f64;
        }
        let length = nanos as f64;
        let factor = |sum: &f64| if *sum > length * BY_CHANCE { length / sum } else { 1.0 };
        Some(Self { nanos, factors: sums.iter().map(factor).collect() })
    }

    fn factor(&self, at_nanos: Option<u64>) -> f64 {
        let at = (at_nanos.unwrap_or(0) / self.nanos) as usize;
        self.factors.get(at).or(self.factors.last()).copied().unwrap_or(1.0)
    }
}

/// Time of the outermost scopes, all threads together.
fn scope_nanos(profile: &Profile) -> u64 {
    let outermost = profile.scopes.iter().filter(|(key, _)| profile.stacks.get(key.stack).parent.is_none());
    outermost.fold(0, |sum: u64, (_, stats)| sum.saturating_add(stats.inclusive_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const MILLI: u64 = 1_000_000;

    /// Samples of a millisecond each on `threads` threads from one instant to another, of a run of a second.
    fn profile(stretches: &[(u64, u64, u64)]) -> Profile {
        let mut draft = Draft::new().seconds(1.0);
        for &(threads, from, to) in stretches {
            for thread in 0..threads {
                for at in from..to {
                    draft = draft.cpu_at(&format!("t{thread}"), &["app::run"], 1, at * MILLI);
                }
            }
        }
        draft.profile()
    }

    #[test]
    fn threads_that_run_at_once_share_the_time_and_one_that_runs_alone_has_all_of_it() {
        let profile = profile(&[(1, 0, 500), (4, 500, 1000)]);
        let whole = Whole::of(&profile);
        assert_eq!((whole.basis, whole.nanos, whole.cpu_nanos), (Basis::Running, 1000 * MILLI, 2500 * MILLI));
        let clock = |from: u64, to: u64| -> f64 {
            let rows = profile.samples.iter();
            let is_then = |at: u64| at >= from * MILLI && at < to * MILLI;
            let rows = rows.filter(|(key, _)| key.at_nanos.is_some_and(is_then));
            rows.map(|(key, weight)| whole.clock_nanos(&key, weight)).sum::<f64>() / MILLI as f64
        };
        assert!((clock(0, 500) - 500.0).abs() < 1.0 && (clock(500, 1000) - 500.0).abs() < 1.0);
        assert_eq!(whole.busy_nanos / MILLI, 1000);
        assert!((whole.parallelism() - 2.5).abs() < 0.01);
    }

    #[test]
    fn a_program_that_was_kept_from_running_is_as_long_as_it_ran() {
        let whole = Whole::of(&profile(&[(1, 0, 250)]));
        assert_eq!(
            (whole.basis, whole.nanos, whole.clock_nanos),
            (Basis::Running, 250 * MILLI, 1000 * MILLI)
        );
        assert_eq!((whole.share(125.0 * MILLI as f64).estimate, whole.idle_share()), (0.5, None));
        assert_eq!(whole.clock_share(125.0 * MILLI as f64).estimate, 0.125);
    }

    #[test]
    fn a_program_that_waited_is_as_long_as_it_ran_and_waited() {
        let read = ["app::run@src/main.rs:1", "read!libc.so.6"];
        let profile = Draft::new().seconds(1.0).cpu(&["app::run@src/main.rs:1"], 250).wait_on(
            "main",
            &read,
            9,
            500 * MILLI,
        );
        let whole = Whole::of(&profile.profile());
        assert_eq!((whole.basis, whole.nanos), (Basis::RunningAndWaiting, 750 * MILLI));
        assert!((whole.idle_share().unwrap() - 2.0 / 3.0).abs() < 0.001);
    }

    #[test]
    fn a_program_of_which_waits_were_recorded_and_that_had_none_is_as_long_as_it_ran() {
        let draft = Draft::new().seconds(1.0).cpu(&["app::run@src/main.rs:1"], 250);
        let profile = draft.change(|profile| profile.runs[0].recorders = [Recorder::OffCpu].into()).profile();
        let whole = Whole::of(&profile);
        assert_eq!(
            (whole.basis, whole.nanos, whole.idle_share()),
            (Basis::RunningAndWaiting, 250 * MILLI, Some(0.0))
        );
    }

    #[test]
    fn without_samples_the_measured_time_on_processors_is_the_whole_and_without_that_the_clock() {
        let draft = || Draft::new().seconds(1.0).scope(&["run"], 1, 900 * MILLI);
        assert_eq!(Whole::of(&draft().profile()).basis, Basis::Clock);
        let measured = draft().change(|profile| profile.runs[0].cpu_nanos = Some(300 * MILLI)).profile();
        let whole = Whole::of(&measured);
        assert_eq!(
            (whole.basis, whole.nanos, whole.clock_nanos),
            (Basis::Running, 300 * MILLI, 1000 * MILLI)
        );
    }

    #[test]
    fn without_a_clock_the_samples_or_the_scopes_are_the_whole() {
        let profile = Draft::new().cpu(&["app::run"], 30).profile();
        let whole = Whole::of(&profile);
        assert_eq!((whole.basis, whole.nanos, whole.idle_share()), (Basis::Running, 30 * MILLI, None));
        let profile = Draft::new().scope(&["run"], 2, 70).scope(&["run", "inner"], 2, 50).profile();
        let whole = Whole::of(&profile);
        assert_eq!((whole.basis, whole.nanos, whole.clock_nanos), (Basis::Scopes, 70, 70));
        assert_eq!(Whole::of(&Profile::default()).nanos, 0);
    }

    #[test]
    fn samples_that_do_not_tell_when_are_together_no_more_than_the_time_there_was() {
        let profile = Draft::new().seconds(1.0).cpu(&["app::run"], 3000).profile();
        assert_eq!(Whole::of(&profile).busy_nanos / MILLI, 1000);
    }
}
