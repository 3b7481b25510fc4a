//! How much memory a process has, as the kernel sees it.

/// Memory of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Resident {
    /// All of it, files included.
    pub(super) all: u64,
    /// What belongs to no file: heap, stacks and our own tables.
    pub(super) anonymous: u64,
}

impl Resident {
    /// That of a process; `None` when it is gone.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
        };
        Some(Self { all: field("VmRSS:")?, anonymous: field("RssAnon:")? })
    }
}
