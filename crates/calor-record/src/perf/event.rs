//! One perf event on one task and one processor.

#![expect(unsafe_code, reason = "perf events are opened and steered by system calls without a safe wrapper")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use perf_event_open_sys as sys;
use perf_event_open_sys::bindings;

use super::registers;

/// What makes the event fire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The task's time on a processor, so many times a second.
    CpuClock { hz: u32 },
    /// Each time the task leaves the processor.
    ContextSwitch,
    /// An event of another kind, as often as gives so many samples a second.
    Counter { kind: u32, config: u64, hz: u32 },
}

/// Which tasks that come into being later are watched too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inherit {
    /// New threads, not new processes.
    Threads,
    /// Both.
    Processes,
}

/// What was counted of some tasks by one kind of core, or on one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SharedCount {
    pub(crate) value: u64,
    pub(crate) enabled_nanos: u64,
    pub(crate) running_nanos: u64,
}

/// How an event is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventOptions {
    pub(crate) source: Source,
    /// How much of the user's stack is copied with each sample.
    pub(crate) stack_bytes: u32,
    /// Whether time inside the kernel counts; needs a permission that is not always given.
    pub(crate) sees_kernel: bool,
    /// Whether the kernel's own call chain is recorded too.
    pub(crate) kernel_chain: bool,
    pub(crate) inherit: Inherit,
    /// Whether it starts when the task starts a program.
    pub(crate) starts_on_exec: bool,
    /// Whether mappings, names, beginnings and ends of tasks are recorded with it.
    pub(crate) tells_tasks: bool,
    /// Whether every leaving of and coming back to a processor is recorded with it.
    pub(crate) tells_switches: bool,
    /// After so many bytes the reader is woken.
    pub(crate) wake_bytes: u32,
}

impl EventOptions {
    /// The least that is asked for, to see whether it is given.
    pub(crate) fn attempt(source: Source) -> Self {
        Self {
            source,
            stack_bytes: 1024,
            sees_kernel: false,
            kernel_chain: false,
            inherit: Inherit::Threads,
            starts_on_exec: false,
            tells_tasks: false,
            tells_switches: false,
            wake_bytes: 1,
        }
    }
}

/// The fields of a sample, in this order: id, address, task, time, period, (the kernel's chain,) registers, stack.
const FIELDS: u32 = bindings::PERF_SAMPLE_IDENTIFIER
    | bindings::PERF_SAMPLE_IP
    | bindings::PERF_SAMPLE_TID
    | bindings::PERF_SAMPLE_TIME
    | bindings::PERF_SAMPLE_PERIOD
    | bindings::PERF_SAMPLE_REGS_USER
    | bindings::PERF_SAMPLE_STACK_USER;

/// A count is read with the time for which it was asked for and the time in which it was counted.
const WITH_TIMES: u64 =
    (bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING) as u64;

/// An open event.
#[derive(Debug)]
pub(crate) struct Event {
    descriptor: OwnedFd,
}

impl Event {
    /// Opens an event on a task and a processor. It does not count yet.
    pub(crate) fn open(options: &EventOptions, tid: i32, cpu: i32) -> io::Result<Self> {
        let mut attributes = attributes(options);
        let flags = libc::c_ulong::from(bindings::PERF_FLAG_FD_CLOEXEC);
        // SAFETY: the attributes are filled in and live through the call.
        let descriptor = unsafe { sys::perf_event_open(&raw mut attributes, tid, cpu, -1, flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just handed out this descriptor, and nobody else knows it.
        Ok(Self { descriptor: unsafe { OwnedFd::from_raw_fd(descriptor) } })
    }

    /// Makes it write into another event's ring, which must be of the same processor.
    pub(crate) fn write_into(&self, other: RawFd) -> io::Result<()> {
        // SAFETY: both descriptors are open.
        check(unsafe { sys::ioctls::SET_OUTPUT(self.descriptor.as_raw_fd(), other) })
    }

    /// Makes the kernel run a program each time it fires.
    pub(crate) fn run(&self, program: RawFd) -> io::Result<()> {
        // SAFETY: both descriptors are open.
        check(unsafe { sys::ioctls::SET_BPF(self.descriptor.as_raw_fd(), program.cast_unsigned()) })
    }

    pub(crate) fn enable(&self) -> io::Result<()> {
        // SAFETY: the descriptor is open.
        check(unsafe { sys::ioctls::ENABLE(self.descriptor.as_raw_fd(), 0) })
    }

    pub(crate) fn disable(&self) -> io::Result<()> {
        // SAFETY: the descriptor is open.
        check(unsafe { sys::ioctls::DISABLE(self.descriptor.as_raw_fd(), 0) })
    }

    /// The number that its records carry, those of inherited copies too.
    pub(crate) fn id(&self) -> io::Result<u64> {
        let mut id = 0;
        // SAFETY: the descriptor is open and the number has room for the answer.
        check(unsafe { sys::ioctls::ID(self.descriptor.as_raw_fd(), &raw mut id) })?;
        Ok(id)
    }

    /// What a clock has counted, in all tasks that it watches, in nanoseconds.
    pub(crate) fn count(&self) -> io::Result<u64> {
        let mut bytes = [0_u8; 8];
        // SAFETY: the buffer is as long as said.
        let length =
            unsafe { libc::read(self.descriptor.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
        if length == 8 { Ok(u64::from_ne_bytes(bytes)) } else { Err(io::Error::last_os_error()) }
    }
}

impl Event {
    /// What an event that is no clock has counted, in all tasks that it watches.
    pub(crate) fn shared_count(&self) -> io::Result<SharedCount> {
        let mut words = [0_u64; 3];
        // SAFETY: the buffer is as long as said.
        let length = unsafe {
            libc::read(self.descriptor.as_raw_fd(), words.as_mut_ptr().cast(), size_of_val(&words))
        };
        if usize::try_from(length) != Ok(size_of_val(&words)) {
            return Err(io::Error::last_os_error());
        }
        let [value, enabled_nanos, running_nanos] = words;
        Ok(SharedCount { value, enabled_nanos, running_nanos })
    }
}

impl AsRawFd for Event {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

fn attributes(options: &EventOptions) -> bindings::perf_event_attr {
    let mut attributes = bindings::perf_event_attr::default();
    attributes.size = u32::try_from(size_of::<bindings::perf_event_attr>()).unwrap_or(u32::MAX);
    attributes.type_ = bindings::PERF_TYPE_SOFTWARE;
    attributes.sample_type = u64::from(FIELDS);
    attributes.sample_regs_user = registers::MASK;
    attributes.sample_stack_user = options.stack_bytes;
    attributes.clockid = libc::CLOCK_MONOTONIC;
    match options.source {
        Source::CpuClock { hz } => {
            attributes.config = u64::from(bindings::PERF_COUNT_SW_CPU_CLOCK);
            attributes.__bindgen_anon_1.sample_freq = u64::from(hz);
            attributes.set_freq(1);
        }
        Source::ContextSwitch => {
            attributes.config = u64::from(bindings::PERF_COUNT_SW_CONTEXT_SWITCHES);
            attributes.__bindgen_anon_1.sample_period = 1;
            attributes.read_format = WITH_TIMES;
        }
        Source::Counter { kind, config, hz } => {
            attributes.type_ = kind;
            attributes.config = config;
            attributes.__bindgen_anon_1.sample_freq = u64::from(hz);
            attributes.set_freq(1);
            attributes.read_format = WITH_TIMES;
        }
    }
    if options.kernel_chain {
        attributes.sample_type |= u64::from(bindings::PERF_SAMPLE_CALLCHAIN);
        attributes.set_exclude_callchain_user(1);
    }
    attributes.__bindgen_anon_2.wakeup_watermark = options.wake_bytes;
    attributes.set_watermark(1);
    attributes.set_disabled(1);
    attributes.set_inherit(1);
    attributes.set_inherit_thread(u64::from(options.inherit == Inherit::Threads));
    attributes.set_enable_on_exec(u64::from(options.starts_on_exec));
    attributes.set_exclude_kernel(u64::from(!options.sees_kernel));
    attributes.set_exclude_hv(1);
    attributes.set_sample_id_all(1);
    attributes.set_use_clockid(1);
    if options.tells_tasks {
        attributes.set_mmap(1);
        attributes.set_mmap2(1);
        attributes.set_comm(1);
        attributes.set_comm_exec(1);
        attributes.set_task(1);
    }
    attributes.set_context_switch(u64::from(options.tells_switches));
    attributes
}

/// The clock that records are stamped with.
pub(crate) fn clock_nanos() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure has room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

fn check(outcome: libc::c_int) -> io::Result<()> {
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
