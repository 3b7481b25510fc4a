//! Memory that programs in the kernel and we share.

#![expect(unsafe_code, reason = "the bpf system call has no safe wrapper")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE: libc::c_int = 2;
const MAP_DELETE: libc::c_int = 3;

/// What a map is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Values by key.
    Hash = 1,
    /// One value for each processor.
    PerProcessor = 6,
    /// Records from the kernel to us.
    Ring = 27,
}

/// An open map.
#[derive(Debug)]
pub(crate) struct Map {
    descriptor: OwnedFd,
    /// How many bytes the kernel reads of a value.
    value_size: u32,
}

#[repr(C)]
#[derive(Default)]
struct Creation {
    kind: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    flags: u32,
    padding: [u32; 11],
}

#[repr(C)]
#[derive(Default)]
struct Element {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// The system call that does everything.
pub(super) fn bpf<T>(command: libc::c_int, attributes: &mut T) -> io::Result<libc::c_long> {
    // SAFETY: the attributes are a structure of the kernel's layout, of the size that is told, and outlive the call;
    // what their pointers lead to is kept by the callers.
    let outcome = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_mut(attributes), size_of::<T>() as libc::c_uint)
    };
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(outcome) }
}

/// Takes over a descriptor that the system call handed out.
pub(super) fn owned(descriptor: libc::c_long) -> io::Result<OwnedFd> {
    let descriptor = RawFd::try_from(descriptor).map_err(io::Error::other)?;
    // SAFETY: the kernel has just handed out this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

impl Map {
    /// Makes one. Sizes are in bytes; a ring has no keys and values, and as many bytes as entries.
    pub(crate) fn new(kind: Kind, key_size: u32, value_size: u32, max_entries: u32) -> io::Result<Self> {
        let mut creation =
            Creation { kind: kind as u32, key_size, value_size, max_entries, ..Creation::default() };
        Ok(Self { descriptor: owned(bpf(MAP_CREATE, &mut creation)?)?, value_size })
    }

    /// Stores a value.
    pub(crate) fn set(&self, key: i32, value: &[u64]) -> io::Result<()> {
        if size_of_val(value) < self.value_size as usize {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut element = self.element(&key, value.as_ptr() as u64);
        bpf(MAP_UPDATE, &mut element).map(drop)
    }

    /// Removes a value, if it is there.
    pub(crate) fn remove(&self, key: i32) {
        let mut element = self.element(&key, 0);
        // It may never have been there.
        let _ = bpf(MAP_DELETE, &mut element);
    }

    fn element(&self, key: &i32, value: u64) -> Element {
        let map = self.descriptor.as_raw_fd().cast_unsigned();
        Element { map, key: std::ptr::from_ref(key) as u64, value, ..Element::default() }
    }
}

impl AsRawFd for Map {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}
