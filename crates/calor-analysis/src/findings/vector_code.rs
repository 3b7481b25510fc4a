//! What rules about vectors ask first: what the processor offers, and whether a function of the program is hot enough, in
//! loops, and computes in one way alone.

use super::{Facts, Finding, HotCode, Outcome};
use crate::{Class, Offered};

/// What has to be so of a function before its instructions are worth advice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// What it computes with.
    pub(super) class: Class,
    /// The part of the whole that it takes.
    pub(super) share: f64,
    /// Samples in it.
    pub(super) samples: u64,
    /// The part of these that is in loops, and in loops of that class.
    pub(super) pure: f64,
}

/// Findings on the functions that are as asked; not enough where it is not known what the processor offers.
pub(super) fn judge_functions(
    facts: &Facts<'_>,
    asked: Asked,
    finding: impl Fn(&HotCode, Offered) -> Option<Finding>,
) -> Outcome {
    let Some(offered) = facts.offered() else {
        return Outcome::NotEnough {
            missing: "what the processor can compute with".to_owned(),
            how: "calor record -- PROGRAM".to_owned(),
        };
    };
    let code = facts.hot_code();
    let asked_for = code.iter().filter(|code| asked.is_met(code));
    Outcome::of(asked_for.filter_map(|code| finding(code, offered)).collect())
}

impl Asked {
    fn is_met(&self, HotCode { site, verdict, .. }: &HotCode) -> bool {
        site.share.estimate >= self.share
            && site.samples >= self.samples
            && verdict.class == self.class
            && verdict.class_share >= self.pure
            && verdict.loop_share >= self.pure
            && !verdict.is_crypto()
    }
}
