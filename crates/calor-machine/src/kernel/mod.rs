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

    /// Has everything where it belongs before a burst: memory near, vectors awake.
    fn prepare(&mut self, pace: Pace) {
        self.run(pace.n_steps);
    }

    /// The takes of a burst, where the kernel has to say.
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// Whether a take can be quicker than it should be.
    fn is_lucky(&self) -> bool {
        false
    }
}

/// How a burst is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pace {
    /// Steps of a take.
    pub(crate) n_steps: u64,
    /// Takes of a burst.
    pub(crate) n_takes: u64,
    /// Bursts of a round.
    pub(crate) n_bursts: u64,
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
    from: From,
    /// Where it begins.
    first: usize,
    /// Bytes of a step.
    slice: usize,
    n_slices: usize,
    next: usize,
}

/// Where the bytes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    /// A cache, which holds them.
    Cache,
    /// Main memory: every cache is told to forget them first, so that none is found there.
    Flushed,
    /// Main memory, because they are more than caches hold. Some may be found there all the same.
    Beyond,
}

/// What the inner loops take at once: a multiple of every vector, eight of the widest.
pub(crate) const BLOCK: usize = 512;
/// Slices of main memory in a burst; at 40 GB/s a slice of 192 KiB takes 5 microseconds.
const COLD_TAKES: usize = 32;
/// Its bursts in a round: it is what others disturb most. One longer burst would not do, the first takes are the best.
const COLD_BURSTS: u64 = 3;
/// Takes of a burst over a cache that is passed over in slices, by its slices.
const LAPS: usize = 3;

/// Whether caches can be told to forget, which this has to be asked before [`From::Flushed`].
pub(crate) fn can_flush() -> bool {
    cfg!(target_arch = "x86_64")
}

impl Memory {
    /// A range of a buffer that has it, which begins at a line; at most `most` bytes in a step.
    pub(crate) fn new(
        buffer: &Arc<Mutex<Buffer>>,
        pass: Pass,
        from: From,
        range: Range<usize>,
        most: usize,
    ) -> Self {
        let n_slices = range.len().div_ceil(most).max(1);
        let slice = (range.len() / n_slices / (3 * BLOCK)).max(1) * 3 * BLOCK;
        Self { buffer: Arc::clone(buffer), pass, from, first: range.start, slice, n_slices, next: 0 }
    }

    fn step(&mut self, bytes: &mut [u8], n_times: u64) {
        let from = self.first + self.next * self.slice;
        let slice = &mut bytes[from..from + self.slice];
        #[cfg(target_arch = "x86_64")]
        match self.from {
            From::Cache => x86_memory::pass(self.pass, slice, n_times),
            From::Flushed | From::Beyond => x86_memory::pass_ahead(self.pass, slice, n_times),
        }
        #[cfg(not(target_arch = "x86_64"))]
        plain::pass(self.pass, slice, n_times);
        self.next = (self.next + 1) % self.n_slices;
    }

    /// Has every cache forget the next so many slices.
    fn flush(&mut self, n_slices: usize) {
        let buffer = Arc::clone(&self.buffer);
        let mut buffer = buffer.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = buffer.bytes();
        for at in 0..n_slices.min(self.n_slices) {
            let from = self.first + (self.next + at) % self.n_slices * self.slice;
            #[cfg(target_arch = "x86_64")]
            x86_memory::flush(&bytes[from..from + self.slice]);
            #[cfg(not(target_arch = "x86_64"))]
            let _ = &bytes[from..];
        }
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

    fn prepare(&mut self, pace: Pace) {
        match self.from {
            From::Cache if self.n_slices == 1 => self.run(pace.n_steps),
            From::Cache => self.run(self.n_slices as u64),
            From::Flushed => self.flush((pace.n_steps * pace.n_takes) as usize),
            From::Beyond => {}
        }
    }

    fn pace(&self) -> Option<Pace> {
        let (n_takes, n_bursts) = match self.from {
            From::Cache if self.n_slices == 1 => return None,
            From::Cache => (LAPS * self.n_slices, 1),
            From::Flushed | From::Beyond => (COLD_TAKES.min(self.n_slices), COLD_BURSTS),
        };
        Some(Pace { n_steps: 1, n_takes: n_takes as u64, n_bursts })
    }

    fn is_lucky(&self) -> bool {
        self.from == From::Beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_passed_over_in_slices_of_whole_blocks() {
        let memory = |bytes, most| {
            let buffer = Arc::new(Mutex::new(Buffer::new(bytes).expect("there is memory")));
            Memory::new(&buffer, Pass::Read, From::Cache, 0..bytes, most)
        };
        let small = memory(16 << 10, usize::MAX);
        assert_eq!((small.n_slices, small.work()), (1, f64::from(15 << 10)));
        let large = memory(8 << 20, 1 << 20);
        assert_eq!(large.n_slices, 8);
        assert!(large.work() <= f64::from(1 << 20) && large.work() > 1e6);
    }

    #[test]
    fn every_pass_goes_over_all_slices_and_leaves_numbers_alone() {
        for (pass, from) in [
            (Pass::Read, From::Cache),
            (Pass::Triad, From::Cache),
            (Pass::Read, From::Flushed),
            (Pass::Triad, From::Beyond),
        ] {
            let buffer = Arc::new(Mutex::new(Buffer::new(1 << 20).expect("there is memory")));
            let mut memory = Memory::new(&buffer, pass, from, 0..1 << 20, 64 << 10);
            memory.prepare(Pace { n_steps: 1, n_takes: 40, n_bursts: 1 });
            memory.next = 0;
            memory.run(33);
            assert_eq!(memory.next, 33 % 16);
            let mut buffer = buffer.lock().expect("nobody panicked");
            assert!(buffer.bytes().iter().all(|byte| *byte == 0), "0 + s * 0 is 0");
        }
    }

    #[test]
    fn the_pace_of_memory_is_its_slices_where_it_has_several() {
        let buffer = Arc::new(Mutex::new(Buffer::new(1 << 20).expect("there is memory")));
        let pace = |from, most| Memory::new(&buffer, Pass::Read, from, 0..1 << 20, most).pace();
        assert_eq!(pace(From::Cache, 1 << 20), None);
        assert_eq!(pace(From::Cache, 256 << 10), Some(Pace { n_steps: 1, n_takes: 12, n_bursts: 1 }));
        assert_eq!(
            pace(From::Flushed, 256 << 10),
            Some(Pace { n_steps: 1, n_takes: 4, n_bursts: COLD_BURSTS })
        );
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
