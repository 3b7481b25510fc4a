//! The registers of a thread at an instant, as many of them as are known: the kernel copies the innermost frame's,
//! and every step outwards loses those that calls do not preserve.

/// How many registers are kept: the general ones and the instruction pointer.
const COUNT: usize = 17;

/// Registers by their DWARF number on x86-64: 0 to 15 the general ones, 16 the instruction pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    values: [u64; COUNT],
    known: u32,
}

impl Registers {
    /// DWARF's number of `rbp`.
    pub const BP: u8 = 6;
    /// DWARF's number of `rsp`.
    pub const SP: u8 = 7;
    /// DWARF's number of the return address, which here holds the instruction pointer.
    pub const IP: u8 = 16;

    /// The three that nearly every stack can be walked with.
    #[must_use]
    pub fn new(ip: u64, sp: u64, bp: u64) -> Self {
        let mut registers = Self { values: [0; COUNT], known: 0 };
        registers.set(Self::IP, ip);
        registers.set(Self::SP, sp);
        registers.set(Self::BP, bp);
        registers
    }

    /// Makes a register known by its DWARF number; numbers of other registers are passed over.
    pub fn set(&mut self, number: u8, value: u64) {
        if let Some(slot) = self.values.get_mut(usize::from(number)) {
            *slot = value;
            self.known |= 1 << number;
        }
    }

    /// What a register holds, if that is known.
    #[must_use]
    pub fn get(&self, number: u8) -> Option<u64> {
        let value = *self.values.get(usize::from(number))?;
        (self.known & (1 << number) != 0).then_some(value)
    }

    /// Where the thread runs, or for a caller, where it will go on.
    #[must_use]
    pub fn ip(&self) -> u64 {
        self.values[usize::from(Self::IP)]
    }

    /// The top of the stack.
    #[must_use]
    pub fn sp(&self) -> u64 {
        self.values[usize::from(Self::SP)]
    }

    /// The same values with only the registers of `mask` known.
    pub(super) fn only(mut self, mask: u32) -> Self {
        self.known &= mask;
        self
    }

    pub(super) fn forget(&mut self, number: u8) {
        self.known &= !1_u32.checked_shl(u32::from(number)).unwrap_or(0);
    }
}
