//! What call paths did, with the names of their functions, told once or part by part.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) use calor_record::OwnHeap as Naming;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) use super::addresses::Naming;
