//! What is mapped into a process now: needed for one that ran before it was watched.

use std::fs;

/// An executable mapping of a file, or of the vdso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) offset: u64,
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
    pub(crate) name: String,
}

/// The executable mappings of a process; empty when it is gone or not ours to see.
pub(crate) fn mappings(pid: i32) -> Vec<Mapping> {
    let of = |path: String| -> Vec<Mapping> {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().filter_map(mapping).collect()
    };
    let found = of(format!("/proc/{pid}/maps"));
    if !found.is_empty() {
        return found;
    }
    // A first thread that has ended before the others shows nothing any more.
    let others = super::threads_of(pid).into_iter().map(|tid| of(format!("/proc/{pid}/task/{tid}/maps")));
    others.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// One line: `start-end permissions offset major:minor inode name`, where the name may have spaces.
fn mapping(line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut next = || {
        let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        rest = after;
        word
    };
    let (range, permissions, offset, device, inode) = (next(), next(), next(), next(), next());
    if permissions.as_bytes().get(2) != Some(&b'x') {
        return None;
    }
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = range.split_once('-')?;
    let (start, end) = (hex(start)?, hex(end)?);
    let (major, minor) = device.split_once(':')?;
    let device = (u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?);
    Some(Mapping {
        start,
        size: end.checked_sub(start)?,
        offset: hex(offset)?,
        device,
        inode: inode.parse().ok()?,
        name: rest.trim_start().trim_end_matches(" (deleted)").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_spaces_and_be_gone() {
        let line = "7f0a1c000000-7f0a1c021000 r-xp 00001000 08:1f 1234   /opt/my app/lib x.so (deleted)";
        let expected = Mapping {
            start: 0x7f0a_1c00_0000,
            size: 0x21000,
            offset: 0x1000,
            device: (8, 0x1f),
            inode: 1234,
            name: "/opt/my app/lib x.so".to_owned(),
        };
        assert_eq!(mapping(line), Some(expected));
    }

    #[test]
    fn data_and_nonsense_are_passed_over() {
        for line in ["", "x", "1000-2000 rw-p 0 0:0 0", "2000-1000 r-xp 0 0:0 0", "1-2 r-xp"] {
            assert_eq!(mapping(line), None, "{line}");
        }
    }

    #[test]
    fn the_own_program_is_among_the_own_mappings() {
        let own = std::env::current_exe().expect("a test has a program");
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        assert!(mappings(pid).iter().any(|mapping| own.as_os_str() == mapping.name.as_str()));
    }
}
