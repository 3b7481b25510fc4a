//! Functions of the program with what the machine does in their hottest loop. What the compiler put into a function from
//! others, of the language's library among them, is that function's code.

use calor_model::{Frame, FrameKind, StackId};

use super::{CpuSite, Facts, Owner};
use crate::code::LoopShape;
use crate::{SimdVerdict, Verdicts};

/// Less code than this of the whole is not looked at.
const LEAST_SHARE: f64 = 0.05;

/// The code of one function of the program.
#[derive(Clone, Debug)]
pub(crate) struct HotCode {
    /// The function and its samples, those of functions that were not inlined left out.
    pub(crate) site: CpuSite,
    /// What it computes with.
    pub(crate) verdict: SimdVerdict,
    /// What its hottest loop does with its data; `None` where its samples are in no loop.
    pub(crate) shape: Option<LoopShape>,
}

impl Facts<'_> {
    /// Functions of the program whose code was kept, the one with the most samples first.
    pub(crate) fn hot_code(&self) -> Vec<HotCode> {
        let sites = self.cpu_sites(|stack| self.is_code_of_program(stack));
        let heavy = sites.into_iter().filter(|site| site.share.estimate >= LEAST_SHARE);
        let verdicts = self.verdicts();
        heavy.filter_map(|site| self.code_of(verdicts, site)).collect()
    }

    fn code_of(&self, verdicts: &Verdicts, site: CpuSite) -> Option<HotCode> {
        let profile = self.profile();
        let verdict = verdicts.of_stacks(profile, &site.stacks)?;
        let owner = self.compiled_into(*site.stacks.first()?);
        let shape = verdict.hottest_loop.clone().and_then(|hottest| {
            let pieces = profile.code.iter().filter(|(key, code)| {
                let holds = hottest.start >= key.start && hottest.start < key.start + code.size.max(1);
                holds && (key.name, key.module) == (owner.name, owner.module)
            });
            let (key, code) = pieces.max_by_key(|(_, code)| code.n_samples())?;
            LoopShape::of(key, code)
        });
        Some(HotCode { site, verdict, shape })
    }

    /// Whether a path ends in code of a function of the program, inlined functions of others included.
    fn is_code_of_program(&self, stack: StackId) -> bool {
        let mut at = Some(stack);
        while let Some(here) = at {
            let row = self.profile().stacks.get(here);
            let frame = self.profile().frames.get(row.frame);
            if frame.kind != FrameKind::Native {
                return false;
            }
            if self.owner(here) == Owner::Program {
                return true;
            }
            at = row.parent.filter(|_| frame.is_inlined);
        }
        false
    }

    /// The function that a path's innermost function was compiled into.
    pub(crate) fn compiled_into(&self, stack: StackId) -> Frame {
        let profile = self.profile();
        let mut row = profile.stacks.get(stack);
        let mut frame = profile.frames.get(row.frame);
        while let Some(parent) = row.parent.filter(|_| frame.is_inlined) {
            row = profile.stacks.get(parent);
            frame = profile.frames.get(row.frame);
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn code_that_was_inlined_is_of_the_function_that_it_was_put_into() {
        // addsd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
        let code = [0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];
        let sum = ["app::main@src/main.rs:3", "app::sum@src/sum.rs:7"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&sum, 300)
            .cpu(&[sum[0], sum[1], "sin!libm.so.6"], 700)
            .code("app::sum", &code, &[(0, 200), (5, 100)])
            .profile();
        let facts = Facts::new(&profile, None);
        let [found] = &facts.hot_code()[..] else { panic!("one function") };
        assert_eq!((found.site.samples, found.verdict.n_samples), (300, 300));
        assert_eq!(
            found.shape.as_ref().map(|shape| (shape.is_reduction, shape.loads.len())),
            Some((true, 1))
        );
    }
}
