//! The numbers under which threads are written. A viewer takes two threads of the same numbers for one, and a
//! profile may have several that stand for ended threads and go by number 0.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;

use calor_model::{Profile, ThreadId};

use super::event_writer::EventWriter;
use crate::Error;

/// The largest whole number that every reader of JSON keeps.
const MAX_NUMBER: u64 = 1 << 53;

/// The numbers of one line of the picture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Lane {
    pub(super) pid: u32,
    pub(super) tid: u64,
}

/// The lanes of all threads.
pub(super) struct Lanes {
    of: Vec<Lane>,
}

impl Lanes {
    pub(super) fn new(profile: &Profile) -> Self {
        let mut taken: HashSet<Lane> = profile
            .threads
            .iter()
            .map(|(_, thread)| Lane { pid: thread.pid, tid: thread.tid })
            .filter(|lane| (1..MAX_NUMBER).contains(&lane.tid))
            .collect();
        let mut own: HashSet<Lane> = HashSet::new();
        let mut next = 1;
        let mut lane = |pid: u32, tid: u64| {
            let wanted = Lane { pid, tid };
            if (1..MAX_NUMBER).contains(&tid) && own.insert(wanted) {
                return wanted;
            }
            loop {
                let free = Lane { pid, tid: next };
                next += 1;
                if taken.insert(free) {
                    return free;
                }
            }
        };
        Self { of: profile.threads.iter().map(|(_, thread)| lane(thread.pid, thread.tid)).collect() }
    }

    /// The lane of a thread.
    pub(super) fn of(&self, thread: ThreadId) -> Lane {
        self.of.get(thread.index()).copied().unwrap_or(Lane { pid: 0, tid: 0 })
    }

    /// The process that things without a thread are shown under.
    pub(super) fn main_pid(&self) -> u32 {
        self.of.first().map_or(0, |lane| lane.pid)
    }

    /// A process number that no thread has, the `n`th of them.
    pub(super) fn free_pid(&self, n: usize) -> u32 {
        let pids: BTreeSet<u32> = self.of.iter().map(|lane| lane.pid).collect();
        // There are more numbers than threads, so there is one.
        (1_000_000_000..=u32::MAX).filter(|pid| !pids.contains(pid)).nth(n).unwrap_or(0)
    }

    pub(super) fn name<'p>(&self, profile: &'p Profile, thread: ThreadId) -> &'p str {
        profile.strings.get(profile.threads.get(thread).name)
    }

    /// Names the processes, as far as the runs tell.
    pub(super) fn write_process_names<W: Write>(
        &self,
        profile: &Profile,
        events: &mut EventWriter<'_, W>,
    ) -> Result<(), Error> {
        let pids: BTreeSet<u32> = self.of.iter().map(|lane| lane.pid).collect();
        for pid in pids {
            let label = format!("process {pid}");
            let told = profile.runs.iter().find_map(|run| run.labels.get(&label));
            let command = || profile.runs.iter().find_map(|run| run.command.as_ref());
            if let Some(name) = told.or_else(command) {
                events.process_name(pid, name)?;
            }
        }
        Ok(())
    }
}
