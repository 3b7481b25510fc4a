//! The walk for stacks that need more than `rsp` and `rbp`: all registers are followed and expressions evaluated.

use super::expression::Scene;
use super::registers::Registers;
use super::rule::{Bytecode, Column, Frame, Row, Source};
use super::unruled::Unruled;
use super::x86_64::{PRESERVED, SIGNAL_CONTEXT};
use super::{End, Fault, Memory, Place, Space, Unwinder};

/// How often a stack may lead to a lower address: once for each signal handler or coroutine on a stack of its own.
const MAX_STACK_CHANGES: usize = 32;

/// What is known of the caller.
enum Step {
    Caller { registers: Registers, is_exact: bool },
    Root,
    Unknown,
}

impl Unwinder {
    #[cold]
    #[inline(never)]
    pub(super) fn thorough(
        &mut self,
        space: &impl Space,
        registers: &Registers,
        memory: &mut impl Memory,
        limit: usize,
        out: &mut Vec<u64>,
    ) -> End {
        let (mut registers, mut is_exact, mut n_stack_changes) = (*registers, true, 0);
        for _ in 0..limit {
            let (address, caller) = self.caller(space, &registers, is_exact, memory);
            out.push(address);
            self.tops.push(registers.sp());
            let next = match caller {
                Ok((next, next_is_exact)) => {
                    is_exact = next_is_exact;
                    next
                }
                Err(end) => return end,
            };
            if next.sp() <= registers.sp() {
                n_stack_changes += 1;
                if n_stack_changes > MAX_STACK_CHANGES || next == registers {
                    return End::Stuck;
                }
            }
            registers = next;
        }
        End::Limit
    }

    /// The address to look a frame up by, and its caller's registers with whether their instruction pointer is not
    /// behind a call.
    pub(super) fn caller(
        &mut self,
        space: &impl Space,
        registers: &Registers,
        is_exact: bool,
        memory: &mut impl Memory,
    ) -> (u64, Result<(Registers, bool), End>) {
        // What a signal handler returns to is not behind a call.
        let is_signal_return = self.is_signal_return(space, registers.ip(), is_exact);
        let is_exact = is_exact || is_signal_return;
        let address = if is_exact { registers.ip() } else { registers.ip().wrapping_sub(1) };
        let place = space.find(address);
        let step = if is_signal_return {
            let interrupted = interrupted(registers.sp(), memory);
            interrupted.map(|registers| Step::Caller { registers, is_exact: true })
        } else {
            self.step(space, address, place, registers, is_exact, memory)
        };
        let caller = match step {
            Ok(Step::Caller { registers, .. }) if registers.ip() == 0 => Err(End::Root),
            Ok(Step::Caller { registers, is_exact }) => Ok((registers, is_exact)),
            Ok(Step::Root) => Err(End::Root),
            Err(Fault::Memory(address)) => Err(End::Cut { address }),
            Ok(Step::Unknown) | Err(Fault::Rule) if place.is_some() => Err(End::NoRule { address }),
            Ok(Step::Unknown) | Err(Fault::Rule) => Err(End::NoModule { address }),
        };
        (address, caller)
    }

    pub(super) fn is_signal_return(&self, space: &impl Space, ip: u64, is_exact: bool) -> bool {
        space.find(ip).is_some_and(|place| {
            let module = self.modules.get(place.module.0 as usize);
            module.is_some_and(|module| module.is_signal_return(place.svma, is_exact))
        })
    }

    fn step(
        &mut self,
        space: &impl Space,
        address: u64,
        place: Option<Place>,
        registers: &Registers,
        is_exact: bool,
        memory: &mut impl Memory,
    ) -> Result<Step, Fault> {
        if let Some(place) = place
            && let Some(module) = self.modules.get_mut(place.module.0 as usize)
        {
            let bias = address.wrapping_sub(place.svma);
            let image = module.image();
            if let Some((row, columns)) = module.row(place.svma, &mut self.context) {
                let scene = Scene { registers, memory, bias };
                return apply(row, columns, image.bytes(), scene);
            }
        }
        let bp = registers.get(Registers::BP);
        Ok(match self.unruled(space, place, registers.sp(), bp, is_exact, memory) {
            Unruled::Caller { ip, sp, bp } => {
                let mut caller = registers.only(PRESERVED);
                caller.set(Registers::IP, ip);
                caller.set(Registers::SP, sp);
                match bp {
                    Some(bp) => caller.set(Registers::BP, bp),
                    None => caller.forget(Registers::BP),
                }
                Step::Caller { registers: caller, is_exact: false }
            }
            Unruled::Root => Step::Root,
            Unruled::Unknown => Step::Unknown,
        })
    }
}

/// The caller's registers by the row that holds at the callee's address.
fn apply<M: Memory>(
    row: &Row,
    columns: &[Column],
    file: &[u8],
    mut scene: Scene<'_, M>,
) -> Result<Step, Fault> {
    let registers = scene.registers;
    let frame = match row.frame {
        Frame::Register { number, offset } => {
            registers.get(number).ok_or(Fault::Rule)?.wrapping_add_signed(offset)
        }
        Frame::Expression(code) => scene.evaluate(code.bytes(file).ok_or(Fault::Rule)?, None)?,
    };
    let mut caller = registers.only(PRESERVED);
    caller.set(Registers::SP, frame);
    let mut is_ip_known = false;
    for &Column { register, source } in columns {
        if register == Registers::IP && source == Source::Lost {
            return Ok(Step::Root);
        }
        // A register that cannot be had may never be asked for.
        let value = match value(source, register, frame, file, &mut scene) {
            Err(Fault::Rule) => None,
            value => value?,
        };
        match value {
            Some(value) => caller.set(register, value),
            None => caller.forget(register),
        }
        is_ip_known |= register == Registers::IP && value.is_some();
    }
    let is_whole = is_ip_known && caller.get(Registers::SP).is_some();
    Ok(if is_whole { Step::Caller { registers: caller, is_exact: row.is_signal } } else { Step::Unknown })
}

/// One register's value in the caller.
fn value<M: Memory>(
    source: Source,
    register: u8,
    frame: u64,
    file: &[u8],
    scene: &mut Scene<'_, M>,
) -> Result<Option<u64>, Fault> {
    let evaluate = |code: Bytecode, scene: &mut Scene<'_, M>| {
        scene.evaluate(code.bytes(file).ok_or(Fault::Rule)?, Some(frame))
    };
    Ok(match source {
        Source::Lost => None,
        Source::Kept => scene.registers.get(register),
        Source::AtFrame(offset) => saved(register, frame.wrapping_add_signed(offset), scene)?,
        Source::Frame(offset) => Some(frame.wrapping_add_signed(offset)),
        Source::Register(other) => scene.registers.get(other),
        Source::At(code) => {
            let address = evaluate(code, scene)?;
            saved(register, address, scene)?
        }
        Source::Value(code) => Some(evaluate(code, scene)?),
        Source::Constant(value) => Some(value),
    })
}

/// A register that was pushed to an address. Compilers do not say of each `pop` that it is the caller's again: what stood
/// right below the stack pointer has been popped.
fn saved<M: Memory>(register: u8, address: u64, scene: &mut Scene<'_, M>) -> Result<Option<u64>, Fault> {
    /// The six registers that calls preserve, and room that was left to align a stack.
    const POPPED: u64 = 256;
    let below = scene.registers.sp().wrapping_sub(address);
    if (1..=POPPED).contains(&below) && register != Registers::IP {
        return Ok(scene.registers.get(register));
    }
    scene.word(address).map(Some)
}

/// The registers that a signal interrupted, from where the kernel left them.
fn interrupted(sp: u64, memory: &mut impl Memory) -> Result<Registers, Fault> {
    let (start, order) = SIGNAL_CONTEXT;
    let mut registers = Registers::new(0, 0, 0);
    let mut address = sp.wrapping_add(start);
    for number in order {
        registers.set(number, memory.word(address).ok_or(Fault::Memory(address))?);
        address = address.wrapping_add(8);
    }
    Ok(registers)
}
