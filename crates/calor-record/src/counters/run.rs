//! One run of a program under its counters. It finds itself as without us: its signals, limits and files are its own.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::absence::Absence;
use super::catalogue::Counter;
use super::groups::Groups;
use super::reading::Amount;
use super::usage::{Figure, Usage};
use crate::error::RecordError;
use crate::process::{self, Child, Environment, Heard, Sender, Signals, Streams, wait};

/// How long the end of a program is waited for before it is asked whether it has ended; a signal tells it at once.
const ROUND: Duration = Duration::from_secs(1);

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Counted {
    /// How the program ended.
    pub status: ExitStatus,
    /// From its start to its end.
    pub elapsed: Duration,
    /// By counter, in the order in which they were asked for: its value, or why there is none.
    pub amounts: Vec<Result<Amount, Absence>>,
    /// Whether only the program's own code was counted, because the kernel's is hidden from this user.
    pub is_user_only: bool,
    /// Whether someone asked for the end meanwhile: the program was told, and may have ended because of it.
    pub was_interrupted: bool,
}

/// Counts runs of programs. While it lives, signals that would end this process are passed on to the program.
#[derive(Debug)]
pub struct Counting {
    counters: Vec<Counter>,
    signals: Signals,
    environment: Environment,
}

impl Counting {
    /// Makes ready to count.
    ///
    /// # Errors
    /// If signals cannot be held back.
    pub fn new(counters: Vec<Counter>) -> Result<Self, RecordError> {
        let signals = Signals::hold().map_err(RecordError::System)?;
        Ok(Self { counters, signals, environment: Environment::new() })
    }

    /// From now on programs find this variable beside ours, or instead of it.
    pub fn set_variable(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.environment.retain(|(given, _)| *given != name);
        self.environment.push((name, value.into()));
    }

    /// What is counted.
    #[must_use]
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// Runs a program to its end. Counters that cannot be had are no error; their reasons are in what comes of it.
    ///
    /// # Errors
    /// If the program does not start, or waiting for it fails.
    pub fn run(&mut self, command: &[OsString], streams: Streams) -> Result<Counted, RecordError> {
        let mut child = Child::hold(command, &self.signals.heritage(None), streams, &self.environment)?;
        let groups = Groups::open(&self.counters, child.pid());
        let mut before = Usage::of_held(child.pid()).unwrap_or_default();
        let began = Instant::now();
        child.let_go()?;
        before.peak_bytes = before.peak_bytes.max(child.start_peak_bytes());
        let (status, ended, was_interrupted) = self.wait(&mut child)?;
        let elapsed = ended.duration_since(began);
        let events = groups.read(&self.counters);
        let usage = Usage::new(elapsed, &child.usage());
        let usage = usage.within(usage.cpu_nanos().saturating_sub(before.cpu_nanos()));
        // The clock of the task begins with the program; what the process took to become it is in the times alone.
        let usage = usage.within(self.task_clock(&events).unwrap_or(u64::MAX));
        let amounts = self.counters.iter().zip(events).map(|(counter, event)| {
            let told = counter.figure.map(|figure| usage.figure(figure, &before));
            match (event, told) {
                (Some(Ok(amount)), _) => Ok(amount),
                (_, Some(told)) => told,
                (Some(Err(absence)), None) => Err(absence),
                (None, None) => Err(Absence::NotOffered),
            }
        });
        Ok(Counted {
            status,
            elapsed,
            amounts: amounts.collect(),
            is_user_only: !groups.sees_kernel,
            was_interrupted,
        })
    }

    /// The time on processors of the program and all it started, where the kernel counted it.
    fn task_clock(&self, events: &[Option<Result<Amount, Absence>>]) -> Option<u64> {
        let at = self.counters.iter().position(|counter| counter.figure == Some(Figure::CpuTime))?;
        events.get(at)?.and_then(Result::ok).map(|amount| amount.value)
    }

    /// Waits for the end of the program and passes signals on to it.
    fn wait(&self, child: &mut Child) -> Result<(ExitStatus, Instant, bool), RecordError> {
        let mut was_interrupted = false;
        // The signal of its end may reach another thread of this process, the other descriptor tells this one.
        let presence = process::presence_of(child.pid());
        loop {
            if let Some(status) = child.ended() {
                return Ok((status, Instant::now(), was_interrupted));
            }
            let told_by = presence.as_ref().map(AsRawFd::as_raw_fd);
            let mut descriptors = Vec::from_iter(told_by.into_iter().chain([self.signals.as_raw_fd()]));
            wait::any(&mut descriptors, ROUND).map_err(RecordError::System)?;
            for heard in self.signals.heard() {
                let Heard::Stop { signal, sender } = heard else { continue };
                was_interrupted = true;
                // The terminal, and a program that signals its whole group, have told the program already.
                if sender != Sender::Terminal && sender != Sender::Process(child.pid()) {
                    child.signal(signal);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> (Vec<Counter>, Counted) {
        let mut counting = Counting::new(Counter::usual()).expect("signals can be held");
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let counted = counting.run(&words, Streams::discarded()).expect("it starts");
        (counting.counters.clone(), counted)
    }

    fn value(counters: &[Counter], counted: &Counted, name: &str) -> Option<u64> {
        let at = counters.iter().position(|counter| counter.name() == name).expect(name);
        counted.amounts[at].ok().map(|amount| amount.value)
    }

    #[test]
    fn time_faults_and_switches_are_counted_on_every_machine() {
        let (counters, counted) =
            run(&["sh", "-c", "sleep 0.02; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"]);
        assert_eq!(counted.status.code(), Some(0));
        let of = |name| value(&counters, &counted, name);
        assert!(of("elapsed") >= Some(20_000_000), "it sleeps for 20 ms: {:?}", of("elapsed"));
        assert!(of("task-clock") > Some(0) && of("task-clock") < of("elapsed").map(|nanos| nanos * 64));
        // A program is mapped page by page, and one that sleeps leaves its processor.
        assert!(of("page-faults") > Some(10) && of("context-switches") > Some(0), "{counted:?}");
        assert!(of("minor-faults") <= of("page-faults"));
    }

    #[test]
    fn the_status_of_the_program_is_its_own() {
        assert_eq!(run(&["sh", "-c", "exit 7"]).1.status.code(), Some(7));
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(run(&["sh", "-c", "kill -TERM $$"]).1.status.signal(), Some(libc::SIGTERM));
    }

    #[test]
    fn a_program_finds_the_variable_that_was_set_last() {
        let mut counting = Counting::new(Vec::new()).expect("signals can be held");
        for value in ["first", "second"] {
            counting.set_variable("CALOR_TEST_SET", value);
        }
        let words = ["sh", "-c", r#"test "$CALOR_TEST_SET" = second && test -n "$PATH""#].map(OsString::from);
        let counted = counting.run(&words, Streams::discarded()).expect("it starts");
        assert_eq!(counted.status.code(), Some(0));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let mut counting = Counting::new(Counter::usual()).expect("signals can be held");
        let error =
            counting.run(&["/no/such/program".into()], Streams::default()).expect_err("it is not there");
        assert!(error.to_string().contains("/no/such/program"), "{error}");
    }
}
