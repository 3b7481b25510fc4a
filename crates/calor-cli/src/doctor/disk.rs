//! The current folder, where results go by default: whether it can be written to, and the room it has.

use std::path::Path;

use calor_analysis::quantity::bytes;

use super::Check;

/// A recording of a busy program for an hour.
const ENOUGH_BYTES: u64 = 1 << 30;

pub(super) fn check() -> Check {
    match std::env::current_dir() {
        Ok(folder) => of(&folder),
        Err(error) => Check::not_ok("folder", format!("the current folder is gone: {error}")).fixed_by("cd"),
    }
}

fn of(folder: &Path) -> Check {
    let (shown, home) = (folder.display(), "cd \"$HOME\"");
    // Only an attempt tells: permissions, read-only mounts and quotas all have a say.
    let probe = folder.join(format!(".calor-{}.probe", std::process::id()));
    let made = std::fs::write(&probe, b"probe");
    let _ = std::fs::remove_file(&probe);
    if let Err(error) = made {
        return Check::not_ok("folder", format!("cannot be written to ({error}): {shown}")).fixed_by(home);
    }
    match free(folder) {
        Some(free) if free < ENOUGH_BYTES => {
            let found = format!("writable, but only {} free: {shown}", bytes(free));
            Check::not_ok("folder", found).fixed_by(home)
        }
        Some(free) => Check::ok("folder", format!("writable, {} free: {shown}", bytes(free))),
        None => Check::ok("folder", format!("writable: {shown}")),
    }
}

/// Bytes that may still be written.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_takes_no_file_is_not_ok_and_nothing_stays_in_one_that_does() {
        let folder = tempfile::tempdir().unwrap();
        assert!(of(folder.path()).found.starts_with("writable"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let gone = of(&folder.path().join("gone"));
        assert!(!gone.ok && gone.fix.is_some(), "{}", gone.found);
    }
}
