//! Events that only count, opened in groups on a process that has yet to become its program.

#![expect(unsafe_code, reason = "perf events are opened and read by system calls without a safe wrapper")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use perf_event_open_sys as sys;
use perf_event_open_sys::bindings;

use super::catalogue::EventNumber;
use super::reading::{GroupReading, HEAD_BYTES, MEMBER_BYTES};

/// Who is counted, and what of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The process; 0 for the calling thread.
    pub(super) pid: i32,
    /// Whether what the kernel does for it counts too.
    pub(super) sees_kernel: bool,
}

/// An open event.
#[derive(Debug)]
pub(super) struct CountingEvent {
    descriptor: OwnedFd,
}

impl CountingEvent {
    /// Opens an event that counts from the next exec on, in all threads and children that follow; in the group of
    /// `leader`, or as the leader of a new one.
    pub(super) fn open(number: EventNumber, scope: Scope, leader: Option<&Self>) -> io::Result<Self> {
        let mut attributes = bindings::perf_event_attr::default();
        attributes.size = u32::try_from(size_of::<bindings::perf_event_attr>()).unwrap_or(u32::MAX);
        attributes.type_ = number.kind;
        attributes.config = number.config;
        attributes.read_format = u64::from(
            bindings::PERF_FORMAT_GROUP
                | bindings::PERF_FORMAT_ID
                | bindings::PERF_FORMAT_TOTAL_TIME_ENABLED
                | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING,
        );
        attributes.set_inherit(1);
        // The others of a group go with their leader.
        attributes.set_disabled(u64::from(leader.is_none()));
        attributes.set_enable_on_exec(u64::from(leader.is_none()));
        attributes.set_exclude_kernel(u64::from(!scope.sees_kernel));
        attributes.set_exclude_hv(u64::from(!scope.sees_kernel));
        let flags = libc::c_ulong::from(bindings::PERF_FLAG_FD_CLOEXEC);
        let group = leader.map_or(-1, |leader| leader.descriptor.as_raw_fd());
        // SAFETY: the attributes are filled in and live through the call.
        let descriptor = unsafe { sys::perf_event_open(&raw mut attributes, scope.pid, -1, group, flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just handed out this descriptor, and nobody else knows it.
        Ok(Self { descriptor: unsafe { OwnedFd::from_raw_fd(descriptor) } })
    }

    /// The number by which its value is known in a reading of its group.
    pub(super) fn id(&self) -> io::Result<u64> {
        let mut id = 0;
        // SAFETY: the descriptor is open and the number has room for the answer.
        match unsafe { sys::ioctls::ID(self.descriptor.as_raw_fd(), &raw mut id) } {
            ..0 => Err(io::Error::last_os_error()),
            _ => Ok(id),
        }
    }

    /// Reads a group of so many members by its leader.
    pub(super) fn read(&self, n_members: usize) -> io::Result<GroupReading> {
        let mut bytes = vec![0_u8; HEAD_BYTES + n_members * MEMBER_BYTES];
        // SAFETY: the buffer is as long as said.
        let length =
            unsafe { libc::read(self.descriptor.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
        let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
        GroupReading::parse(&bytes[..length]).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
