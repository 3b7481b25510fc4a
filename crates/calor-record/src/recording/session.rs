//! A recording from its start to its profile.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use calor_model::{Canary, Profile};

use super::account::{self, Account};
use super::opening::{heap_watch, open, without};
use super::options::{Options, Target};
use super::progress::{Ended, Progress};
use crate::call_paths::naming::Naming;
use crate::cpu::attribution::Attribution;
use crate::cpu::copies::Copies;
use crate::cpu::events::{Events, Least, Wanted};
use crate::cpu::observer::{Manner, Observer};
use crate::error::RecordError;
use crate::heap::{HeapWatch, Names, Unwatched};
use crate::perf::{Record, clock_nanos};
use crate::process::{self, Child, Heard, Sender, Signals, wait};
use crate::python::{self, Python};
use calor_symbols::{SymbolOptions, Symbolizer};

/// How long nothing need happen before the rings are looked at anyway.
const ROUND: Duration = Duration::from_millis(100);
/// The same while it is found out how much of the stacks has to be copied.
const FIRST_ROUNDS: Duration = Duration::from_millis(10);
/// The same while Python is awaited: its frames are known only when one has been seen.
const STARTING_ROUNDS: Duration = Duration::from_millis(2);
/// The same while Python runs: code that runs once is soon gone, and its name with it.
const PYTHON_ROUNDS: Duration = Duration::from_millis(20);
/// The same where Python has to be read at once and samples do not wake us.
const HASTY_ROUNDS: Duration = Duration::from_millis(1);
/// A second request of the same kind counts only after so long: one that is sent to a whole group of processes may
/// arrive more than once.
const SECOND_REQUEST: Duration = Duration::from_millis(250);

/// A recording that is under way.
#[derive(Debug)]
pub struct Recording {
    target: Target,
    child: Option<Child>,
    signals: Option<Signals>,
    /// What tells that a process which is not our child has ended.
    presence: Option<OwnedFd>,
    events: Events,
    /// What to wait on.
    descriptors: Vec<RawFd>,
    observer: Observer,
    naming: Naming,
    heap: Option<HeapWatch>,
    /// Programs whose heap could not be watched.
    unwatched: Unwatched,
    account: Account,
    attribution: Attribution,
    began: Instant,
    /// Whether events that suit Python could not be had, and are not asked for again.
    is_hasty: bool,
    /// The signals that asked for the end, and when: a program that does not end by one goes on until it comes again.
    asked: Vec<(i32, Instant)>,
    ended: Option<Ended>,
    ended_at: Option<Instant>,
}

impl Recording {
    /// Begins: the program is started, or the process attached to.
    ///
    /// # Errors
    /// If the kernel does not allow it, or there is no such program or process.
    pub fn start(target: Target, options: &Options) -> Result<Self, RecordError> {
        options.check()?;
        // Before the program runs: beside it, its own load would be taken for the machine's.
        let canary_nanos =
            matches!(target, Target::Command(_)).then(|| Canary::time(crate::machine::own_thread_cpu_nanos));
        let signals = match target {
            Target::Own => None,
            _ => Some(Signals::hold().map_err(RecordError::System)?),
        };
        // The limits of a program that we are a guest in are its own.
        let files = if target == Target::Own { None } else { process::raise_file_limit() };
        let mut heap = heap_watch(&target, options)?;
        let mut child = match (&target, &signals) {
            (Target::Command(command), Some(signals)) => {
                let environment = heap.as_ref().map(HeapWatch::environment).unwrap_or_default();
                Some(Child::hold(command, &signals.heritage(files), options.streams, &environment)?)
            }
            _ => None,
        };
        let target = match target {
            // Any thread stands for its process.
            Target::Process(tid) => Target::Process(process::process_of(tid).unwrap_or(tid)),
            other => other,
        };
        // Before anything else is asked about the process, so that all of it is about this one.
        let presence = match target {
            Target::Process(pid) => process::presence_of(pid),
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
        let mut account = Account::new(options, &target, pid, canary_nanos);
        let mut python = Python::default();
        let is_python = match &target {
            Target::Command(command) => python::is_likely(command),
            Target::Process(_) => false,
            // Programs say so themselves.
            Target::Own => true,
        };
        let program =
            if options.python && is_python { python.program().map(AsRawFd::as_raw_fd) } else { None };
        let events = match open(options, &target, &tids, pid, program, &mut account) {
            Err(_) if program.is_some() => {
                python.give_up_instants(io::ErrorKind::PermissionDenied.into());
                open(options, &target, &tids, pid, None, &mut account)
            }
            opened => opened,
        };
        let events = events.or_else(|refused| without(refused, options, &mut account))?;
        let manner = Manner {
            period_nanos: 1_000_000_000 / u64::from(options.rate),
            max_depth: options.max_depth,
            by_thread: options.by_thread,
            kernel_chain: events.wanted.kernel_chain,
            python: options.python,
        };
        let mut observer = Observer::new(manner);
        observer.copies = Copies::new(options.stack_bytes);
        observer.python = python;
        for id in &events.switch_ids {
            observer.add_switch_event(*id);
        }
        for (id, counter) in &events.counter_ids {
            observer.add_counter_event(*id, *counter);
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
        heap.iter_mut().for_each(HeapWatch::begin);
        if let Some(child) = &mut child {
            child.let_go()?;
        }
        let mut recording = Self {
            target,
            child,
            signals,
            presence,
            events,
            descriptors: Vec::new(),
            observer,
            naming,
            heap,
            unwatched: Unwatched::default(),
            account,
            attribution: Attribution::default(),
            began,
            is_hasty: false,
            asked: Vec::new(),
            ended: None,
            ended_at: None,
        };
        recording.listen();
        Ok(recording)
    }

    /// Notes what there is to wait on.
    fn listen(&mut self) {
        self.descriptors = self.events.rings.descriptors().collect();
        self.descriptors.extend(self.signals.as_ref().map(AsRawFd::as_raw_fd));
        self.descriptors.extend(self.presence.as_ref().map(AsRawFd::as_raw_fd));
    }

    /// Waits a while for something to happen and reads what came. `None` as long as the program runs.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn step(&mut self, at_most: Duration) -> Result<Option<Ended>, RecordError> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        let at_most = at_most.min(self.round());
        wait::any(&mut self.descriptors, at_most).map_err(RecordError::System)?;
        self.read(false);
        self.look_at_heap();
        let asked = self.hear();
        let program = self.child.as_mut().and_then(Child::ended).map(Ended::Program);
        let gone = self.is_gone().then_some(Ended::Gone);
        match program.or(gone).or(asked) {
            Some(ended) => self.end(ended),
            None => self.fit_events(),
        }
        Ok(self.ended)
    }

    /// Ends it before the program does.
    pub fn stop(&mut self) {
        if self.ended.is_none() {
            self.end(Ended::Asked);
        }
    }

    fn end(&mut self, ended: Ended) {
        self.events.disable();
        self.ended = Some(ended);
        self.ended_at = Some(Instant::now());
        self.read(true);
    }

    /// Whether the process that was attached to has ended.
    fn is_gone(&self) -> bool {
        match (&self.target, &self.presence) {
            (Target::Process(_), Some(presence)) => wait::is_ready(presence.as_raw_fd()),
            (Target::Process(pid), None) => !process::is_alive(*pid),
            _ => false,
        }
    }

    fn elapsed(&self) -> Duration {
        self.ended_at.unwrap_or_else(Instant::now).duration_since(self.began)
    }

    /// How many watched processes go on although the one that it was about has ended.
    #[must_use]
    pub fn left_behind(&self) -> usize {
        let pids = self.observer.processes().filter(|pid| *pid != self.account.pid);
        pids.filter(|pid| process::is_alive(*pid)).count()
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let counts = &self.observer.counts;
        Progress {
            elapsed: self.elapsed(),
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

    /// The processes that are watched and have not ended.
    pub fn processes(&self) -> impl Iterator<Item = i32> {
        self.observer.processes()
    }

    /// Whether a signal asked this process for the end. A program that was started here has been told, and the
    /// recording waits for it.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Waits a while for a signal that asks this process for the end, when nothing else is to be waited for: signals are
    /// held back as long as the recording is there. Whether one came, now or before.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn wait_until_asked(&mut self, at_most: Duration) -> Result<bool, RecordError> {
        let mut signals: Vec<RawFd> = self.signals.iter().map(AsRawFd::as_raw_fd).collect();
        wait::any(&mut signals, at_most).map_err(RecordError::System)?;
        Ok(self.hear().is_some() || self.is_asked())
    }

    /// Whether so much has been seen that it should be taken, lest memory grow.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.observer.tally.is_large() || self.heap.as_ref().is_some_and(HeapWatch::is_large)
    }

    /// What was seen since the last time. All parts of a recording together are its profile.
    #[must_use]
    pub fn take(&mut self) -> Profile {
        let mut tally = self.observer.take_tally(clock_nanos());
        self.attribution.settle(&self.events, &mut tally);
        self.observer.images.check();
        let mut profile = self.naming.profile(
            &tally,
            &self.observer.images,
            &self.observer.threads,
            &self.observer.python.functions,
        );
        let cpu_nanos = (!self.events.is_none()).then(|| self.events.cpu_nanos());
        if matches!(self.ended, Some(Ended::Program(_))) {
            self.account.time_canary();
        }
        self.account.write(&mut profile, &self.observer, cpu_nanos, self.elapsed());
        if let Some(heap) = &mut self.heap {
            self.unwatched.warn(&mut profile);
            let Observer { images, unwinder, python, .. } = &mut self.observer;
            let mut names = Names { naming: &mut self.naming, images, unwinder, python };
            heap.write(&mut profile, self.ended.is_some(), &mut names);
        }
        self.observer.forget_ended();
        if self.ended.is_some() {
            // Where the kernel's time is hidden, it gives no samples and is counted all the same.
            let period_nanos = self.observer.manner.period_nanos;
            let uncovered = account::uncovered(&self.observer.counts, period_nanos, self.cpu_nanos());
            uncovered.filter(|_| self.events.wanted.sees_kernel).into_iter().for_each(|it| profile.warn(it));
            self.attribution.warnings(&self.events).into_iter().for_each(|it| profile.warn(it));
            self.naming.write_code(&self.observer.images, &mut profile);
            // A cache that cannot be written costs time next time, and nothing now.
            let _ = self.naming.symbolizer.save();
        }
        self.account.close(&mut profile);
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

    /// Passes a thread over.
    pub(super) fn leave_out(&mut self, tid: i32) {
        self.observer.leave_out(tid);
    }

    /// Watches a thread that inherited nothing; one that has ended meanwhile is no loss.
    pub(super) fn watch_too(&mut self, tid: i32) {
        if self.ended.is_none() {
            let n_before = (self.events.switch_ids.len(), self.events.counter_ids.len());
            let _ = self.events.watch_too(tid);
            for id in &self.events.switch_ids[n_before.0..] {
                self.observer.add_switch_event(*id);
            }
            for (id, counter) in &self.events.counter_ids[n_before.1..] {
                self.observer.add_counter_event(*id, *counter);
            }
        }
    }

    fn look_at_heap(&mut self) {
        if let Some(heap) = &mut self.heap {
            self.unwatched.look();
            heap.look(false);
        }
    }

    fn read(&mut self, is_last: bool) {
        let Self { events, observer, .. } = self;
        events.rings.announce(|pid, tid, time| observer.announce(pid, tid, time));
        observer.python.read_instants();
        let kernel_chain = observer.manner.kernel_chain;
        events.rings.read(is_last, |record| observer.take(&Record::parse(record, kernel_chain)));
        observer.make_good();
    }

    /// Passes signals on to the program; `Some` when they ask to end without it.
    fn hear(&mut self) -> Option<Ended> {
        let mut ended = None;
        for heard in self.signals.as_ref().map(Signals::heard).unwrap_or_default() {
            let Heard::Stop { signal, sender } = heard else { continue };
            let Some(child) = &self.child else {
                ended = Some(Ended::Asked);
                continue;
            };
            match self.asked.iter().find(|(known, _)| *known == signal) {
                Some((_, at)) if at.elapsed() >= SECOND_REQUEST => ended = Some(Ended::Asked),
                Some(_) => {}
                None => {
                    // The terminal, and a program that signals its whole group, have told the program already.
                    if sender != Sender::Terminal && sender != Sender::Process(child.pid()) {
                        child.signal(signal);
                    }
                    self.asked.push((signal, Instant::now()));
                }
            }
        }
        ended
    }

    fn round(&self) -> Duration {
        let is_young = self.observer.copies.is_learning() && self.began.elapsed() < Duration::from_secs(1);
        match () {
            () if self.is_hasty => HASTY_ROUNDS,
            () if is_young && self.events.wanted.program.is_some() && !self.observer.python.is_seen() => {
                STARTING_ROUNDS
            }
            () if is_young => FIRST_ROUNDS,
            () if self.observer.python.is_seen() => PYTHON_ROUNDS,
            () => ROUND,
        }
    }

    /// Opens the events anew when copies of the stack should have another size, or Python has been found.
    fn fit_events(&mut self) {
        if self.events.is_none() {
            return;
        }
        let change = self.observer.copies.change();
        let mut wanted = self.events.wanted;
        let mut is_late = false;
        let is_open = !self.is_hasty || change.is_some();
        if self.observer.python.is_seen() && !wanted.wakes_each && is_open {
            let program = self.observer.python.program().map(AsRawFd::as_raw_fd);
            // The program may also have been given up.
            is_late = wanted.program.is_none() || program.is_none();
            (wanted.program, wanted.wakes_each) = (program, program.is_none());
        }
        if change.is_none() && !is_late {
            return;
        }
        wanted.stack_bytes = change.unwrap_or(wanted.stack_bytes);
        let tids: Vec<i32> = if self.target == Target::Own {
            let own = process::own_tid();
            process::threads_of(self.account.pid).into_iter().filter(|tid| *tid != own).collect()
        } else {
            // Descendants whose parents have ended are known from their beginnings alone.
            let mut pids = process::descendants(self.account.pid);
            pids.extend(self.observer.processes());
            pids.sort_unstable();
            pids.dedup();
            pids.into_iter().flat_map(process::threads_of).collect()
        };
        let mut opened = Events::open(wanted, &tids, false, Least::Roomy);
        if let Err(error) = &mut opened
            && wanted.program.is_some()
            && self.events.wanted.program.is_none()
        {
            self.observer.python.give_up_instants(std::mem::replace(error, io::ErrorKind::Other.into()));
            wanted = Wanted { program: None, wakes_each: true, ..wanted };
            opened = Events::open(wanted, &tids, false, Least::Roomy);
        }
        // Failing that, it goes on as before.
        let Ok(fitting) = opened else {
            self.is_hasty |= is_late;
            return;
        };
        self.is_hasty &= !is_late;
        self.account.add_cpu_nanos(self.events.cpu_nanos());
        self.events.disable();
        self.attribution.close(&self.events);
        fitting.enable();
        self.read(true);
        for id in &fitting.switch_ids {
            self.observer.add_switch_event(*id);
        }
        for (id, counter) in &fitting.counter_ids {
            self.observer.add_counter_event(*id, *counter);
        }
        self.events = fitting;
        self.listen();
    }
}
