//! What this machine can do.
//!
//! **You get** a [`Machine`]: how many floating-point operations a second its cores manage with numbers of each size and
//! vectors of each width, how many bytes a second each tier of its memory delivers, and how much the time of unchanged code
//! scatters. [`measure`] takes about half a second; [`known`] takes what was measured before from a [`Cache`], after one short
//! burst that shows it still holds.
//!
//! **You bring** the rule by which scatter becomes a smallest detectable change: this crate knows no statistics but a mean.
//!
//! A figure is the best of very many short takes: a machine is rarely idle, and a take that somebody disturbed is slow and does
//! not count. Each comes with what the parts of the measurement found, because the best may be missed where others never rest. What a processor does not have is `None` with a warning, never 0.
//! The kernels are written in assembly where the processor is known, so that they are the same in every build.

mod buffer;
mod burst;
mod cache;
mod clock;
mod error;
mod identity;
mod kernel;
mod machine;
mod measurement;
mod noise;
mod plan;
mod together;
mod wire;

pub use cache::{Cache, Origin, known};
pub use error::Error;
pub use identity::Processor;
pub use machine::{Machine, Noise, Peak, Peaks, Tier, Width};
pub use measurement::{SmallestDetectable, measure};
pub use wire::MachineFile;
