//! The root folders of watched processes that see other files than we do, as in containers. They are held open: what lies
//! beside a program, such as its debug information, is looked for when the process may have ended, and with it the
//! kernel's link to the folder.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

/// Of more containers than this the folders are found as long as their processes are there.
const MOST: usize = 64;

/// What tells one root folder from another: the mounts that a process sees, and the device and number of the folder.
type Identity = (PathBuf, u64, u64);

/// Those that are held.
#[derive(Debug, Default)]
pub(super) struct Roots {
    held: Vec<(Identity, File)>,
}

impl Roots {
    /// A path to the root folder of a process.
    pub(super) fn of(&mut self, pid: i32) -> PathBuf {
        let link = PathBuf::from(format!("/proc/{pid}/root"));
        self.hold(pid, &link).unwrap_or(link)
    }

    fn hold(&mut self, pid: i32, link: &PathBuf) -> io::Result<PathBuf> {
        let mounts = fs::read_link(format!("/proc/{pid}/ns/mnt"))?;
        let data = fs::metadata(link)?;
        let identity = (mounts, data.dev(), data.ino());
        let known = self.held.iter().position(|(known, _)| *known == identity);
        let index = match known {
            Some(index) => index,
            None if self.held.len() >= MOST => return Err(io::ErrorKind::QuotaExceeded.into()),
            None => {
                let flags = libc::O_PATH | libc::O_DIRECTORY;
                let folder = OpenOptions::new().read(true).custom_flags(flags).open(link)?;
                self.held.push((identity, folder));
                self.held.len() - 1
            }
        };
        Ok(PathBuf::from(format!("/proc/self/fd/{}", self.held[index].1.as_raw_fd())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once_and_leads_to_its_files() {
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        let mut roots = Roots::default();
        let (first, second) = (roots.of(own), roots.of(own));
        assert!(first.starts_with("/proc/self/fd") && first == second && roots.held.len() == 1);
        assert!(first.join("proc/self/exe").exists());
        assert_eq!(roots.of(i32::MAX), PathBuf::from(format!("/proc/{}/root", i32::MAX)), "it is not there");
    }
}
