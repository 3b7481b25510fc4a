//! Why nothing is known of GPUs.

use std::path::PathBuf;

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
