//! How much memory a process has, as the kernel sees it, and in words.

use calor_host::kibibytes;

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
        Some(Self { all: kibibytes(&status, "VmRSS:")?, anonymous: kibibytes(&status, "RssAnon:")? })
    }
}

/// Memory of a process that is the library's own: its tables, which alone are left out of dumps and of forks. Asking
/// takes the kernel a while.
pub(super) fn own_tables(pid: u32) -> u64 {
    let all = std::fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap_or_default();
    own_tables_in(&all)
}

fn own_tables_in(smaps: &str) -> u64 {
    let (mut sum, mut resident) = (0, 0);
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("Rss:") => resident = words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0),
            Some("VmFlags:") => {
                let flags: Vec<&str> = words.collect();
                sum += if ["wf", "dd"].iter().all(|flag| flags.contains(flag)) { resident << 10 } else { 0 };
            }
            _ => {}
        }
    }
    sum
}

/// A size in the unit that leaves something to read of small ones.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{own_tables_in, size};

    #[test]
    fn our_tables_are_known_by_what_forks_and_dumps_do_with_them() {
        let smaps = "7f00-7f10 rw-p 00000000 00:00 0\nRss:        40 kB\nVmFlags: rd wr mr mw me ac nr wf dd\n\
                     7f20-7f30 rw-p 00000000 00:00 0\nRss:       300 kB\nVmFlags: rd wr mr mw me ac\n\
                     7f40-7f50 rw-p 00000000 00:00 0\nRss:         8 kB\nVmFlags: rd wr mr mw me ac wf dd\n";
        assert_eq!(own_tables_in(smaps), 48 << 10);
    }

    #[test]
    fn a_small_size_is_not_told_as_nothing() {
        assert_eq!([900, 51_200, 3 << 20].map(size), ["900 B", "50.0 KiB", "3.0 MiB"]);
    }
}
