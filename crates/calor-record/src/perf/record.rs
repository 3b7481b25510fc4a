//! The records of a ring, taken apart. The layout follows from the fields that every event here asks for.

use perf_event_open_sys::bindings;

use super::registers;

/// A mapping of a file into a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mapped<'a> {
    pub(crate) pid: i32,
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
    pub(crate) is_executable: bool,
    pub(crate) name: &'a [u8],
}

/// A sample: a task's registers and the top of its stack at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleRecord<'a> {
    /// Which event.
    pub(crate) id: u64,
    /// The instruction that was next, be it the kernel's.
    pub(crate) address: u64,
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    pub(crate) time: u64,
    /// How many events it stands for.
    pub(crate) period: u64,
    /// Whether the task was inside the kernel.
    pub(crate) is_in_kernel: bool,
    /// The kernel's call chain, innermost first, in bytes; empty unless asked for.
    pub(crate) kernel_chain: &'a [u8],
    /// The user's registers in the order of [`registers::DWARF`], in bytes; empty when there are none.
    pub(crate) registers: &'a [u8],
    /// The copy of the stack from the stack pointer up: less than asked for when the stack, or its touched part,
    /// ended.
    pub(crate) stack: &'a [u8],
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Record<'a> {
    Sample(SampleRecord<'a>),
    Mapped(Mapped<'a>),
    /// A task got a name; with a new program if `is_exec`.
    Named {
        pid: i32,
        tid: i32,
        name: &'a [u8],
        is_exec: bool,
    },
    /// A thread or, with another pid than its parent's, a process began.
    Began {
        pid: i32,
        tid: i32,
        parent_pid: i32,
        parent_tid: i32,
    },
    Ended {
        pid: i32,
        tid: i32,
    },
    /// So many records found no room.
    Lost {
        records: u64,
    },
    /// A task came onto a processor, or left it: of its own will, or pushed off while it could have gone on.
    Switched {
        tid: i32,
        time: u64,
        is_out: bool,
        is_pushed: bool,
    },
    /// The kernel sampled less than asked for.
    Throttled,
    /// Something that tells nothing here.
    Other,
}

/// Where process and thread stand in a sample, from its start.
pub(super) const SAMPLE_TASK_AT: u64 = 24;
/// Where the time stands in a sample, from its start.
pub(super) const SAMPLE_TIME_AT: u64 = 32;
/// Where the time stands in any other record, from its end.
pub(super) const TIME_BEFORE_END: u64 = 16;
/// What every record but samples carries at its end: task, time and id.
const TRAILER: usize = 24;
const HEADER: usize = 8;

/// A reader of one record's fields, front to back; past the end it yields zeros and empty slices.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        head
    }

    pub(crate) fn u32(&mut self) -> u32 {
        self.bytes(4).try_into().map_or(0, u32::from_ne_bytes)
    }

    pub(crate) fn i32(&mut self) -> i32 {
        self.u32().cast_signed()
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.bytes(8).try_into().map_or(0, u64::from_ne_bytes)
    }

    pub(crate) fn length(&mut self) -> usize {
        usize::try_from(self.u64()).unwrap_or(usize::MAX)
    }
}

impl<'a> Record<'a> {
    /// Takes a whole record apart, header included.
    pub(crate) fn parse(record: &'a [u8], kernel_chain: bool) -> Self {
        let mut header = Fields(record);
        let (kind, misc) = (header.u32(), header.u32() & 0xffff);
        let body = record.get(HEADER..).unwrap_or_default();
        if kind == bindings::PERF_RECORD_SAMPLE {
            return Self::Sample(sample(body, misc, kernel_chain));
        }
        let (body, trailer) = body.split_at(body.len().saturating_sub(TRAILER));
        if kind == bindings::PERF_RECORD_SWITCH {
            let mut trailer = Fields(trailer);
            let (_, tid, time) = (trailer.i32(), trailer.i32(), trailer.u64());
            return Self::Switched {
                tid,
                time,
                is_out: misc & bindings::PERF_RECORD_MISC_SWITCH_OUT != 0,
                is_pushed: misc & bindings::PERF_RECORD_MISC_SWITCH_OUT_PREEMPT != 0,
            };
        }
        Self::told(kind, misc, body)
    }

    /// What a record tells of tasks and of the recording itself, from its body without the task, time and id that
    /// may stand behind it.
    pub(crate) fn told(kind: u32, misc: u32, body: &'a [u8]) -> Self {
        let mut body = Fields(body);
        match kind {
            bindings::PERF_RECORD_MMAP2 => Self::Mapped(mapped(&mut body)),
            bindings::PERF_RECORD_COMM => Self::Named {
                pid: body.i32(),
                tid: body.i32(),
                name: until_zero(body.0),
                is_exec: misc & bindings::PERF_RECORD_MISC_COMM_EXEC != 0,
            },
            bindings::PERF_RECORD_FORK => {
                let (pid, parent_pid, tid, parent_tid) = (body.i32(), body.i32(), body.i32(), body.i32());
                Self::Began { pid, tid, parent_pid, parent_tid }
            }
            bindings::PERF_RECORD_EXIT => {
                let (pid, _, tid) = (body.i32(), body.i32(), body.i32());
                Self::Ended { pid, tid }
            }
            bindings::PERF_RECORD_LOST => {
                body.u64();
                Self::Lost { records: body.u64() }
            }
            bindings::PERF_RECORD_LOST_SAMPLES => Self::Lost { records: body.u64() },
            bindings::PERF_RECORD_THROTTLE => Self::Throttled,
            _ => Self::Other,
        }
    }
}

fn sample(body: &[u8], misc: u32, kernel_chain: bool) -> SampleRecord<'_> {
    let mut body = Fields(body);
    let (id, address) = (body.u64(), body.u64());
    let (pid, tid, time, period) = (body.i32(), body.i32(), body.u64(), body.u64());
    let chain_words = if kernel_chain { body.length() } else { 0 };
    let kernel_chain = body.bytes(chain_words.saturating_mul(8));
    let has_registers = body.u64() != 0;
    let registers = body.bytes(if has_registers { registers::DWARF.len() * 8 } else { 0 });
    let stack_asked = body.length();
    let copied = body.bytes(stack_asked);
    let arrived = if stack_asked == 0 { 0 } else { body.length() };
    SampleRecord {
        id,
        address,
        pid,
        tid,
        time,
        period,
        is_in_kernel: misc & bindings::PERF_RECORD_MISC_CPUMODE_MASK == bindings::PERF_RECORD_MISC_KERNEL,
        kernel_chain,
        registers,
        stack: &copied[..arrived.min(copied.len())],
    }
}

fn mapped<'a>(body: &mut Fields<'a>) -> Mapped<'a> {
    let (pid, _tid) = (body.i32(), body.i32());
    let (start, size, offset) = (body.u64(), body.u64(), body.u64());
    let (major, minor, inode, _generation) = (body.u32(), body.u32(), body.u64(), body.u64());
    let (protection, _flags) = (body.u32(), body.u32());
    Mapped {
        pid,
        start,
        size,
        offset,
        device: (major, minor),
        inode,
        is_executable: protection & libc::PROT_EXEC.cast_unsigned() != 0,
        name: until_zero(body.0),
    }
}

pub(crate) fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
