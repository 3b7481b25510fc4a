//! The loop of a function in which another is called: what a call costs beside the called function's own instructions is
//! spent there, and a loop of few instructions does little but call.

use calor_model::{CodeKey, FunctionCode};
use iced_x86::FlowControl;

use super::{Blocks, Decoded, Loops};

/// A loop that calls a function by its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CallLoop {
    /// Its instructions.
    pub(crate) n_instructions: usize,
    /// Samples at them.
    pub(crate) n_samples: u64,
}

impl CallLoop {
    /// The innermost loops of a function that call what begins at an address, the one with the most samples; `None` where
    /// it is called in no loop, or only through pointers.
    pub(crate) fn of(key: CodeKey, code: &FunctionCode, target: u64) -> Option<Self> {
        let decoded = Decoded::new(key.start, code);
        let blocks = Blocks::new(&decoded);
        let loops = Loops::of(&blocks);
        let is_call = |index: &usize| {
            let instruction = &decoded.instructions[*index];
            instruction.flow_control() == FlowControl::Call && instruction.near_branch_target() == target
        };
        let calls = (0..decoded.instructions.len()).filter(is_call);
        let around = calls.filter_map(|index| loops.innermost.get(blocks.of(index)).copied().flatten());
        around
            .map(|id| {
                let ranges = loops.all[id].blocks.iter().filter_map(|block| blocks.ranges.get(*block));
                ranges.fold(Self::default(), |sum, range| Self {
                    n_instructions: sum.n_instructions + range.len(),
                    n_samples: sum.n_samples + decoded.counts[range.clone()].iter().sum::<u64>(),
                })
            })
            .max_by_key(|found| found.n_samples)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use calor_model::{Profile, StringTable};

    use super::*;

    /// At 0x1000: call 0x2000; dec rbx; jne to the first; call 0x3000; ret
    const CODE: [u8; 16] =
        [0xe8, 0xfb, 0x0f, 0x00, 0x00, 0x48, 0xff, 0xcb, 0x75, 0xf6, 0xe8, 0xf1, 0x1f, 0x00, 0x00, 0xc3];

    fn found(target: u64) -> Option<CallLoop> {
        let mut strings: StringTable = Profile::default().strings;
        let name = strings.intern("app::main");
        let key = CodeKey { name, module: None, build: name, start: 0x1000 };
        let counts = BTreeMap::from([(0, 5), (5, 30), (10, 7)]);
        let code = FunctionCode { size: 16, bytes: CODE.to_vec(), lines: Vec::new(), counts };
        CallLoop::of(key, &code, target)
    }

    #[test]
    fn a_call_in_a_loop_is_found_with_the_loops_samples() {
        assert_eq!(found(0x2000), Some(CallLoop { n_instructions: 3, n_samples: 35 }));
    }

    #[test]
    fn calls_outside_of_loops_and_of_others_are_not() {
        assert_eq!(found(0x3000), None);
        assert_eq!(found(0x4000), None);
    }
}
