//! Findings: why a program is slow, what to change, and what that would give.
//!
//! Each [`Rule`] looks at the [`Facts`] of a profile and comes to an [`Outcome`]: it found something, all is well, or it
//! cannot tell and says what would have to be recorded. [`judge`] asks all of them and chooses what is told: what gives
//! something for sure, at a place that somebody can change, causes before symptoms, few before many.
//!
//! A rule is a file in `rules/`, with its thresholds as constants and its tests beside it.

mod allocation;
mod array_operation;
mod calling_line;
mod causes;
mod choice;
mod device_work;
mod expression;
mod facts;
mod finding;
mod gain;
mod idle_time;
mod judge;
mod need;
mod place;
mod rule;
pub mod rules;
mod share;
mod subject;
mod suppression;
mod template;
mod user_rule;
mod vector_code;

pub(crate) use calling_line::with_calling_lines;
pub(crate) use choice::findings;
pub use choice::{Findings, LEAST_SHARE, MOST_SHOWN, NotEnough};
pub(crate) use facts::HotCode;
pub use facts::{
    Basis, CpuFacts, CpuSite, Facts, FunctionFacts, HeapFacts, HeapPlace, LineFacts, MachineFigures,
    Operation, Owner, Rates, ScopeFacts, WaitFacts, Whole,
};
pub use finding::{Evidence, Finding, Fix, Severity, Unit};
pub use gain::Gain;
pub use judge::{Circumstances, Judgement, judge};
pub use need::{FEWEST_SAMPLES, Need};
pub use place::Place;
pub use rule::{About, Outcome, Rule, Topic};
pub use share::Share;
pub use suppression::{Suppressed, SuppressedBy, Suppression};
pub use user_rule::{RuleDefinition, UserRule};

#[cfg(test)]
pub(crate) mod draft;
