//! The names of the watched threads.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Threads beyond this many are not told apart: their samples go to one row per process and name.
const APART: usize = 4_096;

/// Names by thread. Ended threads are kept as long as the sums of their samples are.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    names: HashMap<i32, String, RandomState>,
    ended: Vec<i32>,
    seen: HashMap<i32, (), RandomState>,
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

    /// A thread begins with its parent's name.
    pub(crate) fn began(&mut self, tid: i32, parent: i32) {
        if let Some(name) = self.names.get(&parent) {
            let name = name.clone();
            self.names.insert(tid, name);
        }
    }

    pub(crate) fn ended(&mut self, tid: i32) {
        if self.seen.contains_key(&tid) {
            self.ended.push(tid);
        } else {
            self.names.remove(&tid);
        }
    }

    /// The number under which a thread's samples are added up: its own, or 0 when there are too many.
    pub(crate) fn row(&mut self, tid: i32) -> i32 {
        if self.seen.contains_key(&tid) {
            return tid;
        }
        if self.seen.len() >= APART {
            return 0;
        }
        self.seen.insert(tid, ());
        tid
    }

    /// What a thread is called.
    pub(crate) fn of(&self, tid: i32) -> Option<&str> {
        self.names.get(&tid).map(String::as_str)
    }

    /// Whether it was seen running.
    pub(crate) fn is_seen(&self, tid: i32) -> bool {
        self.seen.contains_key(&tid)
    }

    /// How many were seen running.
    pub(crate) fn seen(&self) -> usize {
        self.seen.len()
    }

    /// The sums have been written out: ended threads are no longer needed.
    pub(crate) fn forget_ended(&mut self) {
        for tid in self.ended.drain(..) {
            self.names.remove(&tid);
            self.seen.remove(&tid);
        }
    }
}
