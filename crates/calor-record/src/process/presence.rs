//! Hearing of the end of a process that is not our child.

#![expect(unsafe_code, reason = "pidfd_open has no safe wrapper")]

use std::os::fd::{FromRawFd, OwnedFd};

/// Something to wait on that becomes readable when the process ends. It stands for the process and not for its
/// number, which another may get. `None` where the kernel has no such thing (before 5.3).
pub(crate) fn presence_of(pid: i32) -> Option<OwnedFd> {
    // SAFETY: the call takes numbers only.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the kernel has just handed out this descriptor, and nobody else knows it.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Whether a process is there and has not ended: one that waits for its parent to take note has.
pub(crate) fn is_alive(pid: i32) -> bool {
    let Ok(stat) = std::fs::read(format!("/proc/{pid}/stat")) else { return false };
    // The name is in brackets and may hold anything, brackets included.
    let state = stat.iter().rposition(|byte| *byte == b')').and_then(|at| stat.get(at + 2));
    !matches!(state, None | Some(b'Z' | b'X'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_alive_until_it_has_ended_even_before_it_is_waited_for() {
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("sleep can be started");
        let pid = i32::try_from(child.id()).expect("a pid fits");
        assert!(is_alive(pid) && presence_of(pid).is_some());
        child.kill().expect("it is ours");
        while is_alive(pid) {
            std::thread::yield_now();
        }
        assert!(std::path::Path::new(&format!("/proc/{pid}")).exists(), "it is a zombie");
        child.wait().expect("it has ended");
        assert!(!is_alive(pid));
    }
}
