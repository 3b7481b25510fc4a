//! What runs on GPUs for this process: each kernel and each copy with how long it took and what launched it.
//!
//! NVIDIA's driver tells it through CUPTI, a library that programs which use CUDA have loaded, or have beside them. It is opened
//! by name and nothing of it is linked, so there is no need of it to build or to run anything else. Two things are asked for:
//! a record of each kernel, copy and filling of memory when it is done (`activity`), and a call whenever the program is
//! about to launch one (`session`), at which whoever launched it is asked where it is. Both tell the number of the launch,
//! by which they are joined (`launches`), and what is joined is added up at once (`sums`): memory follows the number
//! of different kernels and places, and not how long the program runs.

mod activity;
mod device;
mod driver;
mod launches;
mod library;
mod session;
mod subscription;
mod sums;

use std::path::PathBuf;

pub use activity::{Activity, Copy, Kernel, Way};
pub use device::{Device, devices};
pub use launches::Place;
pub use session::{end_news, forget, is_on, news, probe, refused, reset, start, stop, sums};
pub use subscription::COPIES_BETWEEN;
pub use sums::{CopyRow, Sums};

/// What whoever records gives.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Asked at each launch, on the thread that makes it: it must be quick and neither panic nor use CUDA.
    pub place: fn() -> Place,
    /// Runs what takes records in, on whichever thread they are handed over: what that allocates is none of the program's.
    pub around: fn(&mut dyn FnMut()),
}

/// Why nothing is known of GPUs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no driver, and so no GPU that anything could run on.
    #[error("NVIDIA's driver is not there: its library libcuda.so.1 cannot be opened or does not answer")]
    NoDriver,
    /// There is no such library.
    #[error(
        "CUPTI is not there, which tells what runs on a GPU: install NVIDIA's package nvidia-cuda-cupti of the version of CUDA, or name \
         its folder in CALOR_CUPTI"
    )]
    NoLibrary,
    /// It could not be opened, or lacks something.
    #[error("{} does not fit: {why}", path.display())]
    Library {
        /// Which.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It is of a version that nobody has looked at.
    #[error("CUPTI is of version {0}, and those of CUDA 11 to 13 are known")]
    Version(u32),
    /// Another tool has it.
    #[error(
        "another profiler has CUPTI, which serves one at a time: torch.profiler, which keeps it from its first use until the process ends, or \
         Nsight, under which the program runs"
    )]
    Taken,
    /// The system does not allow it.
    #[error(
        "the driver does not allow it without privileges: the administrator allows it by NVreg_RestrictProfilingToAdminUsers=0 of the \
         module nvidia"
    )]
    NotAllowed,
    /// CUDA does not work here.
    #[error(
        "this process was forked off one that recorded a GPU or tried to, and CUDA does not work in such: start it anew (spawn)"
    )]
    Forked,
    /// It refused for another reason.
    #[error("CUPTI refuses {what} (its error {code})")]
    Refused {
        /// What was asked for.
        what: &'static str,
        /// The number of the error.
        code: u32,
    },
}
