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
    /// The processes of threads that have begun and not ended, and how many each has.
    alive: HashMap<i32, i32, RandomState>,
    n_alive: HashMap<i32, usize, RandomState>,
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
        self.lives_on(pid, tid);
        let name = self.now.get(&parent_tid).and_then(|life| self.lives[*life].name.clone());
        self.now.insert(tid, self.lives.len());
        self.lives.push(Life { pid, tid, name });
    }

    pub(super) fn named(&mut self, pid: i32, tid: i32, name: &[u8], is_exec: bool) {
        self.lives_on(pid, tid);
        if is_exec {
            self.now.remove(&tid);
        }
        let life = self.at(pid, tid);
        self.lives[life].name = Some(String::from_utf8_lossy(name).into_owned());
    }

    /// A thread ended: the process that ended with its last one, which need not be its first.
    pub(super) fn ended(&mut self, tid: i32) -> Option<i32> {
        let pid = self.alive.remove(&tid)?;
        let n_left = self.n_alive.get_mut(&pid)?;
        *n_left -= 1;
        (*n_left == 0).then(|| {
            self.n_alive.remove(&pid);
            pid
        })
    }

    fn lives_on(&mut self, pid: i32, tid: i32) {
        if self.alive.get(&tid) != Some(&pid) {
            self.ended(tid);
            self.alive.insert(tid, pid);
            *self.n_alive.entry(pid).or_default() += 1;
        }
    }

    pub(super) fn get(&self, life: usize) -> &Life {
        &self.lives[life]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_ends_with_its_last_thread_whichever_that_is() {
        let mut threads = Threads::default();
        threads.named(7, 7, b"first", false);
        threads.began(7, 8, 7);
        assert_eq!((threads.ended(7), threads.ended(7), threads.ended(8)), (None, None, Some(7)));
        threads.began(8, 8, 7);
        threads.named(8, 8, b"second", true);
        assert_eq!((threads.ended(8), threads.ended(8)), (Some(8), None));
    }

    #[test]
    fn a_thread_has_the_last_name_of_its_life_and_an_exec_begins_another() {
        let mut threads = Threads::default();
        threads.named(7, 7, b"sh", false);
        let before = threads.at(7, 7);
        threads.named(7, 7, b"program", true);
        let after = threads.at(7, 7);
        threads.named(7, 7, b"renamed", false);
        let name = |life: usize| threads.get(life).name.clone().unwrap();
        assert_eq!((name(before), name(after)), ("sh".to_owned(), "renamed".to_owned()));
    }
}
