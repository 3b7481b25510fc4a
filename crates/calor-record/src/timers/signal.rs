//! The signal that timers send: one that the program has left alone. It is kept once it is taken, because a signal
//! that is on its way when the default action comes back would end the program.

#![expect(unsafe_code, reason = "signal actions are a C interface")]

use super::TimerError;

/// What a handler is given: the signal, what sent it, and the interrupted thread's context.
pub(super) type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

/// Takes a signal for `handler`, the one that it had before if there is one.
pub(super) fn take(handler: Handler) -> Result<i32, TimerError> {
    let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
    // From the end: programs that use such signals count from the beginning.
    let mut signals: Vec<i32> = (first..=last).rev().collect();
    if let Some(own) = signals.iter().find(|signal| is_with(**signal, handler)) {
        return Ok(*own);
    }
    // A signal that is blocked may be waited for, with its action at the default.
    signals.retain(|signal| !is_blocked(*signal));
    signals
        .into_iter()
        .find(|signal| install(*signal, handler))
        .ok_or(TimerError::NoFreeSignal { first, last })
}

/// Whether the signal still goes to `handler`.
pub(super) fn is_with(signal: i32, handler: Handler) -> bool {
    action(signal).is_some_and(|action| action.sa_sigaction == handler as libc::sighandler_t)
}

fn action(signal: i32) -> Option<libc::sigaction> {
    // SAFETY: zeros are a valid action, which the call replaces.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0).then_some(action)
    }
}

/// Installs the handler if the signal is at its default; `false` if the program has it.
fn install(signal: i32, handler: Handler) -> bool {
    if action(signal).is_none_or(|action| action.sa_sigaction != libc::SIG_DFL) {
        return false;
    }
    // SAFETY: zeros are a valid action; the handler does only what handlers may.
    unsafe {
        let mut own: libc::sigaction = std::mem::zeroed();
        own.sa_sigaction = handler as libc::sighandler_t;
        // The interrupted thread may be on a small stack of its own making.
        own.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        // Another handler that ran inside might never come back.
        libc::sigfillset(&raw mut own.sa_mask);
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, &raw const own, &raw mut before) != 0 {
            return false;
        }
        if before.sa_sigaction != libc::SIG_DFL {
            // Somebody was quicker.
            libc::sigaction(signal, &raw const before, std::ptr::null_mut());
            return false;
        }
    }
    true
}

/// Whether the calling thread blocks it.
fn is_blocked(signal: i32) -> bool {
    // SAFETY: zeros are a valid set, which the call replaces.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
        libc::sigismember(&raw const mask, signal) == 1
    }
}
