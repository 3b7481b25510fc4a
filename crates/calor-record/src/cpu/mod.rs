//! Where threads run and wait: samples of their stacks, walked and added up by call path.

pub(crate) mod attribution;
pub(crate) mod copies;
pub(crate) mod counter_source;
mod event_weights;
pub(crate) mod events;
pub(crate) mod observer;
mod off_cpu;
mod probe;
mod stack_copy;
mod walked;

pub use probe::{Ability, probe};
