//! A sample's fields. Which there are follows from the attributes of its event; their order is fixed.

use perf_event_open_sys::bindings;

use super::attributes::Event;
use super::records::Record;
use crate::perf::Fields;
use calor_symbols::unwind::Registers;

/// A sample, as much of it as is used here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub(super) ip: Option<u64>,
    pub(super) pid: i32,
    pub(super) tid: i32,
    pub(super) period: Option<u64>,
    pub(super) mode: Mode,
    /// The call chain with its marks, innermost first, in bytes.
    pub(super) chain: &'a [u8],
    /// What a tracepoint tells.
    pub(super) raw: &'a [u8],
    /// The user's registers, if they are those of 64-bit code.
    pub(super) registers: Option<Registers>,
    /// The copy of the stack from the stack pointer up.
    pub(super) stack: &'a [u8],
}

/// Where a processor was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    User,
    Kernel,
    /// In a virtual machine or under it.
    Elsewhere,
}

impl Mode {
    pub(super) fn of(misc: u16) -> Self {
        match u32::from(misc) & bindings::PERF_RECORD_MISC_CPUMODE_MASK {
            bindings::PERF_RECORD_MISC_USER => Self::User,
            bindings::PERF_RECORD_MISC_KERNEL => Self::Kernel,
            _ => Self::Elsewhere,
        }
    }
}

impl<'a> Sample<'a> {
    pub(super) fn parse(record: &Record<'a>, event: &Event) -> Self {
        let mut body = Fields(record.body);
        let mut word = |field: u32| event.has(field).then(|| body.u64());
        let _identifier = word(bindings::PERF_SAMPLE_IDENTIFIER);
        let ip = word(bindings::PERF_SAMPLE_IP);
        let task = word(bindings::PERF_SAMPLE_TID).unwrap_or(0);
        for skipped in [
            bindings::PERF_SAMPLE_TIME,
            bindings::PERF_SAMPLE_ADDR,
            bindings::PERF_SAMPLE_ID,
            bindings::PERF_SAMPLE_STREAM_ID,
            bindings::PERF_SAMPLE_CPU,
        ] {
            word(skipped);
        }
        let period = word(bindings::PERF_SAMPLE_PERIOD).or(event.usual_period);
        if event.has(bindings::PERF_SAMPLE_READ) {
            skip_counts(&mut body, event.read_format);
        }
        let chain_words = if event.has(bindings::PERF_SAMPLE_CALLCHAIN) { body.length() } else { 0 };
        let chain = body.bytes(chain_words.saturating_mul(8));
        let raw_bytes = if event.has(bindings::PERF_SAMPLE_RAW) { body.u32() as usize } else { 0 };
        let raw = body.bytes(raw_bytes);
        if event.has(bindings::PERF_SAMPLE_BRANCH_STACK) {
            skip_branches(&mut body, event.branch_format);
        }
        let registers = if event.has(bindings::PERF_SAMPLE_REGS_USER) {
            registers(&mut body, event.user_registers)
        } else {
            None
        };
        let stack_bytes = if event.has(bindings::PERF_SAMPLE_STACK_USER) { body.length() } else { 0 };
        let copied = body.bytes(stack_bytes);
        let arrived = if stack_bytes == 0 { 0 } else { body.length() };
        Self {
            ip,
            pid: (task as u32).cast_signed(),
            tid: ((task >> 32) as u32).cast_signed(),
            period,
            mode: Mode::of(record.misc),
            chain,
            raw,
            registers,
            stack: &copied[..arrived.min(copied.len())],
        }
    }
}

/// Counts that were read with the sample.
fn skip_counts(body: &mut Fields<'_>, format: u64) {
    let has = |bit: u32| format & u64::from(bit) != 0;
    let each = 1 + usize::from(has(bindings::PERF_FORMAT_ID)) + usize::from(has(bindings::PERF_FORMAT_LOST));
    let times = usize::from(has(bindings::PERF_FORMAT_TOTAL_TIME_ENABLED))
        + usize::from(has(bindings::PERF_FORMAT_TOTAL_TIME_RUNNING));
    let n_counts = if has(bindings::PERF_FORMAT_GROUP) { body.length() } else { 1 };
    body.bytes(n_counts.saturating_mul(each).saturating_add(times).saturating_mul(8));
}

/// The last branches that were taken.
fn skip_branches(body: &mut Fields<'_>, format: u64) {
    const HARDWARE_INDEX: u64 = 1 << 17;
    const COUNTERS: u64 = 1 << 19;
    let count = body.length();
    if format & HARDWARE_INDEX != 0 {
        body.u64();
    }
    let words = if format & COUNTERS != 0 { 4 } else { 3 };
    body.bytes(count.saturating_mul(words * 8));
}

fn registers(body: &mut Fields<'_>, mask: u64) -> Option<Registers> {
    const WIDE: u64 = 2;
    let width = body.u64();
    if width == 0 {
        return None;
    }
    let values = body.bytes(8 * mask.count_ones() as usize);
    let numbers = (0..64_u32).filter(|bit| mask & (1 << bit) != 0);
    let mut found = Registers::new(0, 0, 0);
    let mut known = [false; 17];
    for (bit, value) in numbers.zip(values.chunks_exact(8)) {
        if let Some(number) = dwarf_number(bit) {
            found.set(number, u64::from_le_bytes(value.try_into().ok()?));
            known[usize::from(number)] = true;
        }
    }
    let is_enough = [Registers::IP, Registers::SP].iter().all(|number| known[usize::from(*number)]);
    (width == WIDE && is_enough).then_some(found)
}

/// DWARF's number of a register that the kernel numbers so, on x86-64.
fn dwarf_number(bit: u32) -> Option<u8> {
    const FIRST: [u8; 9] = [0, 3, 2, 1, 4, 5, 6, 7, Registers::IP];
    match bit {
        0..9 => Some(FIRST[bit as usize]),
        16..24 => u8::try_from(bit - 8).ok(),
        _ => None,
    }
}
