//! What is timed: arithmetic that needs no memory, and memory that needs no arithmetic. A kernel does so many equal steps and
//! says how much work a step is.

mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_memory;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Width;
use crate::buffer::Buffer;

/// Something to time.
pub(crate) trait Kernel: Send {
    /// Does so many steps.
    fn run(&mut self, n_steps: u64);

    /// The work of a step: floating-point operations, or bytes.
    fn work(&self) -> f64;

    /// Whether a burst can be quicker than it should be.
    fn is_lucky(&self) -> bool {
        false
    }
}

/// A size of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    F32,
    F64,
}

/// Multiplications and additions in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    run: fn(u64),
    flops: f64,
}

impl Arithmetic {
    /// With vectors of this width; `None` where the processor has none.
    pub(crate) fn new(number: Number, width: Width) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let (run, flops) = x86::arithmetic(number, width)?;
        #[cfg(not(target_arch = "x86_64"))]
        let (run, flops) = plain::arithmetic(number, width)?;
        Some(Self { run, flops })
    }
}

impl Kernel for Arithmetic {
    fn run(&mut self, n_steps: u64) {
        (self.run)(n_steps);
    }

    fn work(&self) -> f64 {
        self.flops
    }
}

/// How memory is passed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// Everything is read.
    Read,
    /// Of three equal parts the first becomes the sum of the second and a multiple of the third: STREAM's triad.
    Triad,
}

/// Memory that is passed over again and again, a slice a step.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Kernels share it, since they take turns and making it takes longer than passing over it.
    buffer: Arc<Mutex<Buffer>>,
    pass: Pass,
    /// Where it begins.
    first: usize,
    /// Bytes of a step.
    slice: usize,
    n_slices: usize,
    next: usize,
}

/// What the inner loops take at once: a multiple of every vector, eight of the widest.
pub(crate) const BLOCK: usize = 512;

impl Memory {
    /// A range of a buffer that has it, which begins at a line; at most `most` bytes in a step.
    pub(crate) fn new(buffer: &Arc<Mutex<Buffer>>, pass: Pass, range: Range<usize>, most: usize) -> Self {
        let n_slices = range.len().div_ceil(most).max(1);
        let slice = (range.len() / n_slices / (3 * BLOCK)).max(1) * 3 * BLOCK;
        Self { buffer: Arc::clone(buffer), pass, first: range.start, slice, n_slices, next: 0 }
    }

    fn step(&mut self, bytes: &mut [u8], n_times: u64) {
        let from = self.first + self.next * self.slice;
        let slice = &mut bytes[from..from + self.slice];
        #[cfg(target_arch = "x86_64")]
        x86_memory::pass(self.pass, slice, n_times);
        #[cfg(not(target_arch = "x86_64"))]
        plain::pass(self.pass, slice, n_times);
        self.next = (self.next + 1) % self.n_slices;
    }
}

impl Kernel for Memory {
    fn run(&mut self, n_steps: u64) {
        let buffer = Arc::clone(&self.buffer);
        // Zeros are zeros, whatever happened to the thread that had it before.
        let mut buffer = buffer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.n_slices == 1 {
            self.step(buffer.bytes(), n_steps);
        } else {
            (0..n_steps).for_each(|_| self.step(buffer.bytes(), 1));
        }
    }

    fn work(&self) -> f64 {
        self.slice as f64
    }

    fn is_lucky(&self) -> bool {
        self.n_slices > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_passed_over_in_slices_of_whole_blocks() {
        let memory = |bytes, most| {
            let buffer = Arc::new(Mutex::new(Buffer::new(bytes).expect("there is memory")));
            Memory::new(&buffer, Pass::Read, 0..bytes, most)
        };
        let small = memory(16 << 10, usize::MAX);
        assert_eq!((small.n_slices, small.work()), (1, f64::from(15 << 10)));
        let large = memory(8 << 20, 1 << 20);
        assert_eq!(large.n_slices, 8);
        assert!(large.work() <= f64::from(1 << 20) && large.work() > 1e6);
    }

    #[test]
    fn every_pass_goes_over_all_slices_and_leaves_numbers_alone() {
        for pass in [Pass::Read, Pass::Triad] {
            let buffer = Arc::new(Mutex::new(Buffer::new(1 << 20).expect("there is memory")));
            let mut memory = Memory::new(&buffer, pass, 0..1 << 20, 64 << 10);
            memory.run(33);
            assert_eq!(memory.next, 33 % 16);
            let mut buffer = buffer.lock().expect("nobody panicked");
            assert!(buffer.bytes().iter().all(|byte| *byte == 0), "0 + s * 0 is 0");
        }
    }

    #[test]
    fn arithmetic_of_every_width_runs_or_is_refused() {
        for number in [Number::F32, Number::F64] {
            let scalar = Arithmetic::new(number, Width::Scalar).expect("every processor has it");
            for width in Width::ALL {
                if let Some(mut kernel) = Arithmetic::new(number, width) {
                    kernel.run(3);
                    assert!(kernel.work() >= scalar.work(), "{number:?} {width:?}");
                }
            }
        }
    }
}
