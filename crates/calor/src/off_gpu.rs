//! Recording of GPUs that is compiled out, or not there on this system: the same names, and a start that says why not.

use std::path::PathBuf;

/// Why nothing is known of GPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GpuError {
    /// Calor, or its recording of GPUs, is compiled out, or this system is not one that it works on.
    CompiledOut,
}

impl std::fmt::Display for GpuError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "recording of GPUs is compiled out of this program, or not there on this system: build it with calor's feature `gpu`, on \
             Linux on x86-64",
        )
    }
}

impl std::error::Error for GpuError {}

/// Says that there is none.
///
/// # Errors
/// Always.
pub fn start() -> Result<(), GpuError> {
    start_in(&[])
}

/// Says that there is none.
///
/// # Errors
/// Always.
pub fn start_in(_folders: &[PathBuf]) -> Result<(), GpuError> {
    Err(GpuError::CompiledOut)
}

/// Nothing.
pub fn stop() {}

/// Always `false`.
#[must_use]
pub fn is_on() -> bool {
    false
}

#[cfg(feature = "record")]
mod hooks {
    use calor_model::Profile;

    pub(crate) fn add_to(_profile: &mut Profile) {}
    pub(crate) fn add_news_to(_part: &mut Profile) {}
    pub(crate) fn end_news() {}
    pub(crate) fn reset() {}
    pub(crate) fn forget() {}
}

#[cfg(feature = "record")]
pub(crate) use hooks::{add_news_to, add_to, end_news, forget, reset};
