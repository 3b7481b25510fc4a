//! How changes are made whole: by a log that is written ahead, or, over a network, by a journal that is rolled back.
//!
//! The log needs memory that all processes share, which machines of a network do not. The journal needs locks alone; it is
//! slower, and readers and the writer wait for each other.

use std::path::Path;

/// How changes are made whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Journal {
    /// By a log that is written ahead.
    Ahead,
    /// By a journal that is rolled back.
    Rollback,
}

impl Journal {
    /// What the file system of a folder can do.
    pub(crate) fn of(folder: &Path) -> Self {
        if is_network(folder) { Self::Rollback } else { Self::Ahead }
    }

    /// SQLite's word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ahead => "WAL",
            Self::Rollback => "DELETE",
        }
    }
}

#[cfg(target_os = "linux")]
fn is_network(folder: &Path) -> bool {
    let kind = rustix::fs::statfs(folder).map(|about| about.f_type);
    // The number has 32 bits, whatever the machine makes of its sign.
    kind.is_ok_and(|kind| NETWORKS.contains(&(kind as u32)))
}

/// Elsewhere SQLite itself knows: where it cannot share memory, it keeps the journal.
#[cfg(not(target_os = "linux"))]
fn is_network(_: &Path) -> bool {
    false
}

/// The numbers of file systems that other machines may write to, as `statfs(2)` and the kernel's headers list them.
#[cfg(target_os = "linux")]
const NETWORKS: [u32; 13] = [
    0x0000_6969, // NFS
    0x0000_517b, // SMB
    0xfe53_4d42, // SMB 2
    0xff53_4d42, // CIFS
    0x0102_1997, // 9P
    0x6573_5546, // FUSE: sshfs, GlusterFS, folders shared with a virtual machine; some of them are local, and slower then
    0x5346_414f, // AFS
    0x00c3_6400, // Ceph
    0x0bd0_0bd0, // Lustre
    0x4750_4653, // GPFS
    0x7461_636f, // OCFS2
    0x0116_1970, // GFS2
    0xbacb_acbc, // VMware's shared folders
];

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn disks_of_the_machine_have_a_log() {
        // Whatever temporary files lie on here, it is not /proc, which is not a network either.
        assert_eq!(Journal::of(Path::new("/proc")), Journal::Ahead);
        assert_eq!(Journal::of(Path::new("/no/such/folder")), Journal::Ahead);
    }
}
