//! Follows the records of a recording: keeps what is mapped and running up to date, walks each sample's stack,
//! and adds it up.

use calor_model::{EventWeight, SampleKind, SampleWeight};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

use super::copies::Copies;
use super::event_weights::EventWeights;
use super::off_cpu::{Away, OffCpu};
use super::stack_copy::{Beyond, StackCopy};
use super::walked::{Walked, native_frames};
use crate::call_paths::images::{ImageId, Images, Request};
use crate::call_paths::spaces::Spaces;
use crate::call_paths::tally::{Step, Tally, TallyKey};
use crate::call_paths::threads::Threads;
use crate::perf::{Mapped, Record, SampleRecord, registers};
use crate::process;
use crate::python::{Lock, NativeFrame, Part, Python, Sampled};
use calor_symbols::unwind::{End, Registers, Unwinder};

/// Values from here up in a kernel call chain are marks, not addresses.
const CHAIN_MARKS: u64 = u64::MAX - 4095;

/// What has been counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Samples of running threads.
    pub(crate) samples: u64,
    /// Samples of threads that left their processor.
    pub(crate) switches: u64,
    /// Records that the kernel had no room for.
    pub(crate) lost: u64,
    /// Times that the kernel held sampling back.
    pub(crate) throttled: u64,
    /// Stacks that reach the thread's beginning.
    pub(crate) rooted: u64,
    /// Stacks that needed more than the kernel copied, whether it was to be had or not.
    pub(crate) short: u64,
    /// Stacks that ended because the rest of the stack was not to be had.
    pub(crate) cut: u64,
    /// Stacks that ended in code without unwind information.
    pub(crate) untold: u64,
    /// Stacks that were longer than asked for.
    pub(crate) longer: u64,
    /// Samples without a user stack: threads of the kernel, or ones on their way out.
    pub(crate) stackless: u64,
    /// Samples whose path was cut because there were too many paths.
    pub(crate) overflowed: u64,
    /// Threads and processes that began.
    pub(crate) began: u64,
}

/// How samples are taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) period_nanos: u64,
    pub(crate) max_depth: usize,
    pub(crate) by_thread: bool,
    pub(crate) kernel_chain: bool,
    /// Whether Python frames are read.
    pub(crate) python: bool,
}

/// The state of a recording.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) manner: Manner,
    pub(crate) counts: Counts,
    pub(crate) images: Images,
    pub(crate) tally: Tally,
    pub(crate) threads: Threads,
    pub(crate) unwinder: Unwinder,
    pub(crate) python: Python,
    spaces: Spaces,
    off_cpu: OffCpu,
    /// What stacks need to be copied.
    pub(crate) copies: Copies,
    /// The events that fire when a thread leaves its processor.
    switch_events: HashSet<u64, RandomState>,
    event_weights: EventWeights,
    /// Threads whose samples are passed over.
    left_out: HashSet<i32, RandomState>,
    /// Whether records were lost that may have told of mappings.
    has_gap: bool,
    beyond: Beyond,
    addresses: Vec<u64>,
    tops: Vec<u64>,
    frames: Vec<Option<NativeFrame>>,
    parts: Vec<Part>,
    steps: Vec<Step>,
}

impl Observer {
    pub(crate) fn new(manner: Manner) -> Self {
        Self {
            copies: Copies::default(),
            manner,
            counts: Counts::default(),
            images: Images::default(),
            tally: Tally::default(),
            threads: Threads::default(),
            unwinder: Unwinder::new(),
            python: Python::default(),
            spaces: Spaces::default(),
            off_cpu: OffCpu::default(),
            switch_events: HashSet::default(),
            event_weights: EventWeights::default(),
            left_out: HashSet::default(),
            has_gap: false,
            beyond: Beyond::default(),
            addresses: Vec::new(),
            tops: Vec::new(),
            frames: Vec::new(),
            parts: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Samples of this event tell where a thread left its processor.
    pub(crate) fn add_switch_event(&mut self, id: u64) {
        self.switch_events.insert(id);
    }

    /// Samples of this event tell where what a counter counts happened.
    pub(crate) fn add_counter_event(&mut self, id: u64, counter: u8) {
        self.event_weights.add(id, counter);
    }

    /// From now on, samples of a thread are passed over until it ends.
    pub(crate) fn leave_out(&mut self, tid: i32) {
        self.left_out.insert(tid);
    }

    /// A process is about to become the program to be watched.
    pub(crate) fn expect(&mut self, pid: i32) {
        self.spaces.begin(pid);
    }

    /// Takes in what a process that ran before looks like now.
    pub(crate) fn adopt(&mut self, pid: i32) {
        for mapping in process::mappings(pid) {
            let mapped = Mapped {
                pid,
                start: mapping.start,
                size: mapping.size,
                offset: mapping.offset,
                device: mapping.device,
                inode: mapping.inode,
                is_executable: true,
                name: mapping.name.as_bytes(),
            };
            self.map(&mapped);
        }
        let tids = process::threads_of(pid);
        self.spaces.adopt(pid, tids.len());
        for tid in tids {
            if let Some(name) = process::name_of(pid, tid) {
                self.threads.name(tid, &name);
            }
        }
    }

    /// A sample has just been taken, and its turn will come: what its thread runs is read while it still does.
    pub(crate) fn announce(&mut self, pid: i32, tid: i32, time: u64) {
        if self.manner.python {
            self.python.announce(pid, tid, time);
        }
    }

    /// Takes in a record.
    pub(crate) fn take(&mut self, record: &Record<'_>) {
        match *record {
            Record::Sample(ref sample) => self.sample(sample),
            Record::Mapped(ref mapped) if mapped.is_executable => self.map(mapped),
            Record::Named { pid, tid, name, is_exec } => {
                if is_exec {
                    self.spaces.begin(pid);
                    self.python.forget(pid);
                }
                self.threads.name(tid, &String::from_utf8_lossy(name));
            }
            Record::Began { pid, tid, parent_pid, parent_tid } => {
                self.counts.began += 1;
                if pid != parent_pid {
                    self.spaces.fork(pid, parent_pid);
                    self.python.forget(pid);
                }
                self.spaces.thread_began(pid);
                self.threads.began(tid, parent_tid);
            }
            Record::Ended { pid, tid } => {
                self.off_cpu.ended(tid);
                self.left_out.remove(&tid);
                self.event_weights.ended(tid);
                self.threads.ended(tid);
                self.python.thread_ended(pid, tid);
                self.spaces.thread_ended(pid);
                if !self.spaces.knows(pid) {
                    self.python.forget(pid);
                }
            }
            Record::Lost { records } => {
                self.counts.lost += records;
                self.has_gap = true;
            }
            Record::Throttled => self.counts.throttled += 1,
            Record::Switched { tid, is_out: true, is_pushed: true, .. } => {
                self.counts.switches -= u64::from(self.off_cpu.pushed_off(tid));
            }
            Record::Switched { tid, time, is_out: false, .. } => {
                if let Some((away, nanos)) = self.off_cpu.came_back(tid, time) {
                    self.add_away(tid, away, nanos);
                }
            }
            _ => {}
        }
    }

    /// Looks at mappings anew after records were lost that may have told of them.
    pub(crate) fn make_good(&mut self) {
        if std::mem::take(&mut self.has_gap) {
            let pids: Vec<i32> = self.processes().collect();
            pids.into_iter().for_each(|pid| self.adopt(pid));
        }
    }

    /// The processes that are known and have not ended.
    pub(crate) fn processes(&self) -> impl Iterator<Item = i32> {
        self.spaces.pids()
    }

    /// The sums have been written out: what has ended is no longer needed.
    pub(crate) fn forget_ended(&mut self) {
        self.threads.forget_ended();
        self.spaces.sweep(process::is_alive);
        self.python.keep_only(|pid| self.spaces.knows(pid));
    }

    /// Counts those that are still away up to now, and gives the sums away; counting goes on from nothing.
    pub(crate) fn take_tally(&mut self, time: u64) -> Tally {
        let away = self.off_cpu.settle(time);
        for &(tid, away, nanos) in &away {
            self.add_away(tid, away, nanos);
        }
        let full = std::mem::take(&mut self.tally);
        self.counts.overflowed += full.overflowed;
        for (tid, away, _) in away {
            let mut path = full.path_of(away.node);
            path.reverse();
            if let Some(node) = self.tally.path(path) {
                self.off_cpu.left(tid, Away { node, is_counted: true, ..away });
            }
        }
        full
    }

    fn add_away(&mut self, tid: i32, away: Away, nanos: u64) {
        if nanos > 0 {
            let key = TallyKey { lock: away.lock, ..self.key(away.node, away.pid, tid, SampleKind::OffCpu) };
            self.tally.add(key, SampleWeight { count: u64::from(!away.is_counted), nanos });
        }
    }

    fn key(&mut self, node: u32, pid: i32, tid: i32, kind: SampleKind) -> TallyKey {
        let tid = self.threads.row(pid, tid, self.manner.by_thread);
        TallyKey { node, pid, tid, kind, lock: None }
    }

    fn map(&mut self, mapped: &Mapped<'_>) {
        let name = String::from_utf8_lossy(mapped.name);
        // A file that has no name any more is still the file that had it.
        let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
        let range = (mapped.start, mapped.start.saturating_add(mapped.size));
        let request = Request { pid: mapped.pid, name, device: mapped.device, inode: mapped.inode, range };
        let image = self.images.get(request, &mut self.unwinder);
        self.spaces.map(mapped.pid, range, mapped.offset, image, &self.images);
    }

    fn sample(&mut self, sample: &SampleRecord<'_>) {
        if self.left_out.contains(&sample.tid) {
            return;
        }
        if !self.spaces.knows(sample.pid) {
            self.adopt(sample.pid);
        }
        let is_switch = self.switch_events.contains(&sample.id);
        let counted = self.event_weights.weigh(sample);
        let lock = self.walk(sample);
        if is_switch {
            let Some(node) = self.path() else { return };
            self.counts.switches += 1;
            self.off_cpu.left(
                sample.tid,
                Away { node, pid: sample.pid, since: sample.time, lock, is_counted: false },
            );
        }
        if counted.is_some() && self.steps.len() > 1 && self.steps[0] == Step::InKernel {
            // The kernel counts it; whose doing it was stands next.
            self.steps.remove(0);
        }
        // The event that tells where threads wait may count switches besides, or be nothing else.
        if is_switch && counted.is_none() {
            return;
        }
        let Some(node) = self.path() else { return };
        if let Some((counter, events)) = counted {
            let key = TallyKey { lock, ..self.key(node, sample.pid, sample.tid, SampleKind::Cpu) };
            self.tally.add_events(counter, key, EventWeight { events, samples: 1 });
        } else {
            self.counts.samples += 1;
            let key = TallyKey { lock, ..self.key(node, sample.pid, sample.tid, SampleKind::Cpu) };
            self.tally.add(key, SampleWeight { count: 1, nanos: self.manner.period_nanos });
        }
    }

    /// The place of `steps` among all paths; a sample without any is counted as such.
    fn path(&mut self) -> Option<u32> {
        let node = self.tally.path(self.steps.iter().rev().copied());
        self.counts.stackless += u64::from(node.is_none());
        node
    }

    /// Fills `steps` with the sample's path, innermost first. How the thread stands to Python's lock, if it runs Python.
    fn walk(&mut self, sample: &SampleRecord<'_>) -> Option<Lock> {
        self.steps.clear();
        for word in sample.kernel_chain.chunks_exact(8) {
            let address = u64::from_ne_bytes(word.try_into().unwrap_or_default());
            if address < CHAIN_MARKS {
                self.steps.push(Step::Kernel(address));
            }
        }
        if sample.is_in_kernel && self.steps.is_empty() {
            self.steps.push(Step::InKernel);
        }
        let registers = user_registers(sample)?;
        let space = self.spaces.of(sample.pid);
        if sample.is_in_kernel && (space.is_empty() || sample.stack.is_empty()) {
            // The program that the registers are of is gone, with its stack.
            self.steps.push(Step::Starting);
            return None;
        }
        let mut stack = StackCopy::new(sample.tid, registers.sp(), sample.stack, &mut self.beyond);
        self.addresses.clear();
        let limit = self.manner.max_depth.saturating_sub(self.steps.len()).max(1);
        let mut end = self.unwinder.walk(space, &registers, &mut stack, limit, &mut self.addresses);
        self.counts.short += u64::from(stack.was_short());
        if stack.was_short()
            && let Some(stale) = self.unwinder.first_stale(space, &self.addresses)
        {
            self.addresses.truncate(stale);
            end = End::Cut { address: registers.sp() };
        }
        let is_cut = matches!(end, End::Cut { .. });
        // A stack that could not be followed to its end needs more than what it asked for last.
        self.copies.note(if is_cut { stack.needed() * 2 } else { stack.needed() });
        let mut lock = None;
        self.parts.clear();
        if self.manner.python {
            native_frames(space, &self.addresses, &mut self.frames);
            self.tops.clear();
            self.tops.extend_from_slice(self.unwinder.tops());
            let sampled = Sampled {
                pid: sample.pid,
                tid: sample.tid,
                time: sample.time,
                address: sample.address,
                frames: &self.frames,
                tops: &self.tops,
                is_rooted: end == End::Root,
            };
            let mut walked =
                Walked { unwinder: &mut self.unwinder, space, registers: &registers, stack: &mut stack };
            let images = &self.images;
            let image = |file| images.opened(ImageId::of_number(file)).image.clone();
            lock = self.python.merge(&sampled, &mut walked, image, &mut self.parts);
        }
        let native = |address: &u64| Step::User(space.location(*address));
        if self.parts.is_empty() {
            self.steps.extend(self.addresses.iter().map(native));
        }
        self.steps.extend(self.parts.iter().filter_map(|part| match *part {
            Part::Native(index) => self.addresses.get(index).map(native),
            Part::Python(function, line) => {
                self.python.functions.is_shown(function).then_some(Step::Python(function, line))
            }
            Part::Unnamed => Some(Step::PythonUnnamed),
            Part::Unverified => Some(Step::PythonUnverified),
            Part::Longer => None,
        }));
        if self.parts.last() == Some(&Part::Longer) || self.steps.len() > self.manner.max_depth {
            // One native frame may run any number of Python's.
            self.steps.truncate(self.manner.max_depth);
            end = End::Limit;
        }
        match end {
            End::Root => self.counts.rooted += 1,
            End::Limit => {
                self.counts.longer += 1;
                self.steps.push(Step::Longer);
            }
            End::Cut { .. } => {
                self.counts.cut += 1;
                self.steps.push(Step::Broken);
            }
            _ => {
                self.counts.untold += 1;
                self.steps.push(Step::Broken);
            }
        }
        lock
    }
}

fn user_registers(sample: &SampleRecord<'_>) -> Option<Registers> {
    let mut found = Registers::new(0, 0, 0);
    if sample.registers.is_empty() || registers::DWARF.is_empty() {
        return None;
    }
    for (number, value) in registers::DWARF.iter().zip(sample.registers.chunks_exact(8)) {
        found.set(*number, u64::from_ne_bytes(value.try_into().ok()?));
    }
    Some(found)
}
