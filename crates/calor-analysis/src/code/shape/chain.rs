//! Whether a round of a loop needs what the one before computed, in vector registers: if it only adds to it, or keeps the
//! larger, the order does not matter but for rounding, and vectors can hold several sums. If it does several things to it,
//! or stores it each time, they cannot.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};

const ADDED: u8 = 1;
const MULTIPLIED: u8 = 2;
const CHOSEN: u8 = 4;
const OTHERWISE: u8 = 8;

/// What a register holds: the registers at the start of the round that it is made of, and what was done to each since.
type Origins = BTreeMap<Register, u8>;

/// Whether there is a reduction, and whether there is a recurrence.
pub(super) fn of(round: &[&Instruction], factory: &mut InstructionInfoFactory) -> (bool, bool) {
    let mut held: BTreeMap<Register, Origins> = BTreeMap::new();
    let mut stored: Vec<Origins> = Vec::new();
    for instruction in round {
        let (read, written) = registers(instruction, factory);
        let done = done_by(instruction);
        let mut made = Origins::new();
        for register in &read {
            let done = done.unwrap_or_else(|| fused(instruction, *register));
            let origins = held.get(register).cloned().unwrap_or_else(|| Origins::from([(*register, 0)]));
            for (origin, before) in origins {
                *made.entry(origin).or_default() |= before | done;
            }
        }
        if written.is_empty() && instruction.op0_kind() == OpKind::Memory {
            stored.push(made);
            continue;
        }
        for register in written {
            held.insert(register, made.clone());
        }
    }
    let (mut is_reduction, mut is_recurrence) = (false, false);
    for (register, origins) in &held {
        let Some(&done) = origins.get(register).filter(|done| **done != 0) else { continue };
        let is_stored = stored.iter().any(|origins| origins.get(register).is_some_and(|done| *done != 0));
        if done.count_ones() == 1 && done != OTHERWISE && !is_stored {
            is_reduction = true;
        } else {
            is_recurrence = true;
        }
    }
    (is_reduction && !is_recurrence, is_recurrence)
}

/// Vector registers that are read and written.
fn registers(
    instruction: &Instruction,
    factory: &mut InstructionInfoFactory,
) -> (Vec<Register>, Vec<Register>) {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for used in factory.info(instruction).used_registers() {
        let register = used.register().full_register();
        if !register.is_vector_register() {
            continue;
        }
        let access = used.access();
        if matches!(access, OpAccess::Read | OpAccess::ReadWrite | OpAccess::CondRead) {
            read.push(register);
        }
        if matches!(access, OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite) {
            written.push(register);
        }
    }
    (read, written)
}

/// What an instruction does to what it reads; `None` for one that does different things to different operands.
fn done_by(instruction: &Instruction) -> Option<u8> {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if begins(&["fmadd", "fmsub", "fnmadd", "fnmsub"]) {
        None
    } else if begins(&["mov", "lddq", "and", "pand", "xor", "pxor", "shuf", "unpck", "perm", "broadcast"]) {
        Some(0)
    } else if begins(&["add", "sub", "padd", "psub"]) {
        Some(ADDED)
    } else if begins(&["mul", "pmul"]) {
        Some(MULTIPLIED)
    } else if begins(&["min", "max", "pmin", "pmax"]) {
        Some(CHOSEN)
    } else {
        Some(OTHERWISE)
    }
}

/// What is done to one operand where two are multiplied and a third is added.
fn fused(instruction: &Instruction, register: Register) -> u8 {
    let name = format!("{:?}", instruction.mnemonic());
    let added = match name {
        name if name.contains("231") => instruction.op0_register(),
        name if name.contains("132") => instruction.op1_register(),
        _ => instruction.op2_register(),
    };
    if added != Register::None && added.full_register() == register { ADDED } else { ADDED | MULTIPLIED }
}
