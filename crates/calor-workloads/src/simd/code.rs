//! Which vectors a kernel's machine code has, found by taking it apart as it is in this program: what was asked of the compiler
//! and what came of it are two things.

use std::collections::HashMap;

use calor_analysis::SimdVerdict;

/// What was found of functions, by where they begin.
#[derive(Debug, Default)]
pub(crate) struct Code {
    found: HashMap<usize, Option<SimdVerdict>>,
}

impl Code {
    /// What the function at an address computes with; `None` where its code cannot be read, as of other processors.
    pub(crate) fn vectors(&mut self, address: usize) -> Option<&SimdVerdict> {
        self.found.entry(address).or_insert_with(|| look(address)).as_ref()
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn look(address: usize) -> Option<SimdVerdict> {
    let code = calor_record::own_code(address as u64)?;
    calor_analysis::vectors_of(code.start, &code.bytes)
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn look(_: usize) -> Option<SimdVerdict> {
    None
}
