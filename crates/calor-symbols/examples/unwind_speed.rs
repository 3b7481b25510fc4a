//! How long a stack takes to walk: 256 different stacks of this process, copied as the kernel copies them, walked
//! again and again. Prints nanoseconds a stack, with all rules still to be read and with all of them known.
//!
//! `cargo run --release -p calor-symbols --example unwind_speed`

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "registers are read by assembly"))]

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use calor_symbols::image::Image;
use calor_symbols::unwind::{End, Memory, ModuleId, Place, Registers, Space, Unwinder};

const STACK_BYTES: usize = 16_384;
const N_ROUNDS: usize = 4_000;

struct Sample {
    registers: Registers,
    stack: Vec<u8>,
}

/// Two functions that call each other by the bits of `path`, so that each path is a stack of its own.
#[inline(never)]
fn even(path: usize, depth: usize, samples: &mut Vec<Sample>) -> usize {
    step(path, depth, samples) + 1
}

#[inline(never)]
fn odd(path: usize, depth: usize, samples: &mut Vec<Sample>) -> usize {
    let held = std::hint::black_box([path; 9]);
    step(path, depth, samples) + held[depth]
}

#[inline(always)]
fn step(path: usize, depth: usize, samples: &mut Vec<Sample>) -> usize {
    match (depth, path & 1) {
        (0, _) => take(samples),
        (_, 0) => even(path >> 1, depth - 1, samples),
        _ => odd(path >> 1, depth - 1, samples),
    }
}

#[inline(never)]
fn take(samples: &mut Vec<Sample>) -> usize {
    #[cfg(target_arch = "x86_64")]
    let (ip, sp, bp): (u64, u64, u64);
    // SAFETY: only reads registers.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("lea {}, [rip]", "mov {}, rsp", "mov {}, rbp", out(reg) ip, out(reg) sp, out(reg) bp);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let (ip, sp, bp) = (0, 0, 0);
    let memory = File::open("/proc/self/mem").expect("this process can read its own memory");
    let mut stack = vec![0; STACK_BYTES];
    let n = memory.read_at(&mut stack, sp).expect("the stack is mapped");
    stack.truncate(n);
    samples.push(Sample { registers: Registers::new(ip, sp, bp), stack });
    samples.len()
}

struct Mappings {
    mappings: Vec<(u64, u64, u64, ModuleId)>,
    /// Where the last address was found. The next one is mostly there too, and a branch that is foreseen costs less
    /// than a search that the walk has to wait for.
    last: Cell<usize>,
}

impl Mappings {
    fn read(unwinder: &mut Unwinder) -> Self {
        let text =
            std::fs::read_to_string("/proc/self/maps").expect("this process can read its own mappings");
        let mut mappings = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [range, access, offset, _, _, name] = fields[..] else { continue };
            let (start, end) = range.split_once('-').expect("a range");
            let number = |text| u64::from_str_radix(text, 16).expect("a hexadecimal number");
            let (start, end, offset) = (number(start), number(end), number(offset));
            if access.contains('x')
                && let Ok(image) = Image::open(name, Path::new(name))
                && let Some(bias) = image.bias(start, end - start, offset)
            {
                mappings.push((start, end, bias, unwinder.add(Arc::new(image))));
            }
        }
        Self { mappings, last: Cell::new(0) }
    }
}

impl Space for Mappings {
    fn find(&self, address: u64) -> Option<Place> {
        let is_around = |&&(start, end, ..): &&(u64, u64, u64, ModuleId)| (start..end).contains(&address);
        let found = match self.mappings.get(self.last.get()).filter(is_around) {
            Some(mapping) => mapping,
            None => {
                let at = self.mappings.iter().position(|mapping| is_around(&mapping))?;
                self.last.set(at);
                self.mappings.get(at)?
            }
        };
        Some(Place { module: found.3, svma: address.wrapping_sub(found.2) })
    }
}

struct Copy<'a> {
    start: u64,
    bytes: &'a [u8],
}

impl Memory for Copy<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.wrapping_sub(self.start)).ok()?;
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }
}

fn walk(unwinder: &mut Unwinder, mappings: &Mappings, sample: &Sample, out: &mut Vec<u64>) {
    out.clear();
    let mut memory = Copy { start: sample.registers.sp(), bytes: &sample.stack };
    let end = unwinder.walk(mappings, &sample.registers, &mut memory, 512, out);
    assert_eq!(end, End::Root, "an ordinary stack is whole");
}

/// What this thread has used of a processor: other programs do not count.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts scheduling");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("the first field is a number")
}

fn main() {
    if !cfg!(target_arch = "x86_64") {
        println!("stacks of this architecture are not walked yet");
        return;
    }
    let mut samples = Vec::new();
    for path in 0..256 {
        std::hint::black_box(even(path, 8, &mut samples));
    }
    let (mut unwinder, mut out, mut n_frames) = (Unwinder::new(), Vec::new(), 0);
    let mappings = Mappings::read(&mut unwinder);
    let start = Instant::now();
    walk(&mut unwinder, &mappings, &samples[0], &mut out);
    println!("first stack: {} ns, {} frames", start.elapsed().as_nanos(), out.len());
    let start = cpu_nanos();
    for _ in 0..N_ROUNDS {
        for sample in &samples {
            walk(&mut unwinder, &mappings, sample, &mut out);
            n_frames += out.len();
        }
    }
    let n_stacks = N_ROUNDS * samples.len();
    let nanos = (cpu_nanos() - start) as f64 / n_stacks as f64;
    let frames = n_frames as f64 / n_stacks as f64;
    println!("{nanos:.0} ns a stack of {frames:.1} frames, {:.1} ns a frame", nanos / frames);
}
