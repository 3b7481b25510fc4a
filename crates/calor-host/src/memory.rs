//! Main memory, and how much of it this process may still take: what is free, what its group of processes may have, and what its address
//! space may grow by. Whoever takes more is ended by the kernel, and nothing that was measured by then is told.

use std::fs;
use std::path::{Path, PathBuf};

/// What bounds the memory of this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Free memory of the machine, and what the kernel can give back at once.
    Free,
    /// The limit of its control group, as containers have one.
    Group,
    /// The limit of its address space (`ulimit -v`).
    AddressSpace,
}

/// Memory that may still be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// In bytes.
    pub bytes: u64,
    /// What it is bounded by.
    pub bound: Bound,
}

/// Main memory; `None` where the system does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// All of it.
    pub total_bytes: Option<u64>,
    /// What is free, or can be made so at once.
    pub available_bytes: Option<u64>,
}

/// That of this machine.
#[must_use]
pub fn memory() -> Memory {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    Memory { total_bytes: kibibytes(&text, "MemTotal:"), available_bytes: kibibytes(&text, "MemAvailable:") }
}

/// A line such as `VmSize:  512 kB` of a file of the kernel's, in bytes.
#[must_use]
pub fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What may be taken now; `None` where the system does not tell.
#[must_use]
pub fn room() -> Option<Room> {
    of_files(&|path| fs::read_to_string(path).ok())
}

/// A file as the system has it, by its path.
type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

fn of_files(read: Read<'_>) -> Option<Room> {
    let free = read(Path::new("/proc/meminfo")).and_then(|text| kibibytes(&text, "MemAvailable:"));
    let bounds =
        [(Bound::Free, free), (Bound::Group, in_group(read)), (Bound::AddressSpace, in_address_space(read))];
    let known = bounds.into_iter().filter_map(|(bound, bytes)| Some(Room { bytes: bytes?, bound }));
    known.min_by_key(|room| room.bytes)
}

fn in_address_space(read: Read<'_>) -> Option<u64> {
    let limits = read(Path::new("/proc/self/limits"))?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let taken = read(Path::new("/proc/self/status")).and_then(|text| kibibytes(&text, "VmSize:"));
    Some(most.saturating_sub(taken.unwrap_or(0)))
}

/// The tightest of the groups that this process is in, from its own up to the outermost, of either version.
fn in_group(read: Read<'_>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, names) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file "]),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "],
            ),
            _ => continue,
        };
        let inside = Path::new(path.trim_start_matches('/'));
        for group in inside.ancestors() {
            let left = left_in(&Path::new(root).join(group), names, read);
            least = least.into_iter().chain(left).min();
        }
    }
    least
}

/// What one group has left. Pages of files that nobody used lately count as taken, and are given back when asked for.
fn left_in(group: &Path, [most, taken, idle]: [&str; 3], read: Read<'_>) -> Option<u64> {
    let number = |name: &str| read(&PathBuf::from(group).join(name))?.trim().parse::<u64>().ok();
    let most = number(most)?;
    let idle = read(&group.join("memory.stat"))
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix(idle)?.trim().parse::<u64>().ok()));
    let taken = number(taken).unwrap_or(0).saturating_sub(idle.unwrap_or(0));
    Some(most.saturating_sub(taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expect: Option<(u64, Bound)>) {
        let read = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        assert_eq!(of_files(&read), expect.map(|(bytes, bound)| Room { bytes, bound }), "{files:?}");
    }

    #[test]
    fn the_tightest_of_all_bounds_counts() {
        let free = ("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2048 kB\n");
        check(&[], None);
        check(&[free], Some((2 << 20, Bound::Free)));
        let limits = |most: &'static str| ("/proc/self/limits", most);
        let taken = ("/proc/self/status", "VmPeak: 9 kB\nVmSize:      512 kB\n");
        check(
            &[free, taken, limits("Max address space         1048576              unlimited  bytes\n")],
            Some((512 << 10, Bound::AddressSpace)),
        );
        check(
            &[free, taken, limits("Max address space         unlimited            unlimited  bytes\n")],
            Some((2 << 20, Bound::Free)),
        );
    }

    #[test]
    fn groups_of_both_versions_and_those_around_them_are_asked() {
        let free = ("/proc/meminfo", "MemAvailable:    2048 kB\n");
        check(
            &[
                free,
                ("/proc/self/cgroup", "0::/a/b\n"),
                ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
                ("/sys/fs/cgroup/a/memory.max", "1000000\n"),
                ("/sys/fs/cgroup/a/memory.current", "900000\n"),
                ("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 400000\n"),
            ],
            Some((500_000, Bound::Group)),
        );
        check(
            &[
                free,
                ("/proc/self/cgroup", "4:memory:/x\n1:cpu:/\n0::/\n"),
                ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "700000\n"),
                ("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "100000\n"),
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
            Some((600_000, Bound::Group)),
        );
    }

    #[test]
    fn kibibytes_are_read_as_bytes() {
        assert_eq!(kibibytes("MemTotal: 9 kB\nMemAvailable:    2048 kB\n", "MemAvailable:"), Some(2 << 20));
        assert_eq!(kibibytes("MemAvailable: lots\n", "MemAvailable:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_tells() {
        assert!(memory().total_bytes >= memory().available_bytes && memory().available_bytes.is_some());
        assert!(room().is_some_and(|room| room.bytes > 0));
    }
}
