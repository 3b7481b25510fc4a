//! Whose a function is: the system's and the language's, or the program's. Told by where the code lies, because a
//! program may call its own functions `sender`, `sock_wait` or `park`. Names alone decide only where no library is
//! near: in a program that has the system's libraries built into it.

use calor_model::{Frame, FrameKind, Profile, StackId};

use crate::wait_reason::{bare, reason_of};

/// Libraries of the system and of languages, by the beginnings of their files' names.
const SYSTEM_LIBRARIES: [&str; 14] = [
    "libc.so",
    "libc-",
    "libc.musl",
    "ld-linux",
    "ld-musl",
    "ld-2",
    "libpthread",
    "librt.so",
    "librt-",
    "libstdc++",
    "libc++",
    "libgcc_s",
    "[vdso]",
    "linux-vdso",
];

/// Interpreters: what they wait with is theirs, and so is what they do for a Python function that is on the path. What else
/// they do is not known to be anybody's.
const INTERPRETERS: [&str; 2] = ["python", "libpython"];

/// Beginnings of the names of the libraries of Rust, C++ and Go, and of locks and the allocator that stand in for theirs.
const LANGUAGES: [&str; 15] = [
    "std::",
    "calor::heap::",
    "calor_heap::",
    "calor_paths::",
    "core::",
    "alloc::",
    "parking_lot::",
    "parking_lot_core::",
    "lock_api::",
    "__gnu_cxx::",
    "__cxxabiv1::",
    "runtime.",
    "syscall.",
    "internal/poll.",
    "internal/runtime/",
];

/// Where the sources of Rust's own libraries lie.
const LANGUAGE_SOURCES: [&str; 3] = ["/rustc/", "library/std/src/", "library/core/src/"];

/// Functions that make any system call they are told to.
const SYSTEM_CALLS: [&str; 7] = [
    "syscall",
    "syscall_cancel",
    "syscall_cancel_arch",
    "internal_syscall_cancel",
    "syscall_cp",
    "syscall_cp_asm",
    "syscall_cp_c",
];

/// Beginnings of names that C keeps for its libraries.
const RESERVED: [&str; 5] = ["__", "_IO_", "pthread_", "epoll_", "lll_"];

/// Calls that a program cannot name a function of its own after without replacing them.
const LIBRARY_CALLS: [&str; 49] = [
    "read",
    "readv",
    "pread",
    "preadv",
    "write",
    "writev",
    "pwrite",
    "pwritev",
    "recv",
    "recvfrom",
    "recvmsg",
    "recvmmsg",
    "send",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "accept",
    "accept4",
    "connect",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "fsync",
    "fdatasync",
    "msync",
    "open",
    "openat",
    "close",
    "fflush",
    "splice",
    "sendfile",
    "flock",
    "semop",
    "semtimedop",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "mtx_lock",
    "cnd_wait",
    "cnd_timedwait",
    "futex",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "waitpid",
    "wait4",
    "waitid",
];

/// Whether the function that a path ends in belongs to the system or the language, not to the program.
pub(crate) fn is_of_system(profile: &Profile, stack: StackId) -> bool {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let name = profile.strings.get(frame.name);
    match frame.kind {
        FrameKind::Kernel | FrameKind::Synthetic => true,
        FrameKind::Native => {
            is_of_library(profile, frame)
                || is_frame_of_language(profile, frame)
                || (is_in(profile, frame, &INTERPRETERS)
                    && (reason_of(bare(name), false).is_some() || has_python(profile, stack)))
                || (is_called_as_library(name) && !has_library(profile, stack))
        }
        _ => false,
    }
}

/// Whether a frame is of the libraries of a language, wherever it was compiled into.
pub(crate) fn is_frame_of_language(profile: &Profile, frame: Frame) -> bool {
    frame.kind == FrameKind::Native
        && (is_of_language(profile.strings.get(frame.name)) || is_source_of_language(profile, frame))
}

/// Whether a function says nothing of what is called through it: any system call, code without a name, or a language's.
pub(crate) fn is_transparent(name: &str) -> bool {
    SYSTEM_CALLS.contains(&bare(name))
        || name.contains("+0x")
        || name.starts_with('[')
        || is_of_language(name)
}

fn is_of_library(profile: &Profile, frame: Frame) -> bool {
    is_in(profile, frame, &SYSTEM_LIBRARIES)
}

fn is_in(profile: &Profile, frame: Frame, files: &[&str]) -> bool {
    let module = frame.module.map_or("", |module| profile.strings.get(module));
    let file = module.rsplit('/').next().unwrap_or(module);
    files.iter().any(|library| file.starts_with(library))
}

/// Whether the system's libraries are anywhere on a path: then none of their functions lies in the program.
fn has_library(profile: &Profile, stack: StackId) -> bool {
    let mut path = profile.stacks.path(stack).into_iter().map(|frame| profile.frames.get(frame));
    path.any(|frame| frame.kind == FrameKind::Native && is_of_library(profile, frame))
}

fn has_python(profile: &Profile, stack: StackId) -> bool {
    profile.stacks.frames(stack).any(|frame| profile.frames.get(frame).kind == FrameKind::Python)
}

fn is_called_as_library(name: &str) -> bool {
    let call = bare(name);
    !name.contains("::")
        && (RESERVED.iter().any(|beginning| name.starts_with(beginning))
            || SYSTEM_CALLS.contains(&call)
            || LIBRARY_CALLS.contains(&call))
}

fn is_source_of_language(profile: &Profile, frame: Frame) -> bool {
    let file = frame.file.map_or("", |file| profile.strings.get(file));
    LANGUAGE_SOURCES.iter().any(|folder| file.contains(folder))
}

fn is_of_language(name: &str) -> bool {
    let path = qualified(name).trim_start_matches(['<', '&', '*']);
    let path = path.strip_prefix("mut ").or(path.strip_prefix("dyn ")).unwrap_or(path);
    // What a library does for every type is the library's: `<T as alloc::vec::SpecFromElem>::from_elem`.
    let path = match path.split_once(" as ") {
        Some((implementor, provided)) if !implementor.contains("::") => provided,
        _ => path,
    };
    LANGUAGES.iter().any(|library| path.starts_with(library))
}

/// A function's name without what C++ writes before it: `std::string app::load<int>(int)` is of `app`, whatever it
/// returns.
fn qualified(name: &str) -> &str {
    let name = name.strip_suffix(" const").unwrap_or(name);
    let (mut depth, mut start, mut before) = (0_usize, 0, ' ');
    for (at, letter) in name.char_indices() {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            // The arrow of a function's type closes nothing.
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
        before = letter;
    }
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_of_a_language_by_its_own_name_and_not_by_what_it_returns_or_takes() {
        for name in [
            "std::thread::functions::park_timeout",
            "<std::sys::sync::mutex::futex::Mutex>::lock_contended",
            "<&mut std::io::stdio::Stdin as std::io::Read>::read",
            "<alloc::boxed::Box<dyn core::ops::function::FnOnce<(), Output = ()>> as core::ops::function::FnOnce<()>>::call_once",
            "void std::this_thread::sleep_for<long, std::ratio<1l, 1000l> >(std::chrono::duration<long> const&)",
            "std::condition_variable::wait(std::unique_lock<std::mutex>&)",
            "parking_lot::raw_mutex::RawMutex::lock_slow",
            "<T as alloc::vec::spec_from_elem::SpecFromElem>::from_elem",
            "<&mut I as core::iter::traits::iterator::Iterator>::next",
            "runtime.futexsleep",
        ] {
            assert!(is_of_language(name), "{name}");
        }
        for name in [
            "std::string app::load<int>(int)",
            "app::each::<fn(std::fs::File) -> std::io::Result<()>>",
            "<app::Pipe as std::io::Read>::read",
            "<T as app::Load>::load",
            "<[app::Item] as core::hash::Hash>::hash",
            "app::Queue::take(std::mutex&) const",
            "park",
            "main.send",
        ] {
            assert!(!is_of_language(name), "{name}");
        }
    }
}
