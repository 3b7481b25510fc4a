//! Watches a process, its own included, from outside: where its threads run and wait, with whole stacks.
//!
//! **You get** a [`calor_model::Profile`] of any program without changing it. **You bring** the permission to
//! watch, and the choice of what to do with the profile: this crate writes no files but its symbol cache.

#[cfg(not(target_os = "linux"))]
compile_error!("calor-record watches processes through Linux interfaces");

mod bpf;
mod call_paths;
pub mod counters;
mod cpu;
mod error;
mod heap;
mod machine;
mod own_code;
mod perf;
pub mod perf_data;
mod process;
mod python;
mod recording;
mod timers;

pub use cpu::{Ability, probe};
pub use error::RecordError;
pub use heap::{HeapPaths, HeapWay, OwnHeap, heap_ability};
pub use own_code::{OwnCode, own_code};
pub use perf::{Refusal, paranoia};
pub use process::{Interrupt, LaunchError};
pub use python::probe_instants;
pub use recording::{
    Ended, Options, OwnRecording, Progress, Recording, Source, Target, start_afresh_after_fork,
};
pub use timers::TimerError;
