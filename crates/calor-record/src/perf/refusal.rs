//! Why the kernel refused to let a process be watched, and what would change that.

use std::io;

/// What stood in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The system allows perf events to privileged users only; the number is `perf_event_paranoid`.
    Paranoid(i32),
    /// The target belongs to somebody else.
    NotOurs,
    /// The target may not be looked into, although it is this user's: it has guarded itself, or was started with
    /// more rights than the user has.
    Guarded,
    /// The system call itself is blocked, as container runtimes do.
    Blocked,
    /// The kernel was built without perf events.
    NotBuilt,
    /// The target is gone.
    Gone,
    /// Too many files are open.
    TooManyFiles,
    /// As much memory is locked as this user may lock.
    TooMuchMemory,
    /// Something else; the number is the system's.
    Other(i32),
}

impl Refusal {
    /// What an error of opening an event on a task of `pid` means.
    #[must_use]
    pub fn of(error: &io::Error, pid: i32) -> Self {
        let code = error.raw_os_error().unwrap_or(0);
        match code {
            libc::ESRCH => Self::Gone,
            libc::ENOSYS => Self::NotBuilt,
            libc::EMFILE | libc::ENFILE => Self::TooManyFiles,
            libc::ENOMEM => Self::TooMuchMemory,
            libc::EACCES | libc::EPERM if is_foreign(pid) => Self::NotOurs,
            libc::EACCES | libc::EPERM => match paranoia() {
                Some(level) if level > 2 => Self::Paranoid(level),
                // The level would have allowed it, so that something in front of the kernel says no.
                _ if code == libc::EPERM => Self::Blocked,
                Some(_) if pid != own_pid() => Self::Guarded,
                Some(level) => Self::Paranoid(level),
                None => Self::Blocked,
            },
            code => Self::Other(code),
        }
    }

    /// What happened, as a sentence without its full stop.
    #[must_use]
    pub fn what(self) -> String {
        match self {
            Self::Paranoid(level) => format!(
                "this system does not let ordinary users sample (kernel.perf_event_paranoid is {level})"
            ),
            Self::NotOurs => "the process belongs to another user".to_owned(),
            Self::Blocked => {
                "perf_event_open is blocked here, as container runtimes do by default".to_owned()
            }
            Self::Guarded => "the process does not let itself be looked into".to_owned(),
            Self::NotBuilt => "this kernel has no perf events, or something hides them".to_owned(),
            Self::Gone => "the process is gone".to_owned(),
            Self::TooManyFiles => {
                "too many files are open: one is needed per thread and processor".to_owned()
            }
            Self::TooMuchMemory => "no more memory may be locked for sample buffers".to_owned(),
            Self::Other(code) => {
                format!("perf_event_open failed: {}", io::Error::from_raw_os_error(code))
            }
        }
    }

    /// What would change it, as a command or a way around.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Paranoid(_) => {
                "run `sudo sysctl kernel.perf_event_paranoid=1`, or give the command the right with \
                 `sudo setcap cap_perfmon,cap_sys_ptrace+ep $(command -v calor)`"
            }
            Self::Guarded => "run calor with sudo",
            Self::NotOurs => "run calor as that user, or with sudo",
            Self::Blocked => {
                "start the container with `--cap-add PERFMON --security-opt seccomp=unconfined` (or a seccomp \
                 profile that allows perf_event_open), or record on the host with `calor record -p PID`"
            }
            Self::NotBuilt => {
                "use a kernel built with CONFIG_PERF_EVENTS, and outside of a sandbox; scopes of the SDK work \
                 without it"
            }
            Self::Gone => "check the pid with `ps -e`, or start the program with `calor record -- CMD`",
            Self::TooManyFiles => "raise the limit with `ulimit -n 65536` and try again",
            Self::TooMuchMemory => {
                "run `sudo sysctl kernel.perf_event_mlock_kb=4096`, or record fewer processors with `taskset`"
            }
            Self::Other(_) => "run `calor doctor` to see what works on this machine",
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.what(), self.remedy())
    }
}

/// The system's level of distrust, where it can be read: above 1 the kernel's part is hidden from ordinary
/// users, above 2 (on some distributions) everything is.
#[must_use]
pub fn paranoia() -> Option<i32> {
    std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(0)
}

/// Whether a process is another user's, as far as its files tell.
fn is_foreign(pid: i32) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &str| std::fs::metadata(path).ok().map(|data| data.uid());
    match (owner(&format!("/proc/{pid}")), owner("/proc/self")) {
        (Some(theirs), Some(ours)) => theirs != ours && ours != 0,
        _ => false,
    }
}
