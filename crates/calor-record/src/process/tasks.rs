//! The threads and children of a process.

use std::collections::HashSet;
use std::fs;

/// The threads that a process has now.
pub(crate) fn threads_of(pid: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// A process and all that descend from it now.
pub(crate) fn descendants(pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let mut seen = HashSet::from([pid]);
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        for thread in threads_of(parent) {
            let children =
                fs::read_to_string(format!("/proc/{parent}/task/{thread}/children")).unwrap_or_default();
            // Numbers are used again: one that was seen is not gone through twice, or this might not end.
            let children = children.split_whitespace().filter_map(|child| child.parse::<i32>().ok());
            found.extend(children.filter(|child| seen.insert(*child)));
        }
    }
    found
}

/// The process that a thread belongs to; a process is its own first thread.
pub(crate) fn process_of(tid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// What a thread calls itself.
pub(crate) fn name_of(pid: i32, tid: i32) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/task/{tid}/comm")).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// This process.
pub(crate) fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(0)
}
