//! Threads that are no part of the program although they run in it, such as one that writes what was recorded. They
//! give no samples; here is how much of the process's CPU time is theirs.

use crate::timers::thread_cpu_nanos;

#[derive(Clone, Copy, Debug)]
struct Thread {
    tid: i32,
    /// Its CPU time when it was left out, and when it was last looked at.
    before_nanos: u64,
    nanos: u64,
}

/// The threads that are left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    running: Vec<Thread>,
    ended_nanos: u64,
}

impl LeftOut {
    pub(super) fn add(&mut self, tid: i32) {
        if let Some(nanos) = thread_cpu_nanos(tid)
            && !self.has(tid)
        {
            self.running.push(Thread { tid, before_nanos: nanos, nanos });
        }
    }

    pub(super) fn has(&self, tid: i32) -> bool {
        self.running.iter().any(|thread| thread.tid == tid)
    }

    /// Notes what they have used up to now.
    pub(super) fn look(&mut self) {
        let ended_nanos = &mut self.ended_nanos;
        self.running.retain_mut(|thread| match thread_cpu_nanos(thread.tid) {
            // Less than before is another thread, which has the number of one that has ended.
            Some(nanos) if nanos >= thread.nanos => {
                thread.nanos = nanos;
                true
            }
            _ => {
                *ended_nanos += thread.nanos - thread.before_nanos;
                false
            }
        });
    }

    /// CPU time since they were left out, up to the last look.
    pub(super) fn cpu_nanos(&self) -> u64 {
        let running = self.running.iter().map(|thread| thread.nanos - thread.before_nanos);
        self.ended_nanos + running.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    #[test]
    fn what_a_thread_used_before_and_after_it_was_left_out_is_not_counted() {
        let (begin, begun) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let own = process::own_tid();
            let spend = || {
                let before = thread_cpu_nanos(own);
                while thread_cpu_nanos(own) == before {}
            };
            spend();
            begin.send(own).ok();
            ended.recv().ok();
            spend();
            begin.send(own).ok();
            ended.recv().ok();
        });
        let mut left_out = LeftOut::default();
        let tid = begun.recv().expect("the thread runs");
        left_out.add(tid);
        left_out.add(tid);
        assert!(left_out.has(tid));
        assert_eq!((left_out.running.len(), left_out.cpu_nanos()), (1, 0));
        end.send(()).expect("the thread runs");
        begun.recv().expect("the thread runs");
        left_out.look();
        let used = left_out.cpu_nanos();
        assert!(used > 0);
        end.send(()).expect("the thread runs");
        thread.join().expect("it does not panic");
        left_out.look();
        assert!(left_out.cpu_nanos() >= used, "what an ended thread has used is forgotten");
    }

    #[test]
    fn a_thread_that_is_not_there_is_not_left_out() {
        // One more than the kernel ever counts threads up to.
        let nobody = (1 << 22) + 1;
        let mut left_out = LeftOut::default();
        left_out.add(nobody);
        assert!(!left_out.has(nobody));
    }
}
