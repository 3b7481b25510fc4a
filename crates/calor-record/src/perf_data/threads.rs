//! The threads of a recording. The system gives numbers anew once a thread has ended, and threads are named after they
//! have begun to run: a thread is known by the last name of its life.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// A thread from its beginning, or the beginning of a program in it, to its end.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) pid: i32,
    pub(super) tid: i32,
    pub(super) name: Option<String>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Threads {
    lives: Vec<Life>,
    now: HashMap<i32, usize, RandomState>,
}

impl Threads {
    /// The life that a thread is in.
    pub(super) fn at(&mut self, pid: i32, tid: i32) -> usize {
        *self.now.entry(tid).or_insert_with(|| {
            self.lives.push(Life { pid, tid, name: None });
            self.lives.len() - 1
        })
    }

    /// A thread begins with its parent's name.
    pub(super) fn began(&mut self, pid: i32, tid: i32, parent_tid: i32) {
        let name = self.now.get(&parent_tid).and_then(|life| self.lives[*life].name.clone());
        self.now.insert(tid, self.lives.len());
        self.lives.push(Life { pid, tid, name });
    }

    pub(super) fn named(&mut self, pid: i32, tid: i32, name: &[u8], is_exec: bool) {
        if is_exec {
            self.now.remove(&tid);
        }
        let life = self.at(pid, tid);
        self.lives[life].name = Some(String::from_utf8_lossy(name).into_owned());
    }

    pub(super) fn get(&self, life: usize) -> &Life {
        &self.lives[life]
    }
}
