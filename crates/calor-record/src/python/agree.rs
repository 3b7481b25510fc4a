//! Joins what the interpreter says it runs with what the machine's stack says: both are of one instant only if they
//! agree. Each native frame of the function that runs Python code stands for one or more Python frames; the native
//! frame still holds, in its registers and on its stack, the addresses of what it was running.

use std::ops::Range;

use super::layout::{FrameRecord, Rank};

/// How far a thread may have gone deeper between the sample and the reading of its frames.
const DEEPER: usize = 256;
/// Out of how many native frames it may have returned; all pairs of frames are tried.
const RETURNED: usize = 64;

/// A frame as the interpreter has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PythonFrame {
    pub(crate) address: u64,
    pub(crate) record: FrameRecord,
}

/// The native frames that run Python code, innermost first, as far as their stack tells.
pub(crate) trait Evaluations {
    /// How many there are.
    fn count(&self) -> usize;
    /// Whether one of them holds a value in its registers or on its stack.
    fn holds(&self, evaluation: usize, value: u64) -> bool;
    /// Whether one of them was inside the bytecode of the Python frame of this number.
    fn is_inside(&self, evaluation: usize, frame: usize) -> bool;
    /// Whether the innermost one runs for the thread state whose frames were read: a thread may have several, one for
    /// each interpreter that it is in.
    fn is_of_state(&self) -> bool;
    /// Whether an address is on the stack of one of them.
    fn is_on_stack(&self, evaluation: usize, address: u64) -> bool;
}

/// Which Python frames each native frame runs, innermost first; `None` where that is not certain.
pub(crate) type Agreed = Vec<Option<Range<usize>>>;

/// Finds out which frames belong to which evaluation. `is_whole` says that both lists reach the beginning of the thread,
/// `is_exact` that both are of the same instant.
pub(crate) fn agree(
    frames: &[PythonFrame],
    evaluations: &impl Evaluations,
    is_whole: bool,
    is_exact: bool,
) -> Agreed {
    let count = evaluations.count();
    if is_exact && let Some(agreed) = agree_exactly(frames, evaluations, is_whole) {
        return agreed;
    }
    let innermost = frames.iter().take(DEEPER).enumerate().position(|(index, frame)| {
        frame.record.rank != Rank::Shim
            && evaluations.holds(0, frame.address)
            && evaluations.is_inside(0, index)
    });
    if let Some(first) = innermost
        && let Some(agreed) = from(frames, first, 0, evaluations, is_whole)
    {
        return agreed;
    }
    // What ran last is over; what had called it may still be there.
    for evaluation in 1..count.min(RETURNED) {
        for first in 0..frames.len().min(DEEPER) {
            let frame = &frames[first];
            if frame.record.rank != Rank::Shim
                && is_held(evaluations, evaluation, first, frame)
                && let Some(agreed) = from(frames, first, evaluation, evaluations, is_whole)
            {
                return agreed;
            }
        }
    }
    vec![None; count]
}

/// The same for frames of the very instant.
fn agree_exactly(frames: &[PythonFrame], evaluations: &impl Evaluations, is_whole: bool) -> Option<Agreed> {
    let is_first_held = || frames.first().is_some_and(|frame| evaluations.holds(0, frame.address));
    if is_whole || is_first_held() {
        let agreed = from(frames, 0, 0, evaluations, is_whole);
        if agreed.is_some() {
            return agreed;
        }
    }
    // The innermost has not begun to run its frame, or is done with it.
    let is_caller = match frames.first() {
        Some(frame) => evaluations.count() > 1 && is_held(evaluations, 1, 0, frame),
        None => is_whole && evaluations.count() == 1,
    };
    let mut agreed =
        (is_caller && evaluations.is_of_state()).then(|| from(frames, 0, 1, evaluations, is_whole))??;
    agreed[0] = Some(0..0);
    Some(agreed)
}

/// A caller is held by its own native frame, or by the one that it called, which notes whom to return to.
fn is_held(evaluations: &impl Evaluations, evaluation: usize, index: usize, frame: &PythonFrame) -> bool {
    let either = [evaluation, evaluation - 1];
    either.iter().any(|which| evaluations.holds(*which, frame.address))
        && either.iter().any(|which| evaluations.is_inside(*which, index))
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
        if which > evaluation && !is_held(evaluations, which, start, &frames[start]) {
            return None;
        }
        let Some(length) = frames[start..].iter().position(|frame| frame.record.rank != Rank::Inner) else {
            // The list was cut within this one.
            agreed.push(Some(start..frames.len()));
            start = frames.len();
            break;
        };
        let end = start + length;
        match frames[end].record.rank {
            Rank::Shim if !evaluations.is_on_stack(which, frames[end].address) => return None,
            Rank::Shim => agreed.push(Some(start..end)),
            _ => agreed.push(Some(start..end + 1)),
        }
        start = end + 1;
    }
    // Some versions begin each thread with one that belongs to no native frame.
    start += frames[start..].iter().take_while(|frame| frame.record.rank == Rank::Shim).count();
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
    use super::super::layout::Instruction;
    use super::*;

    /// Native frames, each with the values that it holds.
    struct Held(Vec<Vec<u64>>, Vec<PythonFrame>);

    impl Evaluations for Held {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn holds(&self, evaluation: usize, value: u64) -> bool {
            self.0[evaluation].contains(&value)
        }
        fn is_inside(&self, evaluation: usize, frame: usize) -> bool {
            self.0[evaluation].contains(&self.1[frame].record.code)
        }
        fn is_of_state(&self) -> bool {
            !self.0[0].contains(&ANOTHER_STATE)
        }
        fn is_on_stack(&self, evaluation: usize, address: u64) -> bool {
            address / 0x1000 == evaluation as u64 + 0x7000
        }
    }

    const ANOTHER_STATE: u64 = 0xbad;

    fn frames(list: &[(u64, u64, Rank)]) -> Vec<PythonFrame> {
        let record = |code, rank| FrameRecord { code, back: 0, instruction: Instruction::Offset(0), rank };
        list.iter()
            .map(|&(address, code, rank)| PythonFrame { address, record: record(code, rank) })
            .collect()
    }

    /// As CPython 3.10 has it: one native frame for each.
    fn one_each() -> Vec<PythonFrame> {
        frames(&[(10, 110, Rank::Outermost), (20, 120, Rank::Outermost), (30, 130, Rank::Outermost)])
    }

    #[test]
    fn frames_that_are_held_belong_together() {
        let evaluations = Held(vec![vec![10, 110], vec![20, 120], vec![30, 130]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, true, false), [Some(0..1), Some(1..2), Some(2..3)]);
    }

    #[test]
    fn a_thread_that_went_deeper_is_seen_as_it_was() {
        let evaluations = Held(vec![vec![20, 120], vec![30, 130]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, true, false), [Some(1..2), Some(2..3)]);
    }

    #[test]
    fn of_a_thread_that_returned_the_callers_stay() {
        let evaluations = Held(vec![vec![5, 105], vec![10, 110], vec![20, 120], vec![30, 130]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, true, false), [None, Some(0..1), Some(1..2), Some(2..3)]);
    }

    #[test]
    fn a_frame_that_was_used_anew_is_not_believed() {
        let evaluations = Held(vec![vec![10, 999], vec![20, 120], vec![30, 130]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, true, false), [None, Some(1..2), Some(2..3)]);
    }

    #[test]
    fn lists_of_different_length_agree_only_when_one_is_cut() {
        let evaluations = Held(vec![vec![10, 110], vec![20, 120]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, true, false), [None, None]);
        assert_eq!(agree(&one_each(), &evaluations, false, false), [Some(0..1), Some(1..2)]);
        let evaluations = Held(vec![vec![20, 120], vec![30, 130], vec![40]], one_each());
        assert_eq!(agree(&one_each(), &evaluations, false, false), [Some(1..2), Some(2..3), None]);
    }

    #[test]
    fn one_native_frame_runs_several_up_to_its_boundary() {
        let list = frames(&[
            (10, 110, Rank::Inner),
            (11, 111, Rank::Inner),
            (0x700_0010, 0, Rank::Shim),
            (20, 120, Rank::Inner),
            (0x700_1010, 0, Rank::Shim),
        ]);
        let evaluations = Held(vec![vec![11, 111, 20], vec![120]], list.clone());
        assert_eq!(agree(&list, &evaluations, true, false), [Some(1..2), Some(3..4)]);
        let mut elsewhere = list.clone();
        elsewhere[2].address = 0x700_1010;
        assert_eq!(agree(&elsewhere, &evaluations, true, false), [None, Some(3..4)]);
    }

    #[test]
    fn a_function_that_is_being_entered_or_left_has_no_frame() {
        let evaluations = Held(vec![vec![], vec![10, 110], vec![20, 120], vec![30, 130]], one_each());
        let callers = [Some(0..1), Some(1..2), Some(2..3)];
        assert_eq!(agree(&one_each(), &evaluations, true, true)[1..], callers);
        assert_eq!(agree(&one_each(), &evaluations, true, true)[0], Some(0..0));
        assert_eq!(agree(&one_each(), &evaluations, true, false)[0], None, "it may have had one");
        let of_another =
            Held(vec![vec![ANOTHER_STATE], vec![10, 110], vec![20, 120], vec![30, 130]], one_each());
        assert_eq!(agree(&one_each(), &of_another, true, true)[0], None, "it runs another interpreter's");
        let evaluations = Held(vec![vec![]], Vec::new());
        assert_eq!(agree(&[], &evaluations, true, true), [Some(0..0)]);
        assert_eq!(agree(&[], &evaluations, false, true), [None], "they could not be read");
        let list =
            frames(&[(0x700_0010, 0, Rank::Shim), (20, 120, Rank::Inner), (0x700_1010, 0, Rank::Shim)]);
        let evaluations = Held(vec![vec![20], vec![120]], list.clone());
        assert_eq!(agree(&list, &evaluations, true, true), [Some(0..0), Some(1..2)]);
    }
}
