//! A recording from its start to its profile.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use calor_model::Profile;

use super::account::Account;
use super::events::{Events, Wanted};
use super::naming::Naming;
use super::observer::{Manner, Observer};
use super::options::{Options, Target};
use super::{RecordError, wait};
use crate::perf::{Inherit, Record, Refusal, clock_nanos};
use crate::process::{self, Child, Heard, Signals};
use crate::symbols::{SymbolOptions, Symbolizer};

/// How long nothing need happen before the rings are looked at anyway.
const ROUND: Duration = Duration::from_millis(100);
/// After so many samples it is decided whether copies of the stack are large enough.
const ENOUGH_SAMPLES: u64 = 20;
/// The most that is copied of a stack with each sample.
const MOST_STACK: u32 = 63 << 10;

/// How a watched program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The program that was started for it ended.
    Program(ExitStatus),
    /// The process that was attached to is gone.
    Gone,
    /// Somebody asked for the end; the program goes on.
    Asked,
}

/// How far a recording is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Since it began.
    pub elapsed: Duration,
    /// Samples of running threads.
    pub samples: u64,
    /// Times that a thread began to wait, when that is recorded.
    pub waits: u64,
    /// Records that found no room.
    pub lost: u64,
    /// Threads that were seen running.
    pub threads: usize,
}

/// A recording that is under way.
#[derive(Debug)]
pub struct Recording {
    target: Target,
    child: Option<Child>,
    signals: Option<Signals>,
    events: Events,
    observer: Observer,
    naming: Naming,
    account: Account,
    began: Instant,
    /// Whether somebody asked once for the end: a program that does not end by it gets a second chance.
    was_asked: bool,
    ended: Option<Ended>,
    /// Short stacks at the last time that larger copies were asked for.
    short_before: (u64, u64),
}

impl Recording {
    /// Begins: the program is started, or the process attached to.
    ///
    /// # Errors
    /// If the kernel does not allow it, or there is no such program or process.
    pub fn start(target: Target, options: &Options) -> Result<Self, RecordError> {
        options.check()?;
        let signals = match target {
            Target::Own => None,
            _ => Some(Signals::hold().map_err(RecordError::System)?),
        };
        if target != Target::Own {
            // The limits of a program that we are a guest in are its own.
            process::raise_file_limit();
        }
        let mut child = match (&target, &signals) {
            (Target::Command(command), Some(signals)) => Some(Child::hold(command, signals.mask_before())?),
            _ => None,
        };
        let (pid, processes) = match &target {
            Target::Command(_) => {
                let pid = child.as_ref().map_or(0, Child::pid);
                (pid, vec![pid])
            }
            Target::Process(pid) => (*pid, process::descendants(*pid)),
            Target::Own => (process::own_pid(), vec![process::own_pid()]),
        };
        let mut tids: Vec<i32> = processes.iter().flat_map(|pid| process::threads_of(*pid)).collect();
        if target == Target::Own {
            tids.retain(|tid| *tid != process::own_tid());
        }
        let mut account = Account::new(options, &target, pid);
        let events = open(options, &target, &tids, pid, &mut account)?;
        let manner = Manner {
            period_nanos: 1_000_000_000 / u64::from(options.rate),
            max_depth: options.max_depth,
            by_thread: options.by_thread,
            kernel_chain: events.wanted.kernel_chain,
        };
        let mut observer = Observer::new(manner);
        for id in &events.switch_ids {
            observer.add_switch_event(*id);
        }
        if child.is_some() {
            observer.expect(pid);
        } else {
            events.enable();
            for pid in processes {
                observer.adopt(pid);
            }
        }
        let symbols = SymbolOptions {
            inlines: options.inlines,
            cache: options.symbol_cache.clone(),
            ..SymbolOptions::default()
        };
        let naming = Naming::new(Symbolizer::new(symbols), events.wanted.kernel_chain);
        let began = Instant::now();
        if let Some(child) = &mut child {
            child.let_go()?;
        }
        let short_before = (0, 0);
        Ok(Self {
            target,
            child,
            signals,
            events,
            observer,
            naming,
            account,
            began,
            was_asked: false,
            ended: None,
            short_before,
        })
    }

    /// Waits a while for something to happen and reads what came. `None` as long as the program runs.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn step(&mut self, at_most: Duration) -> Result<Option<Ended>, RecordError> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        let mut descriptors: Vec<RawFd> = self.events.rings.descriptors().collect();
        let n_rings = descriptors.len();
        descriptors.extend(self.signals.as_ref().map(AsRawFd::as_raw_fd));
        let all_gone = wait::any(&descriptors, n_rings, at_most.min(ROUND)).map_err(RecordError::System)?;
        self.read(false);
        self.hear();
        if let Some(status) = self.child.as_mut().and_then(Child::ended) {
            self.ended = self.ended.or(Some(Ended::Program(status)));
        } else if all_gone && self.child.is_none() {
            self.ended = self.ended.or(Some(Ended::Gone));
        }
        if self.ended.is_some() {
            self.events.disable();
            self.read(true);
        } else {
            self.grow_copies();
        }
        Ok(self.ended)
    }

    /// Ends it before the program does.
    pub fn stop(&mut self) {
        if self.ended.is_none() {
            self.ended = Some(Ended::Asked);
            self.events.disable();
            self.read(true);
        }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let counts = &self.observer.counts;
        Progress {
            elapsed: self.began.elapsed(),
            samples: counts.samples,
            waits: counts.switches,
            lost: counts.lost,
            threads: self.observer.threads.seen(),
        }
    }

    /// The process that is watched.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.account.pid
    }

    /// Whether so much has been seen that it should be taken, lest memory grow.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.observer.tally.is_large()
    }

    /// What was seen since the last time. All parts of a recording together are its profile.
    #[must_use]
    pub fn take(&mut self) -> Profile {
        let tally = self.observer.take_tally(clock_nanos());
        let mut profile = self.naming.profile(&tally, &self.observer.images, &self.observer.threads);
        let is_whole = self.ended.is_some();
        let cpu_nanos = self.events.cpu_nanos();
        self.account.write(&mut profile, &mut self.observer, cpu_nanos, self.began.elapsed(), is_whole);
        self.observer.threads.forget_ended();
        if is_whole {
            // A cache that cannot be written costs time next time, and nothing now.
            let _ = self.naming.symbolizer.save();
        }
        profile
    }

    /// CPU time of the watched threads so far.
    pub(super) fn cpu_nanos(&self) -> u64 {
        self.account.earlier_cpu_nanos() + self.events.cpu_nanos()
    }

    /// Whether a thread has given samples.
    pub(super) fn has_seen(&self, tid: i32) -> bool {
        self.observer.threads.is_seen(tid)
    }

    /// Watches a thread that inherited nothing; one that has ended meanwhile is no loss.
    pub(super) fn watch_too(&mut self, tid: i32) {
        if self.ended.is_none() {
            let n_before = self.events.switch_ids.len();
            let _ = self.events.watch_too(tid);
            for id in &self.events.switch_ids[n_before..] {
                self.observer.add_switch_event(*id);
            }
        }
    }

    fn read(&mut self, is_last: bool) {
        let Self { events, observer, .. } = self;
        let kernel_chain = observer.manner.kernel_chain;
        events.rings.read(is_last, |record| observer.take(&Record::parse(record, kernel_chain)));
    }

    fn hear(&mut self) {
        let Some(signals) = &self.signals else { return };
        for heard in signals.heard() {
            let Heard::Stop { signal, from_terminal } = heard else { continue };
            match &self.child {
                Some(child) if !self.was_asked => {
                    // The terminal sends its signals to the program as well.
                    if !from_terminal {
                        child.signal(signal);
                    }
                    self.was_asked = true;
                }
                _ => self.ended = self.ended.or(Some(Ended::Asked)),
            }
        }
    }

    /// Opens the events anew with larger copies of the stack when too many were too small.
    fn grow_copies(&mut self) {
        let counts = &self.observer.counts;
        let all = counts.samples + counts.switches;
        let (short, seen) = (counts.short - self.short_before.0, all - self.short_before.1);
        let now = self.events.wanted.stack_bytes;
        if seen < ENOUGH_SAMPLES || now >= MOST_STACK || short * 100 < seen {
            if seen > 10_000 {
                self.short_before = (counts.short, all);
            }
            return;
        }
        self.short_before = (counts.short, all);
        let wanted = Wanted { stack_bytes: (now * 4).min(MOST_STACK), ..self.events.wanted };
        let tids: Vec<i32> = if self.target == Target::Own {
            let own = process::own_tid();
            process::threads_of(self.account.pid).into_iter().filter(|tid| *tid != own).collect()
        } else {
            process::descendants(self.account.pid).into_iter().flat_map(process::threads_of).collect()
        };
        // Failing that, it goes on as before.
        let Ok(larger) = Events::open(wanted, &tids, false) else { return };
        self.account.add_cpu_nanos(self.events.cpu_nanos());
        self.events.disable();
        larger.enable();
        self.read(true);
        for id in &larger.switch_ids {
            self.observer.add_switch_event(*id);
        }
        self.events = larger;
    }
}

/// Opens the events as asked, or with what is left of it where the kernel allows less, and says so.
fn open(
    options: &Options,
    target: &Target,
    tids: &[i32],
    pid: i32,
    account: &mut Account,
) -> Result<Events, RecordError> {
    let starts_on_exec = matches!(target, Target::Command(_));
    let inherit = if *target == Target::Own { Inherit::Threads } else { Inherit::Processes };
    let mut wanted = Wanted {
        rate: options.rate,
        off_cpu: options.off_cpu,
        sees_kernel: true,
        kernel_chain: options.kernel,
        inherit,
        stack_bytes: options.stack_bytes,
    };
    let refused = |error: &io::Error| RecordError::Refused(Refusal::of(error, pid));
    match Events::open(wanted, tids, starts_on_exec) {
        Ok(events) => return Ok(events),
        Err(error) if !matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM)) => {
            return Err(refused(&error));
        }
        Err(_) => {}
    }
    // Ordinary users may watch their own programs, but not the kernel at work for them.
    (wanted.sees_kernel, wanted.kernel_chain, wanted.off_cpu) = (false, false, false);
    let events = Events::open(wanted, tids, starts_on_exec).map_err(|error| refused(&error))?;
    account.kernel_hidden(options);
    Ok(events)
}
