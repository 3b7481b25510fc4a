//! Waiting for what another thread does: a message, a condition, its end. It is done with the calls that locks are waited for
//! with, and told apart by the functions between those and the program. Nobody holds anything meanwhile, so that advice about
//! locks does not help.

use calor_model::{FrameKind, Profile, StackId};

use crate::system_frame::is_of_system;
use crate::wait_reason::bare;

/// Beginnings of the names of what threads send each other messages with, in the language's library and beside it. A lock
/// inside one is its own.
const CHANNELS: [&str; 11] = [
    "std::sync::mpsc::",
    "std::sync::mpmc::",
    "crossbeam_channel::",
    "flume::",
    "async_channel::",
    "kanal::",
    "tokio::sync::mpsc::",
    "tokio::sync::oneshot::",
    "tokio::sync::broadcast::",
    "tokio::sync::watch::",
    "tokio::sync::notify::",
];
/// What the program called of them.
const CHANNEL_CALLS: [&str; 10] = [
    "recv",
    "recv_timeout",
    "recv_deadline",
    "recv_async",
    "blocking_recv",
    "send",
    "send_timeout",
    "send_deadline",
    "blocking_send",
    "select",
];
/// Beginnings of calls that wait for another thread.
const CALLS: [&str; 10] = [
    "pthread_cond_",
    "pthread_join",
    "pthread_timedjoin",
    "pthread_clockjoin",
    "pthread_barrier_",
    "cnd_wait",
    "cnd_timedwait",
    "PyEvent_Wait",
    "ThreadHandle_join",
    "simplequeue_get",
];
/// Parts of the names of functions of languages that do.
const OF_LANGUAGES: [&str; 9] = [
    "::Condvar",
    "::condvar::",
    "std::condition_variable",
    "std::thread::join",
    "::JoinHandle",
    "::JoinInner",
    "::sync::once::",
    "thread_parking::",
    "std::__future_base::",
];
/// Beginnings of calls that take a lock which somebody holds.
const LOCKS: [&str; 10] = [
    "pthread_mutex_",
    "pthread_rwlock_",
    "lll_lock_",
    "lock_contended",
    "read_contended",
    "write_contended",
    "lock_slow",
    "lock_shared_slow",
    "lock_exclusive_slow",
    "mtx_lock",
];
/// What Python waits for everything with: who called it tells what for.
const OF_PYTHON: [&str; 2] = ["PyThread_acquire_lock", "PyMutex_Lock"];
/// Files of Python's own library in which threads wait for each other, and functions of theirs that take plain locks.
const PYTHON_FILES: [&str; 5] =
    ["/threading.py", "/queue.py", "/futures/_base.py", "/futures/thread.py", "/multiprocessing/pool.py"];
const PYTHON_LOCKS: [&str; 3] = ["__enter__", "_acquire_restore", "acquire"];

/// What a thread waited for another one in, if a path that waits as if for a lock does that.
pub(crate) fn hand_over(profile: &Profile, stack: StackId) -> Option<&str> {
    let mut channel = None;
    let mut decided: Option<Option<&str>> = None;
    let mut next = Some(stack);
    while let Some(at) = next {
        let row = profile.stacks.get(at);
        let frame = profile.frames.get(row.frame);
        let name = profile.strings.get(frame.name);
        let call = bare(name);
        if frame.kind == FrameKind::Python {
            let file = frame.file.map_or("", |file| profile.strings.get(file));
            let is_of_others = PYTHON_FILES.iter().any(|end| file.ends_with(end));
            let function = name.rsplit('.').next().unwrap_or(name);
            if decided.is_none() && is_of_others && !PYTHON_LOCKS.contains(&function) {
                decided = Some(Some(function));
            }
            break;
        }
        if is_channel(name) {
            channel = CHANNEL_CALLS.contains(&call).then_some(call).or(channel).or(Some("channel"));
        } else if !is_of_system(profile, at) {
            break;
        } else if OF_PYTHON.iter().any(|beginning| call.starts_with(beginning)) {
            decided = None;
        } else if decided.is_none() {
            decided = decision(name, call);
        }
        next = row.parent;
    }
    channel.or(decided.flatten())
}

/// Whether a function waits for another thread, and in which call, or for a lock; `None` if it tells neither.
fn decision<'n>(name: &'n str, call: &'n str) -> Option<Option<&'n str>> {
    if LOCKS.iter().any(|beginning| call.starts_with(beginning)) {
        return Some(None);
    }
    let is_parked = call.starts_with("park") && name.contains("std::thread::");
    let is_for_other = is_parked
        || CALLS.iter().any(|beginning| call.starts_with(beginning))
        || call.ends_with("SimpleQueue_get")
        || OF_LANGUAGES.iter().any(|part| name.contains(part));
    is_for_other.then_some(Some(call))
}

fn is_channel(name: &str) -> bool {
    let path = name.trim_start_matches(['<', '&']);
    let path = path.strip_prefix("mut ").unwrap_or(path);
    CHANNELS.iter().any(|library| path.starts_with(library))
}
