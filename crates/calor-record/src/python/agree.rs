//! Joins what the interpreter says it runs with what the machine's stack says: both are of one instant only if they
//! agree. Each native frame of the function that runs Python code stands for one or more Python frames; the native
//! frame still holds, in its registers and on its stack, the addresses of what it was running.

use std::ops::Range;

/// How far a thread may have gone deeper between the sample and the reading of its frames.
const DEEPER: usize = 256;

/// How a Python frame stands to the native frame that runs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// The native frame runs its caller too.
    Inner,
    /// The outermost that the native frame runs.
    Entry,
    /// Not Python code: it stands on the native frame's own stack and tells where that one's frames end.
    Boundary,
}

/// A frame as the interpreter has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PythonFrame {
    pub(crate) address: u64,
    /// The code object; 0 for a boundary.
    pub(crate) code: u64,
    /// Where it is in its bytecode.
    pub(crate) instruction: u64,
    pub(crate) mark: Mark,
}

/// The native frames that run Python code, innermost first, as far as their stack tells.
pub(crate) trait Evaluations {
    /// How many there are.
    fn count(&self) -> usize;
    /// Whether one of them holds a value in its registers or on its stack.
    fn holds(&self, evaluation: usize, value: u64) -> bool;
    /// Whether one of them was inside the bytecode of a frame.
    fn is_inside(&self, evaluation: usize, frame: &PythonFrame) -> bool;
    /// Whether an address is on the stack of one of them.
    fn is_on_stack(&self, evaluation: usize, address: u64) -> bool;
}

/// Which Python frames each native frame runs, innermost first; `None` where that is not certain.
pub(crate) type Agreed = Vec<Option<Range<usize>>>;

/// Finds out which frames belong to which evaluation. `is_whole` says that both lists reach the beginning of the thread.
pub(crate) fn agree(frames: &[PythonFrame], evaluations: &impl Evaluations, is_whole: bool) -> Agreed {
    let count = evaluations.count();
    let innermost = frames.iter().take(DEEPER).position(|frame| {
        frame.mark != Mark::Boundary
            && evaluations.holds(0, frame.address)
            && evaluations.is_inside(0, frame)
    });
    if let Some(first) = innermost
        && let Some(agreed) = from(frames, first, 0, evaluations, is_whole)
    {
        return agreed;
    }
    // What ran last is over; what had called it may still be there.
    for evaluation in 1..count {
        for first in 0..frames.len() {
            let frame = &frames[first];
            if frame.mark != Mark::Boundary
                && is_held(evaluations, evaluation, frame)
                && let Some(agreed) = from(frames, first, evaluation, evaluations, is_whole)
            {
                return agreed;
            }
        }
    }
    vec![None; count]
}

/// A caller is held by its own native frame, or by the one that it called, which notes whom to return to.
fn is_held(evaluations: &impl Evaluations, evaluation: usize, frame: &PythonFrame) -> bool {
    evaluations.holds(evaluation, frame.address) || evaluations.holds(evaluation - 1, frame.address)
}

/// The frames from `first` on, of which `evaluation` runs the first ones; `None` if the rest does not agree.
fn from(
    frames: &[PythonFrame],
    first: usize,
    evaluation: usize,
    evaluations: &impl Evaluations,
    is_whole: bool,
) -> Option<Agreed> {
    let count = evaluations.count();
    let mut agreed: Agreed = vec![None; evaluation];
    let mut start = first;
    while agreed.len() < count && start < frames.len() {
        let which = agreed.len();
        if which > evaluation && !is_held(evaluations, which, &frames[start]) {
            return None;
        }
        let length = frames[start..].iter().position(|frame| frame.mark != Mark::Inner)?;
        let end = start + length;
        match frames[end].mark {
            Mark::Boundary if !evaluations.is_on_stack(which, frames[end].address) => return None,
            Mark::Boundary => agreed.push(Some(start..end)),
            _ => agreed.push(Some(start..end + 1)),
        }
        start = end + 1;
    }
    // Some versions begin each thread with one that belongs to no native frame.
    start += frames[start..].iter().take_while(|frame| frame.mark == Mark::Boundary).count();
    let is_even = agreed.len() == count && start >= frames.len();
    // Where one of the lists was cut, the other may go on.
    if is_whole && !is_even {
        return None;
    }
    agreed.resize(count, None);
    Some(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Native frames, each with the values that it holds.
    struct Held(Vec<Vec<u64>>);

    impl Evaluations for Held {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn holds(&self, evaluation: usize, value: u64) -> bool {
            self.0[evaluation].contains(&value)
        }
        fn is_inside(&self, evaluation: usize, frame: &PythonFrame) -> bool {
            self.0[evaluation].contains(&frame.code)
        }
        fn is_on_stack(&self, evaluation: usize, address: u64) -> bool {
            address / 0x1000 == evaluation as u64 + 0x7000
        }
    }

    fn frames(text: &[(u64, u64, Mark)]) -> Vec<PythonFrame> {
        text.iter()
            .map(|&(address, code, mark)| PythonFrame { address, code, instruction: 0, mark })
            .collect()
    }

    /// As CPython 3.10 has it: one native frame for each.
    fn one_each() -> Vec<PythonFrame> {
        frames(&[(10, 110, Mark::Entry), (20, 120, Mark::Entry), (30, 130, Mark::Entry)])
    }

    #[test]
    fn frames_that_are_held_belong_together() {
        let evaluations = Held(vec![vec![10, 110], vec![20], vec![30]]);
        assert_eq!(agree(&one_each(), &evaluations, true), [Some(0..1), Some(1..2), Some(2..3)]);
    }

    #[test]
    fn a_thread_that_went_deeper_is_seen_as_it_was() {
        let evaluations = Held(vec![vec![20, 120], vec![30]]);
        assert_eq!(agree(&one_each(), &evaluations, true), [Some(1..2), Some(2..3)]);
    }

    #[test]
    fn of_a_thread_that_returned_the_callers_stay() {
        let evaluations = Held(vec![vec![5, 105], vec![10], vec![20], vec![30]]);
        assert_eq!(agree(&one_each(), &evaluations, true), [None, Some(0..1), Some(1..2), Some(2..3)]);
    }

    #[test]
    fn a_frame_that_was_used_anew_is_not_believed() {
        let evaluations = Held(vec![vec![10, 999], vec![20], vec![30]]);
        assert_eq!(agree(&one_each(), &evaluations, true), [None, Some(1..2), Some(2..3)]);
    }

    #[test]
    fn lists_of_different_length_agree_only_when_one_is_cut() {
        let evaluations = Held(vec![vec![10, 110], vec![20]]);
        assert_eq!(agree(&one_each(), &evaluations, true), [None, None]);
        assert_eq!(agree(&one_each(), &evaluations, false), [Some(0..1), Some(1..2)]);
        let evaluations = Held(vec![vec![20, 120], vec![30], vec![40]]);
        assert_eq!(agree(&one_each(), &evaluations, false), [Some(1..2), Some(2..3), None]);
    }

    #[test]
    fn one_native_frame_runs_several_up_to_its_boundary() {
        let list = frames(&[
            (10, 110, Mark::Inner),
            (11, 111, Mark::Inner),
            (0x700_0010, 0, Mark::Boundary),
            (20, 120, Mark::Inner),
            (0x700_1010, 0, Mark::Boundary),
        ]);
        let evaluations = Held(vec![vec![11, 111, 20], vec![]]);
        assert_eq!(agree(&list, &evaluations, true), [Some(1..2), Some(3..4)]);
        let mut elsewhere = list.clone();
        elsewhere[2].address = 0x700_1010;
        assert_eq!(agree(&elsewhere, &evaluations, true), [None, Some(3..4)]);
    }
}
