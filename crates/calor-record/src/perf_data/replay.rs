//! Follows the records of a file as if they came now: keeps what is mapped up to date and turns each sample into a
//! path.

use calor_formats::perf_script;
use calor_model::{Profile, StackId, Warning};
use perf_event_open_sys::bindings;

use super::attributes::Events;
use super::counted;
use super::features::Features;
use super::files::{Files, Wanted};
use super::records::Record;
use super::sample::{Mode, Sample};
use super::threads::Threads;
use crate::call_paths::images::Images;
use crate::call_paths::spaces::Spaces;
use crate::call_paths::tally::{Step, Tally};
use crate::perf::{self, Fields, until_zero};
use calor_symbols::unwind::{End, Memory, Unwinder};

/// Regions of all processes together beyond this many are left out: what is there costs a few hundred bytes each, and
/// a recording of a whole machine has some hundred thousand.
const MOST_REGIONS: usize = 1 << 21;
/// Regions of one process beyond this many are left out: each new one is put in its place among the others.
const MOST_OF_ONE: usize = 1 << 14;

/// What has been counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    lost: u64,
    throttled: u64,
    cut: u64,
    untold: u64,
    strayed: u64,
    longer: u64,
    pub(super) stackless: u64,
    not_unwound: u64,
    elsewhere: u64,
    unmapped: u64,
}

/// A sample whose path is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    event: u32,
    node: u32,
    life: usize,
    at_nanos: u64,
    period: Option<u64>,
    next_tid: Option<u64>,
}

/// The state of a recording at an instant.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    pub(super) features: &'a Features<'a>,
    pub(super) counts: Counts,
    pub(super) images: Images,
    pub(super) tally: Tally,
    pub(super) samples: Vec<Seen>,
    events: &'a Events,
    files: Files,
    max_depth: usize,
    can_unwind: bool,
    next_tid_offset: usize,
    kernel_start: Option<u64>,
    unwinder: Unwinder,
    spaces: Spaces,
    /// Mappings of all processes.
    n_regions: usize,
    threads: Threads,
    addresses: Vec<u64>,
    steps: Vec<Step>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(features: &'a Features<'a>, events: &'a Events, max_depth: usize) -> Self {
        let architecture = features.architecture();
        let is_wanted = architecture.is_empty() || architecture == "x86_64";
        Self {
            features,
            counts: Counts::default(),
            images: Images::default(),
            tally: Tally::default(),
            samples: Vec::new(),
            events,
            files: Files::new(features),
            max_depth: max_depth.max(1),
            can_unwind: is_wanted && cfg!(target_arch = "x86_64"),
            next_tid_offset: features.next_tid_offset(),
            kernel_start: None,
            unwinder: Unwinder::new(),
            spaces: Spaces::default(),
            n_regions: 0,
            threads: Threads::default(),
            addresses: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Takes in a record.
    pub(super) fn take(&mut self, record: &Record<'_>) {
        let kind = record.kind;
        if kind == bindings::PERF_RECORD_SAMPLE {
            return self.sample(record);
        }
        if matches!(kind, bindings::PERF_RECORD_MMAP | bindings::PERF_RECORD_MMAP2) {
            return self.map(record);
        }
        // Of processes that were there before, perf tells their mappings itself; the bit is that of an exec.
        let is_told_apart = u32::from(record.misc) & bindings::PERF_RECORD_MISC_COMM_EXEC != 0;
        match perf::Record::told(kind, record.misc.into(), record.body) {
            perf::Record::Named { pid, tid, name, is_exec } => {
                if is_exec {
                    self.change(pid, |spaces, _| spaces.forget(pid));
                }
                self.threads.named(pid, tid, name, is_exec);
            }
            perf::Record::Began { pid, tid, parent_pid, parent_tid } => {
                if pid != parent_pid && !is_told_apart {
                    self.fork(pid, parent_pid);
                }
                self.threads.began(pid, tid, parent_tid);
            }
            perf::Record::Ended { tid, .. } => {
                if let Some(pid) = self.threads.ended(tid) {
                    self.change(pid, |spaces, _| spaces.forget(pid));
                }
            }
            perf::Record::Lost { records } => self.counts.lost = self.counts.lost.saturating_add(records),
            perf::Record::Throttled => self.counts.throttled += 1,
            _ => {}
        }
    }

    fn fork(&mut self, pid: i32, parent: i32) {
        if self.n_regions + self.spaces.of(parent).n_regions() > MOST_REGIONS {
            self.counts.unmapped += 1;
        } else {
            self.change(pid, |spaces, _| spaces.fork(pid, parent));
        }
    }

    /// Changes what is mapped into a process, and keeps count.
    fn change(&mut self, pid: i32, change: impl FnOnce(&mut Spaces, &Images)) {
        self.n_regions -= self.spaces.of(pid).n_regions();
        change(&mut self.spaces, &self.images);
        self.n_regions += self.spaces.of(pid).n_regions();
    }

    fn map(&mut self, record: &Record<'_>) {
        const IS_DATA: u16 = 1 << 13;
        const HAS_BUILD_ID: u16 = 1 << 14;
        let is_second = record.kind == bindings::PERF_RECORD_MMAP2;
        let mut body = Fields(record.body);
        let (pid, _tid) = (body.i32(), body.i32());
        let (start, size, offset) = (body.u64(), body.u64(), body.u64());
        let (mut device, mut inode, mut build_id) = ((0, 0), 0, None);
        let mut is_code = record.misc & IS_DATA == 0;
        if is_second {
            let identity = body.bytes(24);
            if record.misc & HAS_BUILD_ID != 0 {
                let length = identity.first().map_or(0, |length| usize::from(*length).min(20));
                build_id = identity.get(4..4 + length).filter(|id| !id.is_empty());
                device = (u32::MAX, 0);
                inode = build_id.map_or(0, |id| Fields(id).u64());
            } else {
                let mut identity = Fields(identity);
                device = (identity.u32(), identity.u32());
                inode = identity.u64();
            }
            is_code = body.u32() & libc::PROT_EXEC.cast_unsigned() != 0;
            body.u32();
        }
        let name = String::from_utf8_lossy(until_zero(body.0));
        match Mode::of(record.misc) {
            Mode::User => {}
            Mode::Kernel if name.starts_with("[kernel.kallsyms]") => {
                self.kernel_start = self.kernel_start.or(Some(start));
                return;
            }
            _ => return,
        }
        let is_sound = size > 0 && start.checked_add(size).is_some() && offset.checked_add(size).is_some();
        if !is_code || !is_sound {
            return;
        }
        if self.n_regions > MOST_REGIONS || self.spaces.of(pid).n_regions() > MOST_OF_ONE {
            self.counts.unmapped += 1;
            return;
        }
        let of_file_inode = if build_id.is_some() { 0 } else { inode };
        let build_id = build_id.or_else(|| self.features.build_ids.of(&name));
        let wanted = Wanted { name: &name, build_id, inode: of_file_inode };
        let (files, key) = (&self.files, (name.to_string(), device, inode));
        let image = self.images.get_or_open(key, &mut self.unwinder, || files.open(wanted));
        self.change(pid, |spaces, images| spaces.map(pid, (start, start + size), offset, image, images));
    }

    fn sample(&mut self, record: &Record<'_>) {
        let event = self.events.get(record.event as usize);
        let sample = Sample::parse(record, event);
        self.walk(&sample);
        let Some(node) = self.tally.path(self.steps.iter().rev().copied()) else {
            self.counts.stackless += 1;
            return;
        };
        let next_tid = event.name.contains("sched_switch").then(|| {
            let mut raw = Fields(sample.raw.get(self.next_tid_offset..)?);
            (raw.0.len() >= 4).then(|| u64::from(raw.u32()))
        });
        self.samples.push(Seen {
            event: record.event,
            node,
            life: self.threads.at(sample.pid, sample.tid),
            at_nanos: record.time,
            period: sample.period,
            next_tid: next_tid.flatten(),
        });
    }

    /// Fills `steps` with the sample's path, innermost first.
    fn walk(&mut self, sample: &Sample<'_>) {
        self.steps.clear();
        self.addresses.clear();
        let mut mode = sample.mode;
        // Behind the first of a mode come return addresses: less one, they are within the call.
        let mut is_first = true;
        for word in sample.chain.chunks_exact(8) {
            let address = Fields(word).u64();
            if let Some(next) = mark(address) {
                (mode, is_first) = (next, true);
                continue;
            }
            let address = if is_first { address } else { address.saturating_sub(1) };
            is_first = false;
            match mode {
                Mode::Kernel => self.steps.push(Step::Kernel(address)),
                Mode::User => self.addresses.push(address),
                Mode::Elsewhere => self.counts.elsewhere += 1,
            }
        }
        if let (true, Some(ip)) = (self.steps.is_empty() && self.addresses.is_empty(), sample.ip) {
            match sample.mode {
                Mode::Kernel => self.steps.push(Step::Kernel(ip)),
                Mode::User => self.addresses.push(ip),
                Mode::Elsewhere => self.counts.elsewhere += 1,
            }
        }
        self.steps.truncate(self.max_depth);
        let space = self.spaces.of(sample.pid);
        let room = self.max_depth.saturating_sub(self.steps.len()).max(1);
        let mut is_strayed = false;
        if let Some(at) =
            (1..self.addresses.len()).find(|&at| space.location(self.addresses[at]).image.is_none())
        {
            // Code without frame pointers leads the kernel astray; what it found from there on is no call.
            self.addresses.truncate(at);
            is_strayed = true;
        }
        let mut end = End::Root;
        if let Some(registers) = sample.registers.filter(|_| !sample.stack.is_empty()) {
            if self.can_unwind {
                self.addresses.clear();
                is_strayed = false;
                let mut copy = Copied { start: registers.sp(), bytes: sample.stack };
                end = self.unwinder.walk(space, &registers, &mut copy, room, &mut self.addresses);
            } else {
                self.counts.not_unwound += 1;
            }
        }
        if self.addresses.len() > room {
            self.addresses.truncate(room);
            end = End::Limit;
        }
        self.steps.extend(self.addresses.iter().map(|address| Step::User(space.location(*address))));
        let (count, last) = match end {
            End::Root if is_strayed => (&mut self.counts.strayed, Step::Broken),
            End::Root => return,
            End::Limit => (&mut self.counts.longer, Step::Longer),
            End::Cut { .. } => (&mut self.counts.cut, Step::Broken),
            _ => (&mut self.counts.untold, Step::Broken),
        };
        *count += 1;
        self.steps.push(last);
    }

    /// Where the kernel's code begins, by the recording.
    pub(super) fn recorded_kernel_start(&self) -> Option<u64> {
        self.kernel_start
    }

    /// From where the kernel's addresses are counted when they have no name.
    pub(super) fn kernel_start(&self) -> u64 {
        self.kernel_start.unwrap_or(0)
    }

    /// The samples, in a profile that has their stacks, and the names of their events.
    pub(super) fn weighable(
        &self,
        stacks: &[Option<StackId>],
        profile: &mut Profile,
    ) -> (Vec<perf_script::Sample>, Vec<&'a str>) {
        let mut used: Vec<u32> = Vec::new();
        let mut samples = Vec::with_capacity(self.samples.len());
        for seen in &self.samples {
            let Some(stack) = stacks.get(seen.node as usize).copied().flatten() else { continue };
            let event = used.iter().position(|event| *event == seen.event).unwrap_or_else(|| {
                used.push(seen.event);
                used.len() - 1
            });
            let life = self.threads.get(seen.life);
            let pid = u32::try_from(life.pid).unwrap_or(0);
            let tid = u64::try_from(life.tid).unwrap_or(0);
            let thread = profile.intern_thread(pid, tid, life.name.as_deref().unwrap_or("(unnamed)"));
            let Seen { at_nanos, period, next_tid, .. } = *seen;
            samples.push(perf_script::Sample { event, stack, thread, at_nanos, period, next_tid });
        }
        (samples, used.iter().map(|event| self.events.get(*event as usize).name.as_str()).collect())
    }

    /// Whether all samples are of one event that tells where threads ran: of several, which one is CPU time is not
    /// decided here.
    pub(super) fn is_of_one_clock(&self) -> bool {
        let Some(first) = self.samples.first() else { return false };
        let is_one = self.samples.iter().all(|seen| seen.event == first.event);
        is_one && !self.events.get(first.event as usize).name.starts_with("sched:")
    }

    /// The path of each sample.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.samples.iter().map(|seen| seen.node)
    }

    /// Says what was not seen.
    pub(super) fn warn(&self, profile: &mut Profile) {
        let counts = &self.counts;
        let warnings = [
            ("samples_lost", LOST, counts.lost),
            ("sampling_throttled", THROTTLED, counts.throttled),
            ("stacks_cut", CUT, counts.cut),
            ("stacks_untold", UNTOLD, counts.untold),
            ("stacks_strayed", STRAYED, counts.strayed),
            ("stacks_longer", LONGER, counts.longer),
            ("stacks_missing", STACKLESS, counts.stackless),
            ("stacks_not_unwound", NOT_UNWOUND, counts.not_unwound),
            ("virtual_machine_hidden", ELSEWHERE, counts.elsewhere),
            ("mappings_left_out", UNMAPPED, counts.unmapped),
            ("paths_overflowed", OVERFLOWED, self.tally.overflowed),
        ];
        for warning in warnings.into_iter().filter_map(|(code, message, count)| counted(code, message, count))
        {
            profile.warn(warning);
        }
        for (name, problem) in self.images.problems() {
            let message = format!("{name}: {problem}; its functions are shown as offsets");
            profile.warn(Warning::new("image_unreadable", message));
        }
    }
}

/// The copy of a stack, and nothing beyond: the process is gone.
struct Copied<'a> {
    start: u64,
    bytes: &'a [u8],
}

impl Memory for Copied<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        Some(u64::from_le_bytes(self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }
}

/// What comes next in a call chain, if a word is a mark and no address.
fn mark(word: u64) -> Option<Mode> {
    const FIRST_MARK: u64 = u64::MAX - 4095;
    const KERNEL: u64 = 128_u64.wrapping_neg();
    const USER: u64 = 512_u64.wrapping_neg();
    match word {
        KERNEL => Some(Mode::Kernel),
        USER => Some(Mode::User),
        FIRST_MARK.. => Some(Mode::Elsewhere),
        _ => None,
    }
}

const LOST: &str = "perf lost samples; record with a larger buffer (-m) or less often (-F)";
const THROTTLED: &str = "times the kernel held sampling back: record less often (-F)";
const CUT: &str = "stacks are not whole: perf copied less of the stack; they are shown below `(stack cut off)`; record \
                   with `--call-graph dwarf,65528`";
const UNTOLD: &str = "stacks are not whole: they go through code without unwind information or whose file is not here; \
                      they are shown below `(stack cut off)`";
const STRAYED: &str = "stacks are not whole: they go through code without frame pointers; they are shown below \
                       `(stack cut off)`; record with `--call-graph dwarf`, or build with `-fno-omit-frame-pointer`";
const LONGER: &str = "stacks are longer than the greatest depth, and their outermost frames were left out";
const STACKLESS: &str = "a sample has no stack and was left out; record with -g";
const NOT_UNWOUND: &str = "copies of stacks can only be unwound of and on x86-64; only the innermost function is shown: \
                           record with `--call-graph fp`, or use `perf script` where it was recorded";
const ELSEWHERE: &str = "frames of a virtual machine's inside were left out";
const UNMAPPED: &str = "mappings were left out: there are more than a program has";
const OVERFLOWED: &str =
    "samples on too many different call paths were added to a common beginning of theirs";
