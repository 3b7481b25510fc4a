//! A program that the kernel has checked and will run.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::map::{bpf, owned};

const PROGRAM_LOAD: libc::c_int = 5;
/// Run when a perf event fires.
const KIND: u32 = 7;
/// Reading a user's memory is for programs under this licence, or another one as well.
const LICENCE: &CStr = c"Dual MIT/GPL";

/// A loaded program.
#[derive(Debug)]
pub(crate) struct Program {
    descriptor: OwnedFd,
}

#[repr(C)]
#[derive(Default)]
struct Load {
    kind: u32,
    n_instructions: u32,
    instructions: u64,
    licence: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    padding: [u64; 10],
}

impl Program {
    /// Hands a program to the kernel.
    ///
    /// # Errors
    /// If this user may not, or the kernel finds it unsafe.
    pub(crate) fn load(code: &[[u8; 8]]) -> io::Result<Self> {
        let n_instructions = u32::try_from(code.len()).map_err(io::Error::other)?;
        let mut load = Load {
            kind: KIND,
            n_instructions,
            instructions: code.as_ptr() as u64,
            licence: LICENCE.as_ptr() as u64,
            name: *b"calor_python\0\0\0\0",
            ..Load::default()
        };
        Ok(Self { descriptor: owned(bpf(PROGRAM_LOAD, &mut load)?)? })
    }

    /// What the kernel has to say about a program that it does not take.
    #[cfg(test)]
    pub(crate) fn complaint(code: &[[u8; 8]]) -> String {
        let mut log = vec![0_u8; 1 << 16];
        let mut load = Load {
            kind: KIND,
            n_instructions: u32::try_from(code.len()).unwrap_or(0),
            instructions: code.as_ptr() as u64,
            licence: LICENCE.as_ptr() as u64,
            log_level: 1,
            log_size: u32::try_from(log.len()).unwrap_or(0),
            log: log.as_mut_ptr() as u64,
            ..Load::default()
        };
        let outcome = bpf(PROGRAM_LOAD, &mut load).and_then(owned);
        let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
        format!("{outcome:?}: {}", String::from_utf8_lossy(&log[..end]))
    }
}

impl AsRawFd for Program {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}
