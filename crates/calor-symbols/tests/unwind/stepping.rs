//! Programs stepped through from their first instruction to their last, so that every instruction of every prologue,
//! epilogue, linkage table and signal handler is the innermost frame once. Each stack is compared with the truth.

use std::collections::BTreeMap;

use calor_symbols::unwind::{End, Registers, Space, Unwinder};

use crate::compiler::{Program, build, build_with_library};
use crate::process::{Copy, Mappings};
use crate::shadow_stack::ShadowStack;
use crate::tracee::{Stop, Tracee};

/// Programs in this folder are small: most of what they run is the C library's start and end.
const MAX_STEPS: usize = 2_000_000;

/// The instructions of `_init`, `_fini` and `register_tm_clones` that have moved the stack pointer.
const MAX_SHORT: usize = 32;

/// Steps through the program and compares all stacks; it has to end with status 0 and to have been `deepest` frames
/// deep at least. The C library's start has a few instructions that say nothing about their caller: there a stack may
/// end early, but what it has must be right.
#[track_caller]
fn check(program: &Program, deepest: usize) {
    let tracee = Tracee::start(&program.path);
    let (mut unwinder, mut mappings) = (Unwinder::new(), Mappings::new());
    let mut memory = Copy::of(tracee.id());
    let mut shadow = ShadowStack::default();
    let mut registers = tracee.registers();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    let mut short: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_steps, mut n_wrong, mut depth) = (0, 0, 0);
    let mut out = Vec::new();
    let mut signal = 0;
    loop {
        let expected = shadow.addresses(registers.ip());
        depth = depth.max(expected.len());
        let mut walk = |mappings: &Mappings, unwinder: &mut Unwinder, memory: &mut Copy| {
            out.clear();
            let end = unwinder.walk(mappings, &registers, memory, 512, &mut out);
            (end == End::Root && out == expected).then_some(()).ok_or(end)
        };
        memory.take(registers.sp(), 4_096);
        // The loader maps libraries as it goes.
        if expected.iter().any(|&address| mappings.find(address).is_none()) {
            mappings.refresh(tracee.id(), &mut unwinder);
        }
        let result = walk(&mappings, &mut unwinder, &mut memory);
        if matches!(result, Err(End::NoRule { .. })) && expected.starts_with(&out) {
            *short.entry(mappings.describe(out[out.len() - 1])).or_insert(0) += 1;
        } else if let Err(end) = result {
            n_wrong += 1;
            let words = |addresses: &[u64]| {
                addresses.iter().map(|&address| mappings.describe(address)).collect::<Vec<_>>().join(" < ")
            };
            let text = format!("  found    {}, {end:?}\n  expected {}", words(&out), words(&expected));
            wrong.entry(mappings.describe(registers.ip())).or_insert(text);
        }
        let stop = tracee.step(signal);
        n_steps += 1;
        assert!(n_steps < MAX_STEPS, "the program does not end");
        match stop {
            Stop::Exited(status) => {
                assert_eq!(status, 0, "the program failed");
                break;
            }
            Stop::Signal(number) => signal = number,
            Stop::Stepped => {
                let after: Registers = tracee.registers();
                memory.take(after.sp(), 8);
                let word = calor_symbols::unwind::Memory::word(&mut memory, after.sp()).unwrap_or(0);
                match signal {
                    0 => shadow.step(&registers, &after, word),
                    _ => shadow.signal(&registers, &after, word),
                }
                (registers, signal) = (after, 0);
            }
        }
    }
    let n_short: usize = short.values().sum();
    println!("{n_steps} steps, {depth} frames at most, {n_wrong} wrong, {n_short} short");
    let shown: Vec<String> = wrong.iter().take(12).map(|(at, text)| format!("at {at}\n{text}")).collect();
    assert!(wrong.is_empty(), "{n_wrong} of {n_steps} stacks are wrong:\n{}", shown.join("\n"));
    assert!(
        n_short <= MAX_SHORT,
        "{n_short} of {n_steps} stacks are not whole, last address and how often: {short:?}"
    );
    assert!(depth >= deepest, "the program was to be {deepest} frames deep and was {depth}");
}

#[test]
fn code_without_frame_pointers_is_whole_at_every_instruction() {
    check(&build(&["calls.c"], &["-O2", "-fomit-frame-pointer", "-static"]), 36);
}

#[test]
fn code_with_frame_pointers_is_whole_at_every_instruction() {
    check(&build(&["calls.c"], &["-O1", "-fno-omit-frame-pointer", "-static"]), 36);
}

#[test]
fn code_that_is_not_optimised_is_whole_at_every_instruction() {
    check(&build(&["calls.c"], &["-O0", "-static"]), 36);
}

#[test]
fn a_file_without_section_headers_is_whole_at_every_instruction() {
    let program = build(&["calls.c"], &["-O2", "-static", "-s", "-Wl,--eh-frame-hdr"]);
    let mut bytes = std::fs::read(&program.path).expect("the program can be read");
    // e_shoff, e_shnum and e_shstrndx: a file without them still runs.
    bytes[40..48].fill(0);
    bytes[60..64].fill(0);
    std::fs::write(&program.path, bytes).expect("the program can be written");
    check(&program, 36);
}

#[test]
fn rules_in_debug_information_alone_are_found() {
    let flags = ["-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-static"];
    check(&build(&["calls.c"], &flags), 36);
}

#[test]
fn a_dynamic_program_is_whole_at_every_instruction() {
    check(&build(&["calls.c"], &["-O2"]), 36);
}

#[test]
fn realigned_stacks_are_whole_at_every_instruction() {
    check(&build(&["realign.c"], &["-O2", "-static"]), 10);
}

#[test]
fn realigned_stacks_with_vectors_are_whole_at_every_instruction() {
    let flag = if is_x86_feature_detected!("avx512f") {
        "-mavx512f"
    } else if is_x86_feature_detected!("avx2") {
        "-mavx2"
    } else {
        "-msse2"
    };
    check(&build(&["realign.c"], &["-O3", flag, "-static"]), 10);
}

#[test]
fn signal_handlers_on_stacks_of_their_own_are_whole_at_every_instruction() {
    check(&build(&["signals.c"], &["-O2", "-static"]), 14);
}

#[test]
fn a_signal_return_without_rules_is_recognised() {
    check(&build(&["bare_signal.c"], &["-O2", "-static", "-nostdlib", "-fno-stack-protector"]), 6);
}

#[test]
fn linkage_tables_and_lazy_binding_are_whole_at_every_instruction() {
    check(&build_with_library("linked.c", "callee.c", &["-O2"]), 6);
}

#[test]
fn assembly_without_rules_is_followed_where_it_can_be_checked() {
    check(&build(&["assembly.c", "assembly.s"], &["-O2", "-static"]), 8);
}

#[test]
fn cpp_with_virtual_calls_and_templates_is_whole_at_every_instruction() {
    check(&build(&["objects.cpp"], &["-O2", "-static"]), 8);
}
