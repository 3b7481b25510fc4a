//! A recording of the own process by timers. The system tells nothing here: new threads, ended ones and what the
//! dynamic loader maps are found by looking, and a sample stands for the CPU time since its thread's last one.

use std::time::{Duration, Instant};

use calor_model::{Profile, Warning};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::call_paths::naming::Naming;
use crate::cpu::observer::{Manner, Observer};
use crate::error::RecordError;
use crate::machine;
use crate::perf::registers::DWARF;
use crate::perf::{Record, SampleRecord, clock_nanos};
use crate::process;
use crate::recording::account::Account;
use crate::recording::options::{Options, Target};
use crate::recording::progress::Progress;
use crate::timers::{Caught, Session, Timer, period, thread_cpu_nanos};
use calor_symbols::{SymbolOptions, Symbolizer};

/// How often samples are read and threads looked for: shorter threads than this are not seen.
const ROUND: Duration = Duration::from_millis(20);
/// Looking at what is mapped may take one part in so many of the time.
const MAPS_SHARE: u32 = 50;
/// The most time a sample stands for: a thread that had the signal blocked for longer was elsewhere meanwhile.
const LONGEST_NANOS: u64 = 50_000_000;

/// Threads without a timer are counted up to here.
const MOST_REFUSED: usize = 10_000;

/// A thread with a timer.
#[derive(Debug)]
struct Watched {
    _timer: Timer,
    /// Its CPU time at its last sample.
    cpu_nanos: u64,
}

/// A recording by timers.
#[derive(Debug)]
pub(super) struct TimedRecording {
    /// `None` once it has ended.
    session: Option<Session>,
    period: Duration,
    pid: i32,
    watched: HashMap<i32, Watched, RandomState>,
    /// Threads that get no timer.
    left_out: HashSet<i32, RandomState>,
    observer: Observer,
    naming: Naming,
    account: Account,
    began: Instant,
    cpu_before: u64,
    /// CPU time up to the end, once it has ended.
    cpu_at_end: Option<u64>,
    mappings: Vec<process::Mapping>,
    next_maps: Instant,
    /// Threads for which the system granted no timer.
    refused: HashSet<i32, RandomState>,
    lost_signal: bool,
}

impl TimedRecording {
    pub(super) fn start(options: &Options) -> Result<Self, RecordError> {
        let session = Session::begin()?;
        let pid = process::own_pid();
        let manner = Manner {
            period_nanos: 0,
            max_depth: options.max_depth,
            by_thread: options.by_thread,
            kernel_chain: false,
            python: false,
        };
        let symbols = SymbolOptions {
            inlines: options.inlines,
            cache: options.symbol_cache.clone(),
            ..SymbolOptions::default()
        };
        let mut account = Account::new(options, &Target::Own, pid, None);
        account.timers_only(options);
        let mut recording = Self {
            session: Some(session),
            period: period(options.rate),
            pid,
            watched: HashMap::default(),
            left_out: HashSet::default(),
            observer: Observer::new(manner),
            naming: Naming::new(Symbolizer::new(symbols), false),
            account,
            began: Instant::now(),
            cpu_before: others_cpu_nanos(),
            cpu_at_end: None,
            mappings: Vec::new(),
            next_maps: Instant::now(),
            refused: HashSet::default(),
            lost_signal: false,
        };
        recording.read();
        Ok(recording)
    }

    pub(super) fn step(&mut self, at_most: Duration) {
        std::thread::sleep(at_most.min(ROUND));
        self.read();
    }

    /// Takes a thread's timer away, or gives it none.
    pub(super) fn leave_out(&mut self, tid: i32) {
        self.left_out.insert(tid);
        self.watched.remove(&tid);
        self.observer.leave_out(tid);
    }

    pub(super) fn stop(&mut self) {
        if self.session.is_some() {
            self.cpu_at_end = Some(self.cpu_nanos());
            self.watched.clear();
            // A handler that is at work just now needs some microseconds more.
            std::thread::sleep(Duration::from_millis(1));
            self.read_samples();
            self.session = None;
        }
    }

    pub(super) fn progress(&self) -> Progress {
        let counts = &self.observer.counts;
        Progress {
            elapsed: self.began.elapsed(),
            samples: counts.samples,
            waits: 0,
            lost: counts.lost,
            threads: self.observer.threads.seen(),
        }
    }

    pub(super) fn cpu_nanos(&self) -> u64 {
        self.cpu_at_end.unwrap_or_else(|| others_cpu_nanos().saturating_sub(self.cpu_before))
    }

    pub(super) fn is_large(&self) -> bool {
        self.observer.tally.is_large()
    }

    pub(super) fn take(&mut self) -> Profile {
        for (tid, _) in &self.watched {
            name(&mut self.observer, self.pid, *tid);
        }
        let tally = self.observer.take_tally(clock_nanos());
        let mut profile = self.naming.profile(
            &tally,
            &self.observer.images,
            &self.observer.threads,
            &self.observer.python.functions,
        );
        let (cpu_nanos, is_whole) = (self.cpu_nanos(), self.session.is_none());
        self.account.write(&mut profile, &self.observer, Some(cpu_nanos), self.began.elapsed());
        self.observer.threads.forget_ended();
        if is_whole {
            self.naming.write_code(&self.observer.images, &mut profile);
            // A cache that cannot be written costs time next time, and nothing now.
            let _ = self.naming.symbolizer.save();
        }
        profile
    }

    pub(super) fn remarks(&self) -> impl Iterator<Item = Warning> {
        let refused = (!self.refused.is_empty()).then(|| {
            Warning::counted(
                "threads_without_timer",
                "threads got no timer from the system and were not sampled: raise `ulimit -i`",
                self.refused.len() as u64,
            )
        });
        let lost = self.lost_signal.then(|| {
            Warning::new(
                "sampling_signal_lost",
                "sampling ended early: another part of the program took the signal that it used; start sampling after \
                 that part, so that another signal is chosen",
            )
        });
        refused.into_iter().chain(lost)
    }

    fn read(&mut self) {
        let Some(session) = &self.session else { return };
        if !session.has_signal() {
            self.lost_signal = true;
            self.stop();
            return;
        }
        let tids = process::threads_of(self.pid).into_iter().collect();
        self.look_at_maps();
        self.read_samples();
        self.follow(&tids);
    }

    /// Adopts what the loader has mapped since.
    fn look_at_maps(&mut self) {
        let start = Instant::now();
        if start < self.next_maps {
            return;
        }
        let mappings = process::mappings(self.pid);
        if mappings != self.mappings {
            self.mappings = mappings;
            self.observer.expect(self.pid);
            self.observer.adopt(self.pid);
        }
        self.next_maps = start + start.elapsed() * MAPS_SHARE;
    }

    fn read_samples(&mut self) {
        let Self { session: Some(session), observer, watched, pid, period, .. } = self else { return };
        observer.counts.lost += session.take_lost();
        session.drain(|caught| {
            let weight = match watched.get_mut(&caught.tid) {
                Some(thread) => {
                    let before = std::mem::replace(&mut thread.cpu_nanos, caught.cpu_nanos);
                    caught.cpu_nanos.saturating_sub(before)
                }
                None => u64::try_from(period.as_nanos()).unwrap_or(0),
            };
            observer.manner.period_nanos = weight.min(LONGEST_NANOS);
            if !observer.threads.is_seen(caught.tid) {
                name(observer, *pid, caught.tid);
            }
            observe(observer, *pid, caught);
        });
    }

    /// Gives new threads a timer and forgets those that have ended.
    fn follow(&mut self, tids: &HashSet<i32, RandomState>) {
        let Self { session: Some(session), watched, observer, .. } = self else { return };
        let own = process::own_tid();
        self.left_out.retain(|tid| {
            let is_there = tids.contains(tid);
            if !is_there {
                observer.take(&Record::Ended { pid: self.pid, tid: *tid });
            }
            is_there
        });
        for tid in tids.iter().copied().filter(|tid| *tid != own) {
            if watched.contains_key(&tid) || self.left_out.contains(&tid) {
                continue;
            }
            let cpu_nanos = thread_cpu_nanos(tid);
            match (cpu_nanos, Timer::start(tid, session.signal(), self.period)) {
                (Some(cpu_nanos), Ok(timer)) => {
                    watched.insert(tid, Watched { _timer: timer, cpu_nanos });
                }
                // It has ended meanwhile.
                (None, _) => {}
                (Some(_), Err(error)) => {
                    if error.raw_os_error() == Some(libc::EAGAIN) && self.refused.len() < MOST_REFUSED {
                        self.refused.insert(tid);
                    }
                }
            }
        }
        watched.retain(|tid, _| {
            let is_there = tids.contains(tid);
            if !is_there {
                observer.take(&Record::Ended { pid: self.pid, tid: *tid });
            }
            is_there
        });
    }
}

fn observe(observer: &mut Observer, pid: i32, caught: &Caught) {
    let mut registers = [0_u8; DWARF.len() * 8];
    for (bytes, value) in registers.chunks_exact_mut(8).zip(caught.registers) {
        bytes.copy_from_slice(&value.to_ne_bytes());
    }
    observer.take(&Record::Sample(SampleRecord {
        id: 0,
        address: 0,
        pid,
        tid: caught.tid,
        time: caught.time,
        period: 1,
        is_in_kernel: false,
        kernel_chain: &[],
        registers: &registers,
        stack: &caught.stack[..caught.stack_length.min(caught.stack.len())],
    }));
}

fn name(observer: &mut Observer, pid: i32, tid: i32) {
    if let Some(name) = process::name_of(pid, tid) {
        observer.threads.name(tid, &name);
    }
}

/// CPU time of this process without the calling thread.
fn others_cpu_nanos() -> u64 {
    machine::own_cpu_nanos().saturating_sub(machine::own_thread_cpu_nanos())
}
