//! Processors to take turns on. Those of one machine are not alike: a second thread of the same core, what else runs beside it
//! and how it boosts make one of them 5 % slower than its neighbour, here and elsewhere, for hours. Work that stays where it
//! happened to begin then differs by that from run to run. Work that takes turns has as much of each in every run.

/// More than two say no more, and their caches have to be filled again.
const MOST: usize = 2;

/// Those that a thread takes turns on: the first of those that it may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Processors(Vec<usize>);

impl Processors {
    /// Those of this thread; none where that is not known, or where it has only one.
    pub(crate) fn of_thread() -> Self {
        let all = allowed();
        Self(if all.len() < MOST { Vec::new() } else { all.into_iter().take(MOST).collect() })
    }

    /// None: the thread stays where the system puts it.
    pub(crate) fn any() -> Self {
        Self(Vec::new())
    }

    /// How many turns there are until the first comes again.
    pub(crate) fn n_turns(&self) -> usize {
        self.0.len().max(1)
    }

    /// Moves this thread to the processor whose turn it is. Where the system does not let it, it stays where it is.
    pub(crate) fn take_turn(&self, turn: usize) {
        if let Some(processor) = turn.checked_rem(self.0.len()).map(|at| self.0[at]) {
            stay_on(processor);
        }
    }
}

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect()
}

#[cfg(target_os = "linux")]
fn stay_on(processor: usize) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    set.set(processor);
    // Refused where it was taken away meanwhile.
    let _ = sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn stay_on(_processor: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_takes_turns_on_two_of_the_processors_that_it_may_use() {
        let thread = std::thread::spawn(|| {
            let all = allowed();
            let processors = Processors::of_thread();
            for turn in 0..4 {
                processors.take_turn(turn);
                match &all[..] {
                    [first, second, ..] => assert_eq!(allowed(), [[*first, *second][turn % 2]]),
                    _ => assert_eq!(allowed(), all),
                }
            }
            Processors::any().take_turn(1);
        });
        thread.join().expect("it moved as it should");
    }
}
