//! Why a thread waited, told by what it waited in: the functions of the kernel where they were recorded, otherwise
//! the innermost functions of the system's libraries. A guess by names, but one over names that have kept their
//! meaning for decades.

mod calls;

use calor_model::{FrameKind, Profile, StackId};

use crate::hand_over::hand_over;
use crate::system_frame::{is_of_system, is_transparent};
use calls::OTHER_CALLS;
pub(crate) use calls::reason_of;

/// What a thread waited for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaitReason {
    /// A lock or a semaphore that another thread holds.
    Lock,
    /// What another thread does: a message, a condition, its end.
    Thread,
    /// Files, pipes, sockets, or any of several of them.
    Io,
    /// Time to pass.
    Sleep,
    /// Anything else, such as the end of a child.
    Other,
}

/// Why a thread waited on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitCause<'p> {
    /// What for.
    pub reason: WaitReason,
    /// The call that told it, without the prefixes of the library: `read`, `futex`. `None` where no known call
    /// is on the path, as when a page had to be read before the program could go on.
    pub call: Option<&'p str>,
    /// The path up to the function that waited: what lies further in belongs to the system and its libraries. Where all
    /// of it does, the path to the innermost function outside the kernel.
    pub site: StackId,
}

impl WaitReason {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Thread => "thread",
            Self::Io => "io",
            Self::Sleep => "sleep",
            Self::Other => "other",
        }
    }
}

impl<'p> WaitCause<'p> {
    fn new(told: Option<(WaitReason, &'p str)>, site: StackId) -> Self {
        let (reason, call) = told.map_or((WaitReason::Other, None), |(reason, call)| (reason, Some(call)));
        Self { reason, call, site }
    }

    /// What for and in which call, as lists of waits have it: `io: read`.
    #[must_use]
    pub fn words(&self) -> String {
        match self.call {
            Some(call) => format!("{}: {call}", self.reason.word()),
            None => self.reason.word().to_owned(),
        }
    }
}

/// Why a thread waited on a path of a profile. Only functions of the system and the language tell: the first that is
/// neither is the one that waited, whatever its name.
#[must_use]
pub fn wait_cause(profile: &Profile, stack: StackId) -> WaitCause<'_> {
    let mut told: Option<(WaitReason, &str)> = None;
    let mut is_open = true;
    let mut innermost = None;
    let mut next = Some(stack);
    while let Some(at) = next {
        if !is_of_system(profile, at) {
            return WaitCause::new(told_apart(profile, stack, told), at);
        }
        let row = profile.stacks.get(at);
        let frame = profile.frames.get(row.frame);
        let name = profile.strings.get(frame.name);
        let (call, is_kernel) = (bare(name), frame.kind == FrameKind::Kernel);
        innermost = innermost.or((frame.kind == FrameKind::Native).then_some(at));
        if call == GIL {
            // Any lock is taken by a futex: that it is this one says why.
            told = Some((WaitReason::Lock, GIL));
            is_open = false;
        }
        if is_open && let Some(reason) = reason_of(call, is_kernel) {
            // The kernel knows best what for; people know the call of the program better by name.
            if told.is_none_or(|(known, _)| known == reason && !is_kernel) {
                told = Some((reason, call));
            }
            is_open = is_kernel;
        }
        // The first function with a name that means none of them ends the search: what is further out only led to
        // it.
        if is_open && !is_kernel && !is_transparent(name) {
            told = told.or(OTHER_CALLS.contains(&call).then_some((WaitReason::Other, call)));
            is_open = false;
        }
        next = row.parent;
    }
    WaitCause::new(told_apart(profile, stack, told), innermost.unwrap_or(stack))
}

/// What looks like waiting for a lock may be waiting for what another thread does.
fn told_apart<'p>(
    profile: &'p Profile,
    stack: StackId,
    told: Option<(WaitReason, &'p str)>,
) -> Option<(WaitReason, &'p str)> {
    let is_open = told.is_some_and(|(reason, call)| reason == WaitReason::Lock && call != GIL);
    let other = is_open.then(|| hand_over(profile, stack)).flatten();
    other.map(|call| (WaitReason::Thread, call)).or(told)
}

/// The function behind the names that kernels and C libraries give to one: no prefixes, no underscores in front.
pub(crate) fn bare(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    let name = name.strip_prefix("runtime.").unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = name.split(['.', '(', '<']).next().unwrap_or(name);
    let mut call = name.trim_start_matches('_');
    for prefix in
        ["GI_", "x64_sys_", "arm64_sys_", "se_sys_", "ksys_", "sys_", "do_sys_", "do_", "libc_", "new_"]
    {
        call = call.strip_prefix(prefix).unwrap_or(call).trim_start_matches('_');
    }
    if call.starts_with("futex") {
        // One call, of which every library has a dozen names.
        return &call[.."futex".len()];
    }
    for suffix in ["_nocancel", "_time64", "64"] {
        call = call.strip_suffix(suffix).unwrap_or(call);
    }
    call
}

/// The function of CPython that waits for the global interpreter lock.
const GIL: &str = "take_gil";

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::Frame;

    fn check(path: &[(&str, &str)], reason: WaitReason, call: Option<&str>, site: &str) {
        let mut profile = Profile::default();
        let mut stack = None;
        for (name, module) in path {
            let kind = match *module {
                "kernel" => FrameKind::Kernel,
                "python" => FrameKind::Python,
                _ => FrameKind::Native,
            };
            let (name, module) = (profile.strings.intern(name), profile.strings.intern(module));
            let frame = profile.frames.intern(Frame { module: Some(module), ..Frame::new(name, kind) });
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let cause = wait_cause(&profile, stack.unwrap());
        assert_eq!(
            (cause.reason, cause.call, profile.stack_name(cause.site)),
            (reason, call, site),
            "{path:?}"
        );
    }

    const KERNEL: (&str, &str) = ("[kernel]", "kernel");

    #[test]
    fn wrappers_of_the_c_library_tell_the_reason() {
        use WaitReason::{Io, Lock, Other, Sleep, Thread};
        for (name, reason, call) in [
            ("__GI___clock_nanosleep", Sleep, "clock_nanosleep"),
            ("usleep", Sleep, "usleep"),
            ("__GI___libc_read", Io, "read"),
            ("__GI___poll", Io, "poll"),
            ("epoll_wait", Io, "epoll_wait"),
            ("__libc_recvfrom", Io, "recvfrom"),
            ("__GI_fsync", Io, "fsync"),
            ("__read_nocancel", Io, "read"),
            ("___pthread_mutex_lock", Lock, "pthread_mutex_lock"),
            ("__futex_abstimed_wait_common64", Lock, "futex"),
            ("pthread_cond_wait@@GLIBC_2.3.2", Thread, "pthread_cond_wait"),
            ("__pthread_clockjoin_ex", Thread, "pthread_clockjoin_ex"),
            ("__new_sem_wait_slow64.constprop.0", Lock, "sem_wait_slow"),
            ("__GI___wait4", Other, "wait4"),
            ("__vfork", Other, "vfork"),
        ] {
            let path = [("serve", "/usr/bin/app"), (name, "/usr/lib/libc.so.6"), KERNEL];
            check(&path, reason, Some(call), "serve");
        }
    }

    #[test]
    fn a_bare_system_call_is_told_by_who_made_it() {
        let path = [
            ("app::hold", "app"),
            ("<std::sys::sync::mutex::futex::Mutex>::lock_contended", "app"),
            ("std::sys::pal::unix::futex::futex_wait", "app"),
            ("syscall", "libc.so.6"),
            KERNEL,
        ];
        check(&path, WaitReason::Lock, Some("futex"), "app::hold");
    }

    #[test]
    fn waiting_for_what_another_thread_does_is_no_waiting_for_a_lock() {
        use WaitReason::{Lock, Thread};
        const FUTEX: &str = "std::sys::pal::unix::futex::futex_wait";
        const CONTENDED: &str = "<std::sys::sync::mutex::futex::Mutex>::lock_contended";
        for (calls, reason, call, site) in [
            (
                &[
                    "<std::sync::mpsc::IntoIter<T> as core::iter::traits::iterator::Iterator>::next",
                    "std::sync::mpsc::Receiver<T>::recv",
                    "std::sync::mpmc::list::Channel<T>::recv::{{closure}}",
                    "<std::thread::thread::Thread>::park",
                    FUTEX,
                ][..],
                Thread,
                "recv",
                "app::run",
            ),
            // The lock inside a channel is the channel's own.
            (
                &[
                    "std::sync::mpmc::list::Channel<T>::recv",
                    "<std::sync::mpmc::waker::SyncWaker>::register",
                    CONTENDED,
                    FUTEX,
                ],
                Thread,
                "recv",
                "app::run",
            ),
            (
                &[
                    "crossbeam_channel::flavors::list::Channel<T>::recv",
                    "std::thread::functions::park",
                    FUTEX,
                ],
                Thread,
                "recv",
                "crossbeam_channel::flavors::list::Channel<T>::recv",
            ),
            (
                &[
                    "std::sync::poison::condvar::Condvar::wait",
                    "<std::sys::sync::condvar::futex::Condvar>::wait",
                    FUTEX,
                ],
                Thread,
                "wait",
                "app::run",
            ),
            // The lock of a condition is taken again after waiting.
            (
                &["<std::sys::sync::condvar::futex::Condvar>::wait", CONTENDED, FUTEX],
                Lock,
                "futex",
                "app::run",
            ),
            (
                &[
                    "parking_lot::condvar::Condvar::wait_until_internal",
                    "parking_lot_core::parking_lot::park",
                    FUTEX,
                ],
                Thread,
                "wait_until_internal",
                "app::run",
            ),
            (
                &[
                    "parking_lot::raw_mutex::RawMutex::lock_slow",
                    "parking_lot_core::parking_lot::park",
                    FUTEX,
                ],
                Lock,
                "futex",
                "app::run",
            ),
        ] {
            let mut path = vec![("app::run", "app")];
            path.extend(calls.iter().map(|call| (*call, "app")));
            path.extend([("syscall", "libc.so.6"), KERNEL]);
            check(&path, reason, Some(call), site);
        }
    }

    #[test]
    fn functions_of_the_kernel_tell_first() {
        let kernel = |names: &[&'static str], last: &'static str| -> Vec<(&'static str, &'static str)> {
            let path = [("app::run", "app"), (last, "libc.so.6")].into_iter();
            path.chain(names.iter().map(|name| (*name, "kernel"))).collect()
        };
        let path = kernel(
            &["do_syscall_64", "__x64_sys_futex", "do_futex", "futex_wait_queue", "schedule"],
            "syscall",
        );
        check(&path, WaitReason::Lock, Some("futex"), "app::run");
        let path = kernel(&["do_fsync", "vfs_fsync_range", "io_schedule", "schedule"], "__GI_fsync");
        check(&path, WaitReason::Io, Some("fsync"), "app::run");
        let path = kernel(&["ksys_read", "vfs_read", "anon_pipe_read", "schedule"], "__GI___libc_read");
        check(&path, WaitReason::Io, Some("read"), "app::run");
        let path = kernel(&["__x64_sys_clock_nanosleep", "do_nanosleep", "schedule"], "clock_nanosleep");
        check(&path, WaitReason::Sleep, Some("clock_nanosleep"), "app::run");
        let path = kernel(&["__x64_sys_wait4", "kernel_wait4", "do_wait", "schedule"], "__GI___wait4");
        check(&path, WaitReason::Other, Some("wait4"), "app::run");
    }

    #[test]
    fn a_function_of_the_program_is_no_reason_whatever_its_name() {
        let path = [("read", "app.py"), ("app::work", "app"), KERNEL];
        check(&path, WaitReason::Other, None, "app::work");
        let path = [("sleep", "python"), ("__GI___wait4", "libc.so.6"), KERNEL];
        check(&path, WaitReason::Other, Some("wait4"), "sleep");
    }

    #[test]
    fn a_function_of_the_program_waits_even_if_it_is_called_like_a_system_call() {
        const C: &str = "/usr/lib/libc.so.6";
        use WaitReason::{Io, Lock, Sleep, Thread};
        for (site, calls, reason, call) in [
            ("sender", &["usleep", "__nanosleep", "__clock_nanosleep"][..], Sleep, "clock_nanosleep"),
            ("sock_wait", &["__libc_recv", "__libc_recv"], Io, "recv"),
            ("pipe_wait", &["__GI___libc_read", "__libc_read"], Io, "read"),
            ("sem_waiter", &["__new_sem_wait_slow64", "__futex_abstimed_wait_common"], Lock, "futex"),
            ("read", &["__poll"], Io, "poll"),
            ("w2::park", &["std::thread::functions::park_timeout", "syscall"], Thread, "park_timeout"),
        ] {
            let mut path = vec![("__libc_start_call_main", C), ("main", "app"), (site, "app")];
            path.extend(calls.iter().map(|call| (*call, if call.contains("::") { "app" } else { C })));
            path.push(KERNEL);
            check(&path, reason, Some(call), site);
        }
    }

    #[test]
    fn a_program_with_its_libraries_inside_waits_in_its_own_function() {
        let path = [
            ("_start", "app"),
            ("__libc_start_call_main", "app"),
            ("main", "app"),
            ("sock_wait", "app"),
            ("__libc_recv", "app"),
            ("recv", "app"),
            KERNEL,
        ];
        check(&path, WaitReason::Io, Some("recv"), "sock_wait");
        let path = [("sem_waiter", "app"), ("sem_timedwait", "app"), ("__futex_wait", "app"), KERNEL];
        check(&path, WaitReason::Lock, Some("futex"), "sem_waiter");
    }

    #[test]
    fn python_waits_in_its_own_function_whatever_the_interpreter_does_for_it() {
        const PYTHON: &str = "/usr/bin/python3.11";
        const C: &str = "/usr/lib/libc.so.6";
        let waits = |calls: &[(&'static str, &'static str)]| {
            let path = [("Py_RunMain", PYTHON), ("<module>", "python"), ("load", "python")].into_iter();
            path.chain(calls.iter().copied()).chain([KERNEL]).collect::<Vec<_>>()
        };
        let path = waits(&[("time_sleep", PYTHON), ("clock_nanosleep", C)]);
        check(&path, WaitReason::Sleep, Some("clock_nanosleep"), "load");
        let path = waits(&[("os_read", PYTHON), ("_Py_read", PYTHON), ("__GI___libc_read", C)]);
        check(&path, WaitReason::Io, Some("read"), "load");
        let path =
            waits(&[("take_gil", PYTHON), ("PyCOND_TIMEDWAIT", PYTHON), ("__futex_abstimed_wait_common", C)]);
        check(&path, WaitReason::Lock, Some("take_gil"), "load");
        let path = waits(&[("poll_socket", "_app.cpython-311-x86_64-linux-gnu.so"), ("__GI___poll", C)]);
        check(&path, WaitReason::Io, Some("poll"), "poll_socket");
    }

    #[test]
    fn a_path_of_the_system_alone_is_its_own_site() {
        check(&[("start_thread", "libc.so.6"), ("read", "libc.so.6")], WaitReason::Io, Some("read"), "read");
        check(&[("start_thread", "libc.so.6"), KERNEL], WaitReason::Other, None, "start_thread");
    }
}
