//! Anonymous memory of this process, as the kernel counts it. Resident memory would also count pages of the
//! binary that happen to be touched, which is megabytes of noise.

use std::fs;

/// Anonymous memory in KiB.
pub(crate) fn anonymous_kib() -> Result<u64, String> {
    field("/proc/self/smaps_rollup", "Anonymous:")
}

/// The most resident memory since the last [`reset_peak`], in KiB.
pub(crate) fn peak_kib() -> Result<u64, String> {
    field("/proc/self/status", "VmHWM:")
}

/// Resident memory in KiB, to compare a peak with.
pub(crate) fn resident_kib() -> Result<u64, String> {
    field("/proc/self/status", "VmRSS:")
}

/// Lets the peak count from now on.
pub(crate) fn reset_peak() -> Result<(), String> {
    fs::write("/proc/self/clear_refs", "5")
        .map_err(|error| format!("cannot write /proc/self/clear_refs: {error}"))
}

fn field(path: &str, name: &str) -> Result<u64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    find(&text, name).ok_or_else(|| format!("expected a line '{name} <n> kB' in {path}"))
}

fn find(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "Rss:   1234 kB\nAnonymous:       56 kB\nAnonHugePages:  0 kB\n";
        assert_eq!(find(text, "Anonymous:"), Some(56));
        assert_eq!(find(text, "Swap:"), None);
    }
}
