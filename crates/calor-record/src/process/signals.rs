//! Signals that reach the recorder while a program runs under it: they are read when there is time, and never
//! end the recorder before its profile is whole.

#![expect(unsafe_code, reason = "signal masks and signalfd are C interfaces")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::heritage::{Heritage, is_ignored};

/// Who sent a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sender {
    /// The terminal, which sends to the program as well.
    Terminal,
    /// Some process.
    Process(i32),
}

/// A signal that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// Something asks for the end.
    Stop { signal: i32, sender: Sender },
    /// Only a reason to look: a child changed, or a file may not grow, which whoever writes it learns anyway.
    Nothing,
}

const STOPS: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The signals held back from this thread while it lives, and where they are read instead.
#[derive(Debug)]
pub(crate) struct Signals {
    descriptor: OwnedFd,
    before: libc::sigset_t,
    ignored_children: bool,
}

impl Signals {
    /// From now on signals are read, not acted upon.
    pub(crate) fn hold() -> io::Result<Self> {
        // SAFETY: the sets are made empty before they are used.
        unsafe {
            let mut held: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut held);
            // What we were told to ignore, as in the background or by `nohup`, stays ignored.
            let stops = STOPS.into_iter().filter(|signal| !is_ignored(*signal));
            for signal in stops.chain([libc::SIGCHLD, libc::SIGXFSZ]) {
                libc::sigaddset(&raw mut held, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, &raw mut before);
            let descriptor = libc::signalfd(-1, &raw const held, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
            if descriptor < 0 {
                let error = io::Error::last_os_error();
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
                return Err(error);
            }
            let ignored_children = is_ignored(libc::SIGCHLD);
            if ignored_children {
                libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            }
            Ok(Self { descriptor: OwnedFd::from_raw_fd(descriptor), before, ignored_children })
        }
    }

    /// What the program under us shall find: our state from before, and the limit on files if we changed it.
    pub(crate) fn heritage(&self, files: Option<libc::rlimit>) -> Heritage {
        Heritage { mask: self.before, ignores_children: self.ignored_children, files }
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
            heard.push(if [libc::SIGCHLD, libc::SIGXFSZ].contains(&signal) {
                Heard::Nothing
            } else {
                let sender = match info.ssi_code {
                    1.. => Sender::Terminal,
                    _ => Sender::Process(info.ssi_pid.cast_signed()),
                };
                Heard::Stop { signal, sender }
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
        // SAFETY: mask and disposition are those that were there before.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
            if self.ignored_children {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            }
        }
    }
}
