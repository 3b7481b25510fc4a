//! What a program started here shall find as if we were not there: the signal mask, the ignored signals and the
//! limits that we changed for ourselves.

#![expect(unsafe_code, reason = "signals and limits are C interfaces")]

/// The state from before we changed it.
#[derive(Clone, Copy)]
pub(crate) struct Heritage {
    pub(super) mask: libc::sigset_t,
    /// Whoever ignores the ends of children never hears of them, so that we do not; the program may.
    pub(super) ignores_children: bool,
    pub(super) files: Option<libc::rlimit>,
}

impl Heritage {
    /// Puts it back. Allocates nothing, so that it may be called between fork and exec.
    pub(super) fn put_back(&self) {
        // SAFETY: all of these may be called after a fork, and the structures were filled in before it.
        unsafe {
            if let Some(files) = &self.files {
                libc::setrlimit(libc::RLIMIT_NOFILE, files);
            }
            if self.ignores_children {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            }
            // Rust programs ignore this signal, others expect it to end them.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.mask, std::ptr::null_mut());
        }
    }
}

/// Whether a signal is ignored by this process.
pub(super) fn is_ignored(signal: i32) -> bool {
    // SAFETY: only asks; the structure is filled in by the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}
