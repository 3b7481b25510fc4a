//! Memory of this process in bytes, as the kernel counts it.

use std::fs;

/// Anonymous memory: what the program allocated. Resident memory would also count pages of the binary that happen
/// to be touched, which is megabytes of noise.
pub fn anonymous_bytes() -> Result<u64, String> {
    field("/proc/self/smaps_rollup", "Anonymous:")
}

/// Resident memory, to compare a peak with.
pub fn resident_bytes() -> Result<u64, String> {
    field("/proc/self/status", "VmRSS:")
}

/// The most resident memory since the process began or the last [`reset_peak`].
pub fn peak_bytes() -> Result<u64, String> {
    field("/proc/self/status", "VmHWM:")
}

/// Lets the peak count from now on.
pub fn reset_peak() -> Result<(), String> {
    fs::write("/proc/self/clear_refs", "5")
        .map_err(|error| format!("cannot write /proc/self/clear_refs: {error}"))
}

fn field(path: &str, name: &str) -> Result<u64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let kib = find(&text, name).ok_or_else(|| format!("expected a line '{name} <n> kB' in {path}"))?;
    Ok(kib * 1024)
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
