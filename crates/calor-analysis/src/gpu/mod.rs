//! What GPUs did for a program: how long, by the scope that had them do it, and kernel by kernel.

mod sums;
mod times;

pub use sums::{CopySum, GpuSums, KernelSum};
pub use times::GpuTimes;
