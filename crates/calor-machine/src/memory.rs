//! How much memory there is, and how much of it may be taken for half a second without harm.

use std::fs;

/// Main memory in bytes.
pub(crate) fn total() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// What a measurement may take: a quarter of what is free, also in the group of processes that a container is.
pub(crate) fn allowance() -> Option<u64> {
    let free = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:");
    let number =
        |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok();
    let in_group =
        number("memory.max").map(|most| most.saturating_sub(number("memory.current").unwrap_or(0)));
    free.into_iter().chain(in_group).min().map(|free| free / 4)
}

/// A line of `/proc/meminfo`, which counts in KiB.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_bytes() {
        let text = "MemTotal:       24684100 kB\nMemAvailable:       2048 kB\n";
        assert_eq!((field(text, "MemAvailable:"), field(text, "MemFree:")), (Some(2 << 20), None));
    }
}
