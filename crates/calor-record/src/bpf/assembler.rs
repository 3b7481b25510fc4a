//! Writes programs for the kernel's virtual machine, instruction by instruction.

/// A register of the virtual machine. `R0` is what calls return, `R1` to `R5` are their arguments and lost with them,
/// `R6` to `R9` are kept, `R10` is the end of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R6 = 6,
    R7,
    R8,
    R9,
    R10,
}

/// How much is moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    Word4,
    Word8,
}

/// A place in the program that jumps lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(usize);

/// A program in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    code: Vec<[u8; 8]>,
    /// Where labels are, as far as that is known.
    labels: Vec<Option<usize>>,
    /// Jumps whose distance is still to be filled in.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    fn put(&mut self, code: u8, to: Register, from: Register, offset: i16, immediate: i32) {
        let [low, high] = offset.to_le_bytes();
        let [a, b, c, d] = immediate.to_le_bytes();
        self.code.push([code, (from as u8) << 4 | to as u8, low, high, a, b, c, d]);
    }

    /// `to = value`
    pub(crate) fn set(&mut self, to: Register, value: i32) {
        self.put(0xb7, to, Register::R0, 0, value);
    }

    /// `to = value`, of any size.
    pub(crate) fn set_wide(&mut self, to: Register, value: u64) {
        let [low, high] = [value as u32, (value >> 32) as u32].map(u32::cast_signed);
        self.put(0x18, to, Register::R0, 0, low);
        self.put(0, Register::R0, Register::R0, 0, high);
    }

    /// `to = from`
    pub(crate) fn copy(&mut self, to: Register, from: Register) {
        self.put(0xbf, to, from, 0, 0);
    }

    /// `to += value`
    pub(crate) fn add(&mut self, to: Register, value: i32) {
        self.put(0x07, to, Register::R0, 0, value);
    }

    /// `to += from`
    pub(crate) fn add_register(&mut self, to: Register, from: Register) {
        self.put(0x0f, to, from, 0, 0);
    }

    /// `to &= value`
    pub(crate) fn mask(&mut self, to: Register, value: i32) {
        self.put(0x57, to, Register::R0, 0, value);
    }

    /// `to <<= bits`
    pub(crate) fn shift_left(&mut self, to: Register, bits: i32) {
        self.put(0x67, to, Register::R0, 0, bits);
    }

    /// `to = *(from + offset)`
    pub(crate) fn load(&mut self, size: Size, to: Register, from: Register, offset: i16) {
        self.put(if size == Size::Word4 { 0x61 } else { 0x79 }, to, from, offset, 0);
    }

    /// `*(to + offset) = from`
    pub(crate) fn store(&mut self, size: Size, to: Register, offset: i16, from: Register) {
        self.put(if size == Size::Word4 { 0x63 } else { 0x7b }, to, from, offset, 0);
    }

    /// `*(to + offset) = 0`, eight bytes of it.
    pub(crate) fn clear(&mut self, to: Register, offset: i16) {
        self.put(0x7a, to, Register::R0, offset, 0);
    }

    /// `to = map`, by its descriptor.
    pub(crate) fn map(&mut self, to: Register, descriptor: i32) {
        // The register that it comes from says that it is a descriptor and no number.
        self.put(0x18, to, Register::R1, 0, descriptor);
        self.code.push([0; 8]);
    }

    /// `R0 = function(R1, ...)`
    pub(crate) fn call(&mut self, function: i32) {
        self.put(0x85, Register::R0, Register::R0, 0, function);
    }

    /// The end; `R0` is what it returns.
    pub(crate) fn exit(&mut self) {
        self.put(0x95, Register::R0, Register::R0, 0, 0);
    }

    /// A label to be placed later.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label here.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    pub(crate) fn jump(&mut self, to: Label) {
        self.jump_by(0x05, Register::R0, 0, to);
    }

    pub(crate) fn jump_if_zero(&mut self, register: Register, to: Label) {
        self.jump_by(0x15, register, 0, to);
    }

    pub(crate) fn jump_unless_zero(&mut self, register: Register, to: Label) {
        self.jump_by(0x55, register, 0, to);
    }

    /// Jumps if the register, without a sign, is greater than a value.
    pub(crate) fn jump_if_greater(&mut self, register: Register, value: i32, to: Label) {
        self.jump_by(0x25, register, value, to);
    }

    fn jump_by(&mut self, code: u8, register: Register, value: i32, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.put(code, register, Register::R0, 0, value);
    }

    /// The whole program; `None` if a jump leads nowhere or too far.
    pub(crate) fn finish(mut self) -> Option<Vec<[u8; 8]>> {
        for (at, label) in self.jumps {
            let target = i64::try_from(self.labels[label.0]?).ok()?;
            let distance = i16::try_from(target - i64::try_from(at).ok()? - 1).ok()?;
            self.code[at][2..4].copy_from_slice(&distance.to_le_bytes());
        }
        Some(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_size_take_two_instructions() {
        let mut assembler = Assembler::default();
        assembler.set_wide(Register::R2, 0x1_efff_fffc);
        let expected = [[0x18, 0x02, 0, 0, 0xfc, 0xff, 0xff, 0xef], [0, 0, 0, 0, 1, 0, 0, 0]];
        assert_eq!(assembler.finish().as_deref(), Some(&expected[..]));
    }

    #[test]
    fn jumps_count_from_the_instruction_behind_them() {
        let mut assembler = Assembler::default();
        let (again, out) = (assembler.label(), assembler.label());
        assembler.place(again);
        assembler.jump_if_zero(Register::R7, out);
        assembler.jump(again);
        assembler.place(out);
        assembler.set(Register::R0, -2);
        assembler.exit();
        let expected = [
            [0x15, 0x07, 1, 0, 0, 0, 0, 0],
            [0x05, 0, 0xfe, 0xff, 0, 0, 0, 0],
            [0xb7, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff],
            [0x95, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(assembler.finish().as_deref(), Some(&expected[..]));
        let mut nowhere = Assembler::default();
        let label = nowhere.label();
        nowhere.jump(label);
        assert_eq!(nowhere.finish(), None);
    }
}
