//! The events of a recording: opened on every watched thread for every processor, since an event that new
//! threads inherit can only be read by processor. They can be opened anew with larger copies of the stack while
//! the program runs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::RawFd;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::counter_source::source;
use crate::counters::{Amount, Counter, CounterSet};
use crate::perf::{Event, EventOptions, Inherit, Rings, SharedCount, Source};

/// How much of a ring may fill before the reader is woken, as a part of it.
const WAKE_PART: usize = 4;
/// How many samples a ring has room for, at least; the reader may be kept off its processor for a while.
const ROOM_MILLIS: usize = 250;
const SMALLEST_RING: usize = 64 << 10;
/// How many samples a ring has room for at least before copies of stacks are made larger.
const ROOMY: usize = 16;
const LEAST_RING: usize = 512 << 10;
const LARGEST_RING: usize = 4 << 20;
const ALL_RINGS: usize = 128 << 20;
/// What a sample takes beside the copy of the stack.
const SAMPLE_BYTES: usize = 256;
/// The kernel's limit, less the rest of a record: its length has sixteen bits.
const LARGEST_STACK: u32 = 63 << 10;

/// What is asked of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) rate: u32,
    pub(crate) off_cpu: bool,
    pub(crate) sees_kernel: bool,
    pub(crate) kernel_chain: bool,
    pub(crate) inherit: Inherit,
    pub(crate) stack_bytes: u32,
    /// The program that the kernel runs with each sample, if any.
    pub(crate) program: Option<RawFd>,
    /// Whether the reader is woken by every sample, and not only when many have come: what Python runs has to be read at
    /// once.
    pub(crate) wakes_each: bool,
    /// What else is counted, and sampled where it happens.
    pub(crate) counters: CounterSet,
}

/// How small rings may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Least {
    /// As small as there are: some samples are better than none.
    Any,
    /// With room for a few samples: lost ones are worse than short stacks.
    Roomy,
}

/// What was refused.
#[derive(Debug)]
enum Failure {
    Event(io::Error),
    Ring,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Event(error)
    }
}

impl Failure {
    fn into_error(self) -> io::Error {
        match self {
            Self::Event(error) => error,
            Self::Ring => io::Error::from_raw_os_error(libc::ENOMEM),
        }
    }
}

/// Open events and their rings.
#[derive(Debug)]
pub(crate) struct Events {
    pub(crate) wanted: Wanted,
    pub(crate) rings: Rings,
    /// Those that write into another's ring.
    others: Vec<Event>,
    /// The numbers of those that fire when a thread leaves its processor.
    pub(crate) switch_ids: Vec<u64>,
    /// The numbers of those that belong to a counter, and that counter's.
    pub(crate) counter_ids: Vec<(u64, u8)>,
    /// The threads that those were opened on.
    counter_tids: Vec<i32>,
}

impl Events {
    /// None at all.
    pub(crate) fn none() -> Self {
        let wanted = Wanted {
            rate: 0,
            off_cpu: false,
            sees_kernel: false,
            kernel_chain: false,
            inherit: Inherit::Processes,
            stack_bytes: 0,
            program: None,
            wakes_each: false,
            counters: CounterSet::default(),
        };
        Self::empty(wanted)
    }

    fn empty(wanted: Wanted) -> Self {
        Self {
            wanted,
            rings: Rings::default(),
            others: Vec::new(),
            switch_ids: Vec::new(),
            counter_ids: Vec::new(),
            counter_tids: Vec::new(),
        }
    }

    /// Whether there are none.
    pub(crate) fn is_none(&self) -> bool {
        self.rings.descriptors().next().is_none()
    }

    /// Opens the events of some threads; those that have ended are passed over, unless all have. How much memory
    /// may be locked differs from user to user: rings that are refused are asked for in half the size, down to
    /// `least`.
    pub(crate) fn open(wanted: Wanted, tids: &[i32], starts_on_exec: bool, least: Least) -> io::Result<Self> {
        let mut size = ring_bytes(&wanted);
        let least = match least {
            Least::Any => SMALLEST_RING,
            Least::Roomy => (ROOMY * (wanted.stack_bytes as usize + SAMPLE_BYTES)).next_power_of_two(),
        };
        loop {
            match Self::open_with(wanted, tids, starts_on_exec, size) {
                Err(Failure::Ring) if size > least => size /= 2,
                Err(failure) => return Err(failure.into_error()),
                Ok(events) => return Ok(events),
            }
        }
    }

    fn open_with(
        wanted: Wanted,
        tids: &[i32],
        starts_on_exec: bool,
        ring_bytes: usize,
    ) -> Result<Self, Failure> {
        let mut events = Self::empty(wanted);
        let (clock, switch) = event_options(&wanted, starts_on_exec, ring_bytes);
        let mut gone = None;
        for cpu in processors() {
            let mut ring: Option<RawFd> = None;
            for &tid in tids {
                let mut opened = events.open_one(&clock, tid, cpu, &mut ring, ring_bytes);
                if wanted.off_cpu && opened.is_ok() {
                    opened = events.open_switch(&switch, tid, cpu, &mut ring, ring_bytes);
                }
                if opened.is_ok() {
                    opened = events.open_counters(&clock, tid, cpu, &mut ring, ring_bytes);
                }
                match opened {
                    Ok(_) => {}
                    Err(Failure::Event(error)) if error.raw_os_error() == Some(libc::ESRCH) => {
                        gone = Some(error);
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        match gone {
            Some(error) if events.is_none() => Err(Failure::Event(error)),
            None if events.is_none() => Err(Failure::Event(io::Error::from_raw_os_error(libc::ESRCH))),
            _ => Ok(events),
        }
    }

    /// Watches one more thread, from now on.
    pub(crate) fn watch_too(&mut self, tid: i32) -> io::Result<()> {
        self.open_on(tid).map_err(Failure::into_error)
    }

    fn open_on(&mut self, tid: i32) -> Result<(), Failure> {
        let (clock, switch) = event_options(&self.wanted, false, ring_bytes(&self.wanted));
        let n_before = self.others.len();
        let rings: Vec<RawFd> = self.rings.descriptors().collect();
        // Rings stand in the order of the processors.
        for (cpu, ring) in processors().into_iter().zip(rings) {
            self.open_one(&clock, tid, cpu, &mut Some(ring), 0)?;
            if self.wanted.off_cpu {
                self.open_switch(&switch, tid, cpu, &mut Some(ring), 0)?;
            }
            self.open_counters(&clock, tid, cpu, &mut Some(ring), 0)?;
        }
        Ok(self.others[n_before..].iter().try_for_each(Event::enable)?)
    }

    /// Opens the event that fires when a thread leaves its processor. It counts switches too where those are asked for: the
    /// kernel stamps the samples of two such events with the number of one, by which waits would be taken for counts.
    fn open_switch(
        &mut self,
        switch: &EventOptions,
        tid: i32,
        cpu: i32,
        ring: &mut Option<RawFd>,
        ring_bytes: usize,
    ) -> Result<u64, Failure> {
        let id = self.open_one(switch, tid, cpu, ring, ring_bytes)?;
        self.switch_ids.push(id);
        if let Some((number, _)) = self.wanted.counters.iter().find(|(_, counter)| counter.is_switch()) {
            self.counter_ids.push((id, number));
            self.counter_tids.push(tid);
        }
        Ok(id)
    }

    /// Opens the events of all counters; the clock's ring is there already. The last one's number, or 0.
    fn open_counters(
        &mut self,
        clock: &EventOptions,
        tid: i32,
        cpu: i32,
        ring: &mut Option<RawFd>,
        ring_bytes: usize,
    ) -> Result<u64, Failure> {
        let mut last = 0;
        let is_counted = |counter: &Counter| self.wanted.off_cpu && counter.is_switch();
        let others = self.wanted.counters.iter().filter(|(_, counter)| !is_counted(counter));
        for (number, counter) in others.collect::<Vec<_>>() {
            let Some(source) = source(&counter, self.wanted.rate) else { continue };
            let options = EventOptions { source, tells_tasks: false, tells_switches: false, ..*clock };
            last = self.open_one(&options, tid, cpu, ring, ring_bytes)?;
            self.counter_ids.push((last, number));
            self.counter_tids.push(tid);
        }
        Ok(last)
    }

    fn open_one(
        &mut self,
        options: &EventOptions,
        tid: i32,
        cpu: i32,
        ring: &mut Option<RawFd>,
        ring_bytes: usize,
    ) -> Result<u64, Failure> {
        let event = Event::open(options, tid, cpu)?;
        if let Some(program) = self.wanted.program {
            event.run(program)?;
        }
        let id = event.id()?;
        match *ring {
            None => *ring = Some(self.rings.add(event, ring_bytes).map_err(|_| Failure::Ring)?),
            Some(ring) => {
                event.write_into(ring)?;
                self.others.push(event);
            }
        }
        Ok(id)
    }

    /// Lets them count. A thread that has ended meanwhile is no error.
    pub(crate) fn enable(&self) {
        for event in self.all() {
            let _ = event.enable();
        }
    }

    /// Stops them, those of threads that inherited them too.
    pub(crate) fn disable(&self) {
        for event in self.all() {
            let _ = event.disable();
        }
    }

    fn all(&self) -> impl Iterator<Item = &Event> {
        self.rings.events().chain(&self.others)
    }

    /// CPU time of all watched threads since the events were enabled.
    pub(crate) fn cpu_nanos(&self) -> u64 {
        // Machines with many processors have thousands of events.
        let counters = self.counter_ids.iter().map(|(id, _)| *id);
        let others: HashSet<u64, RandomState> = self.switch_ids.iter().copied().chain(counters).collect();
        let is_clock = |event: &&Event| others.is_empty() || event.id().is_ok_and(|id| !others.contains(&id));
        self.all().filter(is_clock).filter_map(|event| event.count().ok()).sum()
    }

    /// By counter: what it has counted since the events were enabled, scaled to the whole time, and for which share of
    /// that time it was counted.
    pub(crate) fn counted(&self) -> Vec<(u8, u64, f64)> {
        // Events of one task are in turn on the processors that it is on, and only together there all the time.
        let tasks = self.counter_ids.iter().zip(&self.counter_tids);
        let tasks: HashMap<u64, (u8, i32), RandomState> =
            tasks.map(|((id, number), tid)| (*id, (*number, *tid))).collect();
        let mut parts: BTreeMap<(u8, i32), Vec<SharedCount>> = BTreeMap::new();
        for event in self.others.iter().filter(|_| !tasks.is_empty()) {
            let task = event.id().ok().and_then(|id| tasks.get(&id));
            if let Some(task) = task {
                parts.entry(*task).or_default().extend(event.shared_count());
            }
        }
        let mut counted: Vec<(u8, u64, f64)> = Vec::new();
        for ((number, _), parts) in parts {
            // A task that never ran has counted nothing.
            let amount = Amount::of(&parts).unwrap_or(Amount { value: 0, counted_share: 1.0 });
            match counted.last_mut().filter(|(known, ..)| *known == number) {
                Some((_, sum, share)) => {
                    *sum = sum.saturating_add(amount.value);
                    *share = share.min(amount.counted_share);
                }
                None => counted.push((number, amount.value, amount.counted_share)),
            }
        }
        counted
    }
}

impl Drop for Events {
    /// A forked child may still have the descriptors, which alone would keep events going.
    fn drop(&mut self) {
        self.disable();
    }
}

/// How the two kinds of event are opened.
fn event_options(wanted: &Wanted, starts_on_exec: bool, ring_bytes: usize) -> (EventOptions, EventOptions) {
    let clock = EventOptions {
        source: Source::CpuClock { hz: wanted.rate },
        stack_bytes: wanted.stack_bytes.min(LARGEST_STACK) & !7,
        sees_kernel: wanted.sees_kernel,
        kernel_chain: wanted.kernel_chain,
        inherit: wanted.inherit,
        starts_on_exec,
        tells_tasks: true,
        tells_switches: wanted.off_cpu,
        wake_bytes: if wanted.wakes_each {
            1
        } else {
            u32::try_from(ring_bytes / WAKE_PART).unwrap_or(u32::MAX)
        },
    };
    let switch =
        EventOptions { source: Source::ContextSwitch, tells_tasks: false, tells_switches: false, ..clock };
    (clock, switch)
}

/// As much as comes in a while, but neither so little that a wait of the reader loses samples nor so much that
/// writing it drives the program's own data out of the processor's cache.
fn ring_bytes(wanted: &Wanted) -> usize {
    let sample = wanted.stack_bytes as usize + SAMPLE_BYTES;
    let while_bytes = (wanted.rate as usize).saturating_mul(sample).saturating_mul(ROOM_MILLIS) / 1000;
    // Machines with many processors have many rings, few of them busy.
    let largest = (ALL_RINGS / processors().len().max(1)).clamp(LEAST_RING, LARGEST_RING);
    while_bytes.next_power_of_two().clamp(LEAST_RING, 1 << largest.ilog2())
}

/// The processors that are on, such as `0-3,8`.
fn processors() -> Vec<i32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let mut found = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
            found.extend(first..=last);
        }
    }
    if found.is_empty() {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        found.extend(0..i32::try_from(count).unwrap_or(1));
    }
    found
}
