//! What a program costs in events that the processor and the kernel count: instructions, cycles, misses; page faults,
//! switches, migrations; time and memory. The program is started here, runs undisturbed, and is read once at its end.
//!
//! **You get** a value, or the reason why there is none: a counter that this machine does not have is never 0. Where
//! the processor shows no counters, [`simulation`] counts with valgrind what it would have done.

mod absence;
mod catalogue;
mod event;
mod groups;
mod pmu;
mod reading;
mod run;
mod set;
pub mod simulation;
mod usage;

pub use absence::Absence;
pub use catalogue::{Counter, CounterSource, Unit, UnknownCounter};
pub use pmu::{Pmu, pmu};
pub use reading::Amount;
pub use run::{Counted, Counting};
pub use set::{ChoiceError, CounterSet};

pub use crate::process::Streams;
