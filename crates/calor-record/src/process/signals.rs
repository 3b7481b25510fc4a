//! Signals that reach the recorder while a program runs under it: they are read when there is time, and never
//! end the recorder before its profile is whole.

#![expect(unsafe_code, reason = "signal masks and signalfd are C interfaces")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A signal that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// Something asks for the end: the signal, and whether the terminal sent it, to the program as well.
    Stop { signal: i32, from_terminal: bool },
    /// A child changed.
    Child,
}

const STOPS: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The signals held back from this thread while it lives, and where they are read instead.
#[derive(Debug)]
pub(crate) struct Signals {
    descriptor: OwnedFd,
    before: libc::sigset_t,
}

impl Signals {
    /// From now on signals are read, not acted upon.
    pub(crate) fn hold() -> io::Result<Self> {
        // SAFETY: the sets are made empty before they are used.
        unsafe {
            let mut held: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut held);
            for signal in STOPS.into_iter().chain([libc::SIGCHLD]) {
                libc::sigaddset(&raw mut held, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, &raw mut before);
            let descriptor = libc::signalfd(-1, &raw const held, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
            if descriptor < 0 {
                let error = io::Error::last_os_error();
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
                return Err(error);
            }
            Ok(Self { descriptor: OwnedFd::from_raw_fd(descriptor), before })
        }
    }

    /// What the program under us shall have as its mask: ours from before.
    pub(crate) fn mask_before(&self) -> &libc::sigset_t {
        &self.before
    }

    /// The signals that came since.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        let mut heard = Vec::new();
        loop {
            // SAFETY: the structure has no invalid state, and the buffer is as long as said.
            let (info, length) = unsafe {
                let mut info: libc::signalfd_siginfo = std::mem::zeroed();
                let length = libc::read(
                    self.descriptor.as_raw_fd(),
                    (&raw mut info).cast(),
                    size_of::<libc::signalfd_siginfo>(),
                );
                (info, length)
            };
            if length <= 0 {
                return heard;
            }
            let signal = info.ssi_signo.cast_signed();
            heard.push(if signal == libc::SIGCHLD {
                Heard::Child
            } else {
                Heard::Stop { signal, from_terminal: info.ssi_code > 0 }
            });
        }
    }
}

impl AsRawFd for Signals {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // What came too late to be read has been dealt with by the end it asked for.
        self.heard();
        // SAFETY: the mask is the one that was there before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}
