//! The calls of systems and libraries that wait, by name, and what each waits for.

use super::WaitReason;

/// Calls that wait for none of what has a word.
pub(super) const OTHER_CALLS: [&str; 15] = [
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "fork",
    "vfork",
    "clone",
    "clone3",
    "execve",
    "pause",
    "sigsuspend",
    "sigtimedwait",
    "sigwaitinfo",
    "msgrcv",
];

/// What a call of the system waits for; the kernel has functions that no library has.
pub(crate) fn reason_of(call: &str, is_kernel: bool) -> Option<WaitReason> {
    let is_one = |words: &[&str]| words.contains(&call);
    let begins = |words: &[&str]| words.iter().any(|word| call.starts_with(word));
    if begins(&LOCK_BEGINNINGS) || is_one(&LOCKS) || (is_kernel && begins(&KERNEL_LOCKS)) {
        Some(WaitReason::Lock)
    } else if is_one(&SLEEPS) || call.ends_with("nanosleep") {
        Some(WaitReason::Sleep)
    } else if begins(&IO_BEGINNINGS) || is_one(&IO) || (is_kernel && begins(&KERNEL_IO)) {
        Some(WaitReason::Io)
    } else {
        None
    }
}

const LOCK_BEGINNINGS: [&str; 16] = [
    "futex",
    "pthread_mutex_",
    "pthread_cond_",
    "pthread_rwlock_",
    "pthread_barrier_",
    "pthread_join",
    "pthread_timedjoin",
    "pthread_clockjoin",
    "lll_lock_",
    "sem_",
    "ulock_wait",
    "psynch_",
    "semaphore_",
    "PyThread_acquire_lock",
    "PyMutex_Lock",
    "lock_contended",
];
const LOCKS: [&str; 12] = [
    "park",
    "park_timeout",
    "park_until",
    "lock_slow",
    "take_gil",
    "semop",
    "semtimedop",
    "mtx_lock",
    "cnd_wait",
    "cnd_timedwait",
    "notesleep",
    "flock",
];
const SLEEPS: [&str; 6] = ["sleep", "usleep", "msleep", "nsleep", "common_nsleep", "pysleep"];
const IO_BEGINNINGS: [&str; 12] = [
    "epoll_",
    "epollwait",
    "recv",
    "send",
    "accept",
    "io_uring",
    "io_getevents",
    "pread",
    "pwrite",
    "ppoll",
    "pselect",
    "netpoll",
];
const IO: [&str; 26] = [
    "read",
    "readv",
    "write",
    "writev",
    "poll",
    "select",
    "connect",
    "fsync",
    "fdatasync",
    "msync",
    "sync",
    "syncfs",
    "sync_file_range",
    "open",
    "openat",
    "close",
    "getdents",
    "readdir",
    "splice",
    "sendfile",
    "copy_file_range",
    "fallocate",
    "ftruncate",
    "rename",
    "unlink",
    "fflush",
];

const KERNEL_LOCKS: [&str; 6] =
    ["rwsem_", "mutex_lock", "rt_mutex_", "down_read", "down_write", "percpu_rwsem_wait"];
const KERNEL_IO: [&str; 26] = [
    "ep_poll",
    "io_schedule",
    "poll_schedule",
    "pipe_",
    "anon_pipe_",
    "unix_stream_",
    "unix_dgram_",
    "tcp_",
    "udp_",
    "inet_",
    "sock_",
    "sk_wait",
    "skb_",
    "vfs_",
    "ext4_",
    "xfs_",
    "btrfs_",
    "nfs_",
    "fuse_",
    "jbd2_",
    "filemap_",
    "folio_wait",
    "wait_on_page",
    "blk_",
    "submit_bio",
    "n_tty_",
];
