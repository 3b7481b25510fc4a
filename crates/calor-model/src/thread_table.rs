//! The threads of the recorded program.

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{StringId, ThreadId};

/// One thread, or several ended threads of one name that were added up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// The process it ran in; 0 when unknown.
    pub pid: u32,
    /// The operating system's number of the thread; 0 when it stands for several or is unknown.
    pub tid: u64,
    /// Its name.
    pub name: StringId,
}

/// Interned threads in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct ThreadTable {
    threads: IndexSet<Thread, RandomState>,
}

impl ThreadTable {
    /// The handle of `thread`, which is stored if it is new.
    pub fn intern(&mut self, thread: Thread) -> ThreadId {
        ThreadId::from_index(self.threads.insert_full(thread).0)
    }

    /// The thread behind a handle of this table.
    ///
    /// # Panics
    /// On a handle of another, larger table.
    #[must_use]
    pub fn get(&self, id: ThreadId) -> Thread {
        *self.threads.get_index(id.index()).expect("the handle is of this table")
    }

    /// All threads with their handles.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ThreadId, Thread)> {
        self.threads.iter().enumerate().map(|(index, thread)| (ThreadId::from_index(index), *thread))
    }

    /// How many threads there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }
}
