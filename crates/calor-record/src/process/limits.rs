//! What this process may do, and which thread it is.

#![expect(unsafe_code, reason = "limits and thread numbers are C interfaces")]

/// Lets this process open as many files as it is allowed to: an event is needed per thread and processor. The limit
/// from before, if it was changed.
pub(crate) fn raise_file_limit() -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is filled in by the first call, and passed on with one field changed.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) != 0 || limit.rlim_cur >= limit.rlim_max {
            return None;
        }
        let raised = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        (libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) == 0).then_some(limit)
    }
}

/// The calling thread.
pub(crate) fn own_tid() -> i32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::gettid() }
}
