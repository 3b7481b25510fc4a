//! Waiting for rings and signals.

#![expect(unsafe_code, reason = "poll is a C interface")]

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// Waits until one of the descriptors has something, or the time is over. Whether all of the first `n_rings`
/// have lost their tasks.
pub(super) fn any(descriptors: &[RawFd], n_rings: usize, at_most: Duration) -> io::Result<bool> {
    let mut polled: Vec<libc::pollfd> =
        descriptors.iter().map(|&fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
    let millis = libc::c_int::try_from(at_most.as_millis()).unwrap_or(libc::c_int::MAX);
    let count = libc::nfds_t::try_from(polled.len()).unwrap_or(0);
    // SAFETY: the array is as long as said.
    let outcome = unsafe { libc::poll(polled.as_mut_ptr(), count, millis) };
    if outcome < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(false) } else { Err(error) };
    }
    Ok(n_rings > 0 && polled[..n_rings].iter().all(|one| one.revents & libc::POLLHUP != 0))
}
