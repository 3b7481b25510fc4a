//! Damaged files: whatever the bytes are, there is an answer and no panic.

use std::path::Path;
use std::sync::Arc;

use calor_symbols::ShortcomingKind;
use calor_symbols::image::Image;
use object::{Object, ObjectSection};

use crate::programs::{Workshop, functions, symbolizer};

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// A panic inside is caught and told as debug information that could not be understood: here it is a failure.
#[track_caller]
fn check(path: &Path, bytes: &[u8], addresses: &[u64], what: &str) {
    std::fs::write(path, bytes).unwrap();
    let Ok(image) = Image::open("damaged", path) else { return };
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&Arc::new(image), addresses);
    assert_eq!(found.len(), addresses.len());
    for told in symbolizer.shortcomings() {
        let is_caught = told.kind == ShortcomingKind::Unreadable && told.what.contains("understood");
        assert!(!is_caught, "a panic was caught: {what}");
    }
}

/// The parts of the file that are read here, so that damage is not spent on code.
fn parts(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let file = object::File::parse(bytes).unwrap();
    let mut parts: Vec<_> = file
        .sections()
        .filter(|section| {
            let name = section.name().unwrap_or_default();
            name.starts_with(".debug") || [".symtab", ".strtab", ".dynsym"].contains(&name)
        })
        .filter_map(|section| section.file_range())
        .map(|(offset, size)| offset as usize..(offset + size) as usize)
        .collect();
    let section_headers = bytes.len().saturating_sub(40 * 64)..bytes.len();
    parts.extend([0..64, section_headers]);
    parts
}

#[track_caller]
fn damage(options: &[&str], n_rounds: usize) {
    let workshop = Workshop::new();
    let chain = workshop.chain(options);
    let addresses = functions(&chain);
    let whole = std::fs::read(&chain).unwrap();
    let parts = parts(&whole);
    let damaged = workshop.path("damaged");
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    for round in 0..n_rounds {
        let mut bytes = whole.clone();
        let n_places = 1 + numbers.below(6);
        let mut places = Vec::new();
        for _ in 0..n_places {
            let part = parts[numbers.below(parts.len())].clone();
            let place = part.start + numbers.below(part.len());
            let value = match numbers.below(4) {
                0 => 0,
                1 => 0xff,
                2 => bytes[place] ^ (1 << numbers.below(8)),
                _ => numbers.below(256) as u8,
            };
            bytes[place] = value;
            places.push((place, value));
        }
        check(&damaged, &bytes, &addresses, &format!("round {round} {places:?}"));
    }
}

#[test]
fn flipped_bytes_of_dwarf_5_do_not_panic() {
    damage(&["-g", "-gdwarf-5"], 1_500);
}

#[test]
fn flipped_bytes_of_dwarf_4_do_not_panic() {
    damage(&["-g", "-gdwarf-4"], 1_000);
}

#[test]
fn flipped_bytes_of_compressed_sections_do_not_panic() {
    damage(&["-g", "-gz=zlib"], 300);
}

#[test]
fn flipped_bytes_of_split_units_do_not_panic() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g", "-gsplit-dwarf"]);
    let addresses = functions(&chain);
    let part = std::fs::read_dir(workshop.path("")).unwrap().flatten().map(|entry| entry.path());
    let part = part.into_iter().find(|path| path.extension().is_some_and(|it| it == "dwo")).unwrap();
    let whole = std::fs::read(&part).unwrap();
    let program = std::fs::read(&chain).unwrap();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for round in 0..500 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            let place = numbers.below(bytes.len());
            bytes[place] = numbers.below(256) as u8;
        }
        std::fs::write(&part, &bytes).unwrap();
        check(&workshop.path("again"), &program, &addresses, &format!("round {round}"));
    }
}

#[test]
fn a_file_cut_anywhere_does_not_panic() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g"]);
    let addresses = functions(&chain);
    let whole = std::fs::read(&chain).unwrap();
    for length in (0..whole.len()).step_by(61) {
        check(&workshop.path("cut"), &whole[..length], &addresses, &format!("cut at {length}"));
    }
}

#[test]
fn entries_nested_without_end_do_not_overflow_the_stack() {
    // A function with a million blocks, each inside the one before: one byte each.
    let workshop = Workshop::new();
    let source = nested(1_000_000);
    std::fs::write(workshop.path("nested.s"), source).unwrap();
    workshop.run("cc", &["-nostdlib", "-Wl,-e,code", "-o", "nested", "nested.s"]);
    let path = workshop.path("nested");
    let addresses = functions(&path);
    let found = symbolizer().resolve(&crate::programs::open(&path), &addresses);
    assert_eq!(&*found[0][0].name, "code");
}

/// Assembly with hand-written DWARF: a unit, a function, and inlined calls nested in each other.
fn nested(n_levels: usize) -> String {
    let mut source = String::from(
        ".text\n.globl code\n.type code,@function\ncode: .zero 16, 0x90\n.size code, 16\n\
         .section .debug_abbrev,\"\",@progbits\n\
         .byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n\
         .byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 7, 0, 0\n\
         .byte 3, 0x1d, 1, 0x11, 1, 0x12, 7, 0, 0\n.byte 0\n\
         .section .debug_info,\"\",@progbits\n\
         .long end - begin\nbegin: .value 4\n.long 0\n.byte 8\n\
         .byte 1\n.quad code\n.quad 16\n.byte 2\n.asciz \"code\"\n.quad code\n.quad 16\n",
    );
    source.push_str(&format!(".rept {n_levels}\n.byte 3\n.quad code\n.quad 16\n.endr\n"));
    source.push_str("end:\n");
    source
}
