//! How the loads of a loop find their addresses.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory};

use super::stream::is_beside;
use super::{LINE_BYTES, Load, Walk, has_vector};

/// Tables of so many entries are in a near cache.
const MOST_SMALL: u64 = 0xffff;

/// How a general register changes from round to round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Not at all.
    None,
    /// By a number of bytes that the code names.
    By(i64),
    /// By what another register holds all the time.
    ByRegister,
    /// It is loaded from memory.
    Loaded,
    /// It is loaded, but is one of few numbers: a table by it is in a near cache.
    Small,
    /// Otherwise.
    Unknown,
}

/// Loads in the order of their addresses in the code.
pub(super) fn loads(
    round: &[(&Instruction, u64)],
    changes: &BTreeMap<Register, Change>,
    factory: &mut InstructionInfoFactory,
) -> Vec<Load> {
    let mut found = Vec::new();
    let accesses: Vec<Option<UsedMemory>> =
        round.iter().map(|(instruction, _)| read_memory(instruction, factory)).collect();
    for (at, ((instruction, own), memory)) in round.iter().zip(&accesses).enumerate() {
        let Some(memory) = memory else { continue };
        let behind = round.get(at + 1).map_or(0, |(_, n_samples)| *n_samples);
        let bytes = memory.memory_size().size() as u64;
        let chased = is_chased(instruction, memory, round, factory);
        let walk = if chased { Walk::Chased } else { walk(memory, changes, &accesses) };
        found.push(Load { walk, is_float: has_vector(instruction), bytes, n_samples: own + behind });
    }
    found
}

/// The memory that an instruction reads; `None` for what only writes, and for the stack of calls.
fn read_memory(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Option<UsedMemory> {
    let reads =
        |access: OpAccess| matches!(access, OpAccess::Read | OpAccess::ReadWrite | OpAccess::CondRead);
    accessed_memory(instruction, factory).into_iter().find(|memory| reads(memory.access()))
}

/// The memory that an instruction reads or writes, but for the stack of calls.
pub(super) fn accessed_memory(
    instruction: &Instruction,
    factory: &mut InstructionInfoFactory,
) -> Vec<UsedMemory> {
    if instruction.is_stack_instruction() || instruction.mnemonic() == Mnemonic::Lea {
        return Vec::new();
    }
    let touches = |access: OpAccess| !matches!(access, OpAccess::None | OpAccess::NoMemAccess);
    let used = factory.info(instruction).used_memory();
    used.iter().filter(|memory| touches(memory.access())).copied().collect()
}

fn walk(memory: &UsedMemory, changes: &BTreeMap<Register, Change>, accesses: &[Option<UsedMemory>]) -> Walk {
    let both = changed(memory, changes);
    if both.contains(&Change::Loaded) {
        return Walk::Told;
    }
    if both.contains(&Change::Unknown) {
        return Walk::Unknown;
    }
    if both.contains(&Change::Small) {
        return Walk::Fixed;
    }
    let bytes = memory.memory_size().size() as u64;
    match step(memory, changes) {
        Some(0) => Walk::Fixed,
        Some(step) => {
            // What other accesses of the round use of the same stretch counts, too.
            let mut used: BTreeMap<i64, u64> = BTreeMap::new();
            for other in accesses.iter().flatten().filter(|other| is_beside(memory, other)) {
                let at = i64::from_ne_bytes(other.displacement().to_ne_bytes());
                used.insert(at, other.memory_size().size() as u64);
            }
            let gap = largest_gap(&used, step);
            let used: u64 = used.values().sum::<u64>().max(bytes);
            if gap >= LINE_BYTES && used * 4 <= step { Walk::Far(Some(gap)) } else { Walk::Next }
        }
        // Vectors use enough of a line, wherever the next one is.
        None if bytes <= 8 => Walk::Far(None),
        None => Walk::Next,
    }
}

/// How the base and the index of an address change.
fn changed(memory: &UsedMemory, changes: &BTreeMap<Register, Change>) -> [Change; 2] {
    [memory.base(), memory.index()].map(|register| match register {
        Register::None | Register::RIP | Register::RSP | Register::EIP => Change::None,
        other => changes.get(&other.full_register()).copied().unwrap_or(Change::None),
    })
}

/// By how many bytes an address goes on in a round; `None` where the code does not name them.
pub(super) fn step(memory: &UsedMemory, changes: &BTreeMap<Register, Change>) -> Option<u64> {
    let [base, index] = changed(memory, changes);
    let step = |change: Change, scale: i64| match change {
        Change::By(bytes) => bytes.checked_mul(scale),
        Change::None => Some(0),
        _ => None,
    };
    let sum = step(base, 1)?.checked_add(step(index, i64::from(memory.scale()))?)?;
    Some(sum.unsigned_abs())
}

/// How far apart neighbours among the accesses of a round are at most, the first of the next round after the last: a loop
/// that was unrolled takes several small steps in a round.
fn largest_gap(accesses: &BTreeMap<i64, u64>, step: u64) -> u64 {
    let Some((first, last)) = accesses.keys().next().zip(accesses.keys().next_back()) else { return step };
    let inside = accesses.keys().zip(accesses.keys().skip(1)).map(|(one, next)| one.abs_diff(*next));
    let between = step.saturating_sub(first.abs_diff(*last));
    inside.chain([between]).max().unwrap_or(step)
}

/// Whether a load gives the register that its own address is made of in the next round.
fn is_chased(
    instruction: &Instruction,
    memory: &UsedMemory,
    round: &[(&Instruction, u64)],
    factory: &mut InstructionInfoFactory,
) -> bool {
    let is_move = matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Movsxd | Mnemonic::Movzx);
    if !is_move || instruction.op0_kind() != OpKind::Register {
        return false;
    }
    // What is made of the loaded value: by moves and sums, and by further loads from there, as in a loop that was unrolled.
    let mut derived = vec![instruction.op0_register().full_register()];
    for _ in 0..3 {
        for (other, _) in round.iter().filter(|(other, _)| other.ip() != instruction.ip()) {
            let is_move = matches!(other.mnemonic(), Mnemonic::Mov | Mnemonic::Movsxd | Mnemonic::Movzx);
            let is_sum =
                matches!(other.mnemonic(), Mnemonic::Lea | Mnemonic::Add | Mnemonic::Shl | Mnemonic::And);
            let is_passed_on = is_move || is_sum && read_memory(other, factory).is_none();
            if !is_passed_on || other.op0_kind() != OpKind::Register {
                continue;
            }
            let from = [other.op1_register(), other.memory_base(), other.memory_index()];
            if from
                .iter()
                .any(|register| *register != Register::None && derived.contains(&register.full_register()))
            {
                derived.push(other.op0_register().full_register());
            }
        }
    }
    [memory.base(), memory.index()]
        .iter()
        .any(|register| *register != Register::None && derived.contains(&register.full_register()))
}

/// How the general registers that a round writes change.
pub(super) fn changes(
    round: &[(&Instruction, u64)],
    factory: &mut InstructionInfoFactory,
) -> BTreeMap<Register, Change> {
    let mut changes: BTreeMap<Register, Change> = BTreeMap::new();
    let mut is_written: Vec<Register> = Vec::new();
    let writes = |access: OpAccess| {
        matches!(
            access,
            OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
        )
    };
    for (instruction, _) in round {
        let info = factory.info(instruction);
        let written = info.used_registers().iter().filter(|used| writes(used.access()));
        is_written.extend(written.map(|used| used.register().full_register()).filter(|it| it.is_gpr()));
    }
    for (instruction, _) in round {
        let reads_memory = read_memory(instruction, factory).is_some();
        let info = factory.info(instruction);
        let written: Vec<Register> = info
            .used_registers()
            .iter()
            .filter(|used| writes(used.access()))
            .map(|used| used.register().full_register())
            .filter(|register| register.is_gpr())
            .collect();
        for register in written {
            let change = match reads_memory {
                true => Change::Loaded,
                false => step_of(instruction, register, &is_written),
            };
            let known = changes.get(&register).copied();
            changes.insert(register, known.map_or(change, |known| together(known, change)));
        }
    }
    // Registers that are made of loaded ones are as good as loaded.
    for _ in 0..3 {
        for (instruction, _) in round {
            if instruction.op0_kind() != OpKind::Register || !instruction.op0_register().is_gpr() {
                continue;
            }
            let from = [
                instruction.op1_register(),
                instruction.op2_register(),
                instruction.memory_base(),
                instruction.memory_index(),
            ];
            let is_loaded = from.iter().any(|register| {
                *register != Register::None && changes.get(&register.full_register()) == Some(&Change::Loaded)
            });
            let to = instruction.op0_register().full_register();
            if is_loaded && changes.contains_key(&to) && !is_compare(instruction) {
                changes.insert(to, Change::Loaded);
            }
        }
    }
    for (instruction, _) in round.iter().filter(|(instruction, _)| is_bounded(instruction)) {
        changes.insert(instruction.op0_register().full_register(), Change::Small);
    }
    changes
}

/// Whether an instruction leaves one of few numbers in its register: what it loads has a byte or two, or all but some bits
/// are cleared.
fn is_bounded(instruction: &Instruction) -> bool {
    let is_register = instruction.op0_kind() == OpKind::Register && instruction.op0_register().is_gpr();
    let is_short = instruction.op1_kind() == OpKind::Memory && instruction.memory_size().size() <= 2
        || instruction.op1_kind() == OpKind::Register && instruction.op1_register().size() <= 2;
    is_register
        && match instruction.mnemonic() {
            Mnemonic::Movzx => is_short,
            Mnemonic::And => instruction.try_immediate(1).is_ok_and(|mask| mask <= MOST_SMALL),
            _ => false,
        }
}

fn is_compare(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test)
}

/// What one instruction adds to a register that it writes.
fn step_of(instruction: &Instruction, register: Register, is_written: &[Register]) -> Change {
    let is_own =
        instruction.op0_kind() == OpKind::Register && instruction.op0_register().full_register() == register;
    if !is_own {
        return Change::Unknown;
    }
    let sign = if instruction.mnemonic() == Mnemonic::Sub { -1 } else { 1 };
    match (instruction.mnemonic(), instruction.op1_kind()) {
        (Mnemonic::Inc, _) => Change::By(1),
        (Mnemonic::Dec, _) => Change::By(-1),
        (Mnemonic::Add | Mnemonic::Sub, OpKind::Register) => {
            let other = instruction.op1_register().full_register();
            if is_written.contains(&other) { Change::Unknown } else { Change::ByRegister }
        }
        (Mnemonic::Add | Mnemonic::Sub, _) => instruction
            .try_immediate(1)
            .map_or(Change::Unknown, |bytes| Change::By(sign * i64::from_ne_bytes(bytes.to_ne_bytes()))),
        (Mnemonic::Lea, _) if instruction.memory_base().full_register() == register => {
            match instruction.memory_index() {
                Register::None => {
                    Change::By(i64::from_ne_bytes(instruction.memory_displacement64().to_ne_bytes()))
                }
                other if is_written.contains(&other.full_register()) => Change::Unknown,
                _ => Change::ByRegister,
            }
        }
        _ => Change::Unknown,
    }
}

fn together(one: Change, other: Change) -> Change {
    match (one, other) {
        (Change::Loaded, _) | (_, Change::Loaded) => Change::Loaded,
        (Change::By(one), Change::By(other)) => Change::By(one + other),
        (Change::ByRegister, Change::By(_) | Change::ByRegister) | (Change::By(_), Change::ByRegister) => {
            Change::ByRegister
        }
        _ => Change::Unknown,
    }
}
