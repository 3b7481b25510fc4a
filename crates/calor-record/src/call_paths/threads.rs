//! The names of the watched threads.

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// Threads beyond this many are not told apart: their samples go to one row per process and name.
const APART: usize = 4_096;

/// Names by thread. Ended threads are kept as long as the sums of their samples are.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    names: HashMap<i32, String, RandomState>,
    /// Those that sums are about.
    seen: HashSet<i32, RandomState>,
    /// Those of them that have ended.
    ended: HashSet<i32, RandomState>,
    n_seen: usize,
}

impl Threads {
    pub(crate) fn name(&mut self, tid: i32, name: &str) {
        match self.names.get_mut(&tid) {
            Some(known) if known == name => {}
            Some(known) => name.clone_into(known),
            None => {
                self.names.insert(tid, name.to_owned());
            }
        }
    }

    /// A thread begins with its parent's name. Its number may have been another's.
    pub(crate) fn began(&mut self, tid: i32, parent: i32) {
        self.ended.remove(&tid);
        if let Some(name) = self.names.get(&parent) {
            let name = name.clone();
            self.names.insert(tid, name);
        }
    }

    pub(crate) fn ended(&mut self, tid: i32) {
        if self.seen.contains(&tid) {
            self.ended.insert(tid);
        } else {
            self.names.remove(&tid);
        }
    }

    /// The number under which a thread's samples are added up: its own, or 0, which stands for the process, when
    /// threads are not told apart or there are too many.
    pub(crate) fn row(&mut self, pid: i32, tid: i32, is_apart: bool) -> i32 {
        if is_apart && (self.seen.contains(&tid) || self.seen.len() < APART) {
            self.n_seen += usize::from(self.seen.insert(tid));
            return tid;
        }
        self.n_seen += usize::from(self.seen.insert(pid));
        0
    }

    /// What a thread is called.
    pub(crate) fn of(&self, tid: i32) -> Option<&str> {
        self.names.get(&tid).map(String::as_str)
    }

    /// Whether it was seen running.
    pub(crate) fn is_seen(&self, tid: i32) -> bool {
        self.seen.contains(&tid)
    }

    /// How many were seen running.
    pub(crate) fn seen(&self) -> usize {
        self.n_seen
    }

    /// The sums have been written out: ended threads are no longer needed.
    pub(crate) fn forget_ended(&mut self) {
        for tid in self.ended.drain() {
            self.names.remove(&tid);
            self.seen.remove(&tid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_thread_keeps_its_name_until_its_sums_are_written() {
        let mut threads = Threads::default();
        threads.name(1, "main");
        threads.began(2, 1);
        threads.name(2, "worker");
        assert_eq!(threads.row(1, 2, true), 2);
        threads.ended(2);
        assert_eq!(threads.of(2), Some("worker"));
        threads.forget_ended();
        assert_eq!((threads.of(2), threads.seen()), (None, 1));
    }

    #[test]
    fn a_number_that_is_used_again_is_not_forgotten_with_its_last_user() {
        let mut threads = Threads::default();
        threads.name(1, "main");
        threads.row(1, 2, true);
        threads.ended(2);
        threads.began(2, 1);
        threads.forget_ended();
        assert_eq!(threads.of(2), Some("main"));
    }

    #[test]
    fn what_is_kept_of_many_short_threads_is_bounded() {
        let mut threads = Threads::default();
        threads.name(1, "main");
        for tid in 2..20_000 {
            threads.began(tid, 1);
            let row = threads.row(1, tid, true);
            assert!(row == tid || row == 0);
            threads.ended(tid);
        }
        assert!(threads.names.len() <= APART + 1 && threads.seen.len() <= APART + 1);
        threads.forget_ended();
        assert_eq!((threads.names.len(), threads.of(1)), (1, Some("main")));
    }

    #[test]
    fn threads_that_are_not_told_apart_have_the_name_of_their_process() {
        let mut threads = Threads::default();
        threads.name(7, "server");
        assert_eq!(threads.row(7, 8, false), 0);
        threads.ended(7);
        assert_eq!(threads.of(7), Some("server"));
    }
}
