//! Files and stacks that are not what they should be: whatever they hold, a walk ends and nothing panics.

use std::sync::Arc;

use calor_symbols::image::Image;
use calor_symbols::unwind::{End, Memory, ModuleId, Place, Registers, Space, Unwinder};
use proptest::prelude::*;

use crate::compiler::build;

/// One module at the address it says, in a process that has nothing else.
struct Alone(ModuleId);

impl Space for Alone {
    fn find(&self, address: u64) -> Option<Place> {
        Some(Place { module: self.0, svma: address })
    }
}

/// Memory in which every word is a number that follows from its address, often one that points somewhere.
struct Scrambled {
    seed: u64,
    targets: std::ops::Range<u64>,
    stack: u64,
}

impl Memory for Scrambled {
    fn word(&mut self, address: u64) -> Option<u64> {
        let mixed = (address ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match mixed >> 60 {
            0 => None,
            1..9 => Some(self.targets.start + mixed % (self.targets.end - self.targets.start)),
            9..13 => Some(self.stack.wrapping_add(mixed >> 50 & 0xFFF8)),
            _ => Some(mixed),
        }
    }
}

const LIMIT: usize = 64;

/// Walks from every hundredth address of the code. The walk must end, within its limit.
fn walk_everywhere(image: Image, seed: u64) -> usize {
    let Some(code) = image.segments().iter().copied().find(|segment| segment.is_executable) else { return 0 };
    let (start, end) = (code.address, code.address.saturating_add(code.size.clamp(1, 1 << 20)));
    let mut unwinder = Unwinder::new();
    let space = Alone(unwinder.add(Arc::new(image)));
    let mut out = Vec::new();
    let mut n_frames = 0;
    for ip in (start..end).step_by(97) {
        let stack = 0x7FFF_0000_0000 + seed % 4_096;
        let mut registers = Registers::new(ip, stack, stack + 64);
        for number in [3, 10, 12, 13, 14, 15] {
            registers.set(number, stack + u64::from(number) * 8);
        }
        let mut memory = Scrambled { seed, targets: start..end, stack };
        out.clear();
        let end = unwinder.walk(&space, &registers, &mut memory, LIMIT, &mut out);
        assert!(out.len() <= LIMIT && !out.is_empty());
        assert!(end != End::Limit || out.len() == LIMIT, "{end:?} after {} frames", out.len());
        n_frames += out.len();
    }
    n_frames
}

fn program() -> Vec<u8> {
    let program = build(&["realign.c"], &["-O2", "-Wl,-z,lazy"]);
    std::fs::read(&program.path).expect("the program can be read")
}

/// Where a section's bytes are in the file.
fn section(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    let image = Image::from_bytes("program", bytes.to_vec()).expect("it is a whole file");
    image.section_range(name).expect("the compiler writes it").1
}

#[test]
fn a_damaged_byte_of_the_unwind_tables_never_panics() {
    let whole = program();
    let image = Image::from_bytes("program", whole.clone()).expect("it is a whole file");
    assert!(walk_everywhere(image, 1) > 20, "what is not damaged can be walked");
    for name in [".eh_frame", ".eh_frame_hdr"] {
        for at in section(&whole, name) {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, whole[at] ^ 0x40, whole[at].wrapping_add(1)] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(image) = Image::from_bytes("program", bytes) {
                    walk_everywhere(image, at as u64);
                }
            }
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_never_panics() {
    let whole = program();
    for length in (0..whole.len()).step_by(61) {
        if let Ok(image) = Image::from_bytes("program", whole[..length].to_vec()) {
            walk_everywhere(image, length as u64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn unwind_tables_of_any_bytes_never_panic(
        tables in prop::collection::vec(any::<u8>(), 1..400),
        offset in 0usize..256,
        seed in any::<u64>(),
    ) {
        let mut bytes = WHOLE.clone();
        let range = section(&bytes, ".eh_frame");
        let start = (range.start + offset).min(range.end - 1);
        let end = (start + tables.len()).min(range.end);
        bytes[start..end].copy_from_slice(&tables[..end - start]);
        if let Ok(image) = Image::from_bytes("program", bytes) {
            walk_everywhere(image, seed);
        }
    }

    #[test]
    fn headers_of_any_bytes_never_panic(
        changes in prop::collection::vec((0usize..1_024, any::<u8>()), 1..12),
        seed in any::<u64>(),
    ) {
        let mut bytes = WHOLE.clone();
        for (at, value) in changes {
            bytes[at] = value;
        }
        if let Ok(image) = Image::from_bytes("program", bytes) {
            walk_everywhere(image, seed);
        }
    }
}

static WHOLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(program);
