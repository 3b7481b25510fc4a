//! Waiting for rings and signals.

#![expect(unsafe_code, reason = "poll is a C interface")]

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// Waits until one of the descriptors has something, or the time is over. Those that nothing will come from any more
/// are taken out of the list: waiting on them would not wait.
pub(crate) fn any(descriptors: &mut Vec<RawFd>, at_most: Duration) -> io::Result<()> {
    let mut polled: Vec<libc::pollfd> =
        descriptors.iter().map(|&fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
    // Rounded up: a rest below a millisecond would make the reader spin.
    let millis = libc::c_int::try_from(at_most.as_micros().div_ceil(1000)).unwrap_or(libc::c_int::MAX);
    let count = libc::nfds_t::try_from(polled.len()).unwrap_or(0);
    // SAFETY: the array is as long as said.
    let outcome = unsafe { libc::poll(polled.as_mut_ptr(), count, millis) };
    if outcome < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) };
    }
    const OVER: libc::c_short = libc::POLLHUP | libc::POLLERR | libc::POLLNVAL;
    descriptors.clear();
    descriptors.extend(polled.iter().filter(|one| one.revents & OVER == 0).map(|one| one.fd));
    Ok(())
}

/// Whether a descriptor has something to read.
pub(crate) fn is_ready(descriptor: RawFd) -> bool {
    let mut polled = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure, as said.
    unsafe { libc::poll(&raw mut polled, 1, 0) > 0 && polled.revents & libc::POLLIN != 0 }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn what_is_over_is_waited_for_once() -> io::Result<()> {
        let (reader, writer) = io::pipe()?;
        let (other, mut kept) = io::pipe()?;
        drop(writer);
        let mut descriptors = vec![reader.as_raw_fd(), other.as_raw_fd()];
        any(&mut descriptors, Duration::from_secs(60))?;
        assert_eq!(descriptors, [other.as_raw_fd()]);
        kept.write_all(b"x")?;
        any(&mut descriptors, Duration::from_secs(60))?;
        assert_eq!(descriptors, [other.as_raw_fd()]);
        assert!(is_ready(other.as_raw_fd()));
        Ok(())
    }
}
