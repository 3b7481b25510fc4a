//! What is known of processes: how one was called, and what this one has cost.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use calor_host::kibibytes;
use calor_model::command_line;
use calor_symbols::cpu_nanos;

/// A running process's command line.
pub(crate) fn command_of(pid: i32) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<_> =
        bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(OsStr::from_bytes).collect();
    (!words.is_empty()).then(|| command_line(&words))
}

/// CPU time of this process.
pub(crate) fn own_cpu_nanos() -> u64 {
    cpu_nanos(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread.
pub(crate) fn own_thread_cpu_nanos() -> u64 {
    cpu_nanos(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The most memory this process has held.
pub(crate) fn own_peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "VmHWM:")
}
