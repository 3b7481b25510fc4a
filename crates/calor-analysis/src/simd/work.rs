//! What one instruction does, as far as it tells vector code from other code.
//!
//! Compilers use instructions of whole vectors in scalar code, too: to copy a number from one register to another, to
//! clear one, to change a sign. Those say nothing by themselves and are told apart here from those that work on several
//! numbers at once.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// What an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Work {
    /// Whole vectors, computing.
    Packed(Width),
    /// Whole vectors, to or from memory.
    PackedMove(Width),
    /// Whole vectors in a way that scalar code needs, too: moves their parts around or changes single bits.
    Either(Width),
    /// One floating-point number, computing.
    Scalar,
    /// One floating-point number, to or from memory.
    ScalarMove,
    /// One number between general and vector registers.
    Transfer,
    /// General registers.
    Integer,
    /// Nothing: branches, calls, what saves registers for them.
    Nothing,
}

/// The width of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Width {
    /// At most 128 bits.
    W128,
    W256,
    W512,
}

impl Width {
    pub(crate) const ALL: [Self; 3] = [Self::W128, Self::W256, Self::W512];

    /// As a multiple of the narrowest.
    pub(crate) fn factor(self) -> f64 {
        match self {
            Self::W128 => 1.0,
            Self::W256 => 2.0,
            Self::W512 => 4.0,
        }
    }
}

/// What the name of an instruction tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nature {
    Packed,
    Move,
    Shuffle,
    Logic,
    Scalar,
    ScalarMove,
    Transfer,
    Nothing,
}

/// What an instruction does.
pub(crate) fn work(instruction: &Instruction) -> Work {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let Some(width) = width(instruction) else { return without_vectors(instruction, &name) };
    match nature(&name) {
        Nature::Packed if is_idiom(instruction) => Work::Nothing,
        Nature::Packed => Work::Packed(width),
        Nature::Move if touches_memory(instruction) => Work::PackedMove(width),
        Nature::Move | Nature::Nothing => Work::Nothing,
        Nature::Logic if is_idiom(instruction) => Work::Nothing,
        Nature::Logic | Nature::Shuffle => Work::Either(width),
        Nature::Scalar => Work::Scalar,
        Nature::ScalarMove if touches_memory(instruction) => Work::ScalarMove,
        Nature::ScalarMove => Work::Nothing,
        Nature::Transfer => Work::Transfer,
    }
}

/// Whether it multiplies and adds at once.
pub(crate) fn is_fused(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    ["Vfmadd", "Vfmsub", "Vfnmadd", "Vfnmsub"].iter().any(|beginning| name.starts_with(beginning))
}

/// Whether it is a step of a cipher, of a hash or of a checksum. Each works on one block of 128 bits; wider vectors are
/// no remedy for code that needs the result of one step for the next.
pub(crate) fn is_crypto(instruction: &Instruction) -> bool {
    const BEGINNINGS: [&str; 7] = ["aes", "sha1", "sha256", "sha512", "pclmul", "sm3", "sm4"];
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    BEGINNINGS.iter().any(|word| base(&name).starts_with(word))
}

/// Whether it computes with floating-point numbers, one or several.
pub(crate) fn is_float(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    match width(instruction) {
        None => is_x87(&name),
        Some(_) => {
            let is_arithmetic = matches!(nature(&name), Nature::Packed | Nature::Scalar);
            is_arithmetic && !base(&name).starts_with('p') && ends_with_float(base(&name))
        }
    }
}

/// The widest vector register it names; `None` where it names none.
fn width(instruction: &Instruction) -> Option<Width> {
    let operands = (0..instruction.op_count())
        .filter(|operand| instruction.op_kind(*operand) == OpKind::Register)
        .map(|operand| instruction.op_register(operand));
    operands.chain([instruction.memory_index()]).filter_map(width_of).max()
}

fn width_of(register: Register) -> Option<Width> {
    if register.is_zmm() || register.is_tmm() {
        Some(Width::W512)
    } else if register.is_ymm() {
        Some(Width::W256)
    } else if register.is_xmm() || register.is_mm() {
        Some(Width::W128)
    } else {
        None
    }
}

fn touches_memory(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
}

/// Whether it gives the same whatever it is given: how registers are set to all zeros or all ones.
fn is_idiom(instruction: &Instruction) -> bool {
    let is_of_kind = matches!(
        instruction.mnemonic(),
        Mnemonic::Xorps
            | Mnemonic::Xorpd
            | Mnemonic::Pxor
            | Mnemonic::Vxorps
            | Mnemonic::Vxorpd
            | Mnemonic::Vpxor
            | Mnemonic::Vpxord
            | Mnemonic::Vpxorq
            | Mnemonic::Pcmpeqb
            | Mnemonic::Pcmpeqw
            | Mnemonic::Pcmpeqd
            | Mnemonic::Vpcmpeqb
            | Mnemonic::Vpcmpeqw
            | Mnemonic::Vpcmpeqd
            | Mnemonic::Psubd
            | Mnemonic::Vpsubd
    );
    let n = instruction.op_count();
    let last = |back: u32| instruction.op_register(n.saturating_sub(back));
    is_of_kind && n >= 2 && last(1) != Register::None && last(1) == last(2)
}

fn without_vectors(instruction: &Instruction, name: &str) -> Work {
    const NOTHING: [&str; 14] = [
        "nop", "endbr", "push", "pop", "prefetch", "pause", "leave", "ud", "int3", "invalid", "vzero",
        "emms", "fence", "kmov",
    ];
    let is_branch = instruction.flow_control() != iced_x86::FlowControl::Next;
    let is_mask = (0..instruction.op_count()).any(|operand| instruction.op_register(operand).is_k());
    if is_branch || is_mask || name.ends_with("fence") {
        Work::Nothing
    } else if is_x87(name) {
        match name {
            "fld" | "fst" | "fstp" | "fxch" | "fldz" | "fld1" => Work::ScalarMove,
            _ => Work::Scalar,
        }
    } else if NOTHING.iter().any(|beginning| name.starts_with(beginning)) && !name.starts_with("popcnt") {
        Work::Nothing
    } else {
        Work::Integer
    }
}

/// The oldest floating-point unit, whose instructions are the only ones that begin so.
fn is_x87(name: &str) -> bool {
    name.starts_with('f') && !["femms", "fxsave", "fxrstor"].iter().any(|it| name.starts_with(it))
}

/// The name without the mark of the newer encodings.
fn base(name: &str) -> &str {
    name.strip_prefix('v').unwrap_or(name)
}

fn ends_with_float(base: &str) -> bool {
    ["ps", "pd", "ph", "ss", "sd", "sh", "bf16", "si", "dq", "qq", "w"].iter().any(|end| base.ends_with(end))
}

/// What the name of an instruction with vector registers tells.
fn nature(name: &str) -> Nature {
    let base = base(name);
    let begins = |words: &[&str]| words.iter().any(|word| base.starts_with(word));
    let is_single = ["ss", "sd", "sh"].iter().any(|end| base.ends_with(end)) || begins(&["comx", "ucomx"]);
    if begins(&["zeroupper", "zeroall", "ldmxcsr", "stmxcsr"]) {
        Nature::Nothing
    } else if begins(&["pinsr", "pextr", "movd", "movq", "extractps", "insertps"])
        && !begins(&["movdq", "movddup"])
    {
        // `movdqa` and its kin are moves of whole vectors.
        Nature::Transfer
    } else if begins(&["movdq", "movap", "movup", "lddqu", "movnt", "maskmov", "pmaskmov"]) {
        Nature::Move
    } else if begins(&["movss", "movsd", "movsh", "movw"]) {
        Nature::ScalarMove
    } else if begins(&["broadcast", "pbroadcast"]) {
        Nature::Move
    } else if begins(&["movl", "movh", "movddup", "movs", "movmsk"]) || is_shuffle(base) {
        Nature::Shuffle
    } else if begins(&["and", "or", "xor", "pand", "por", "pxor", "ptern"]) {
        Nature::Logic
    } else if let Some(conversion) = base.strip_prefix("cvt") {
        conversion_nature(conversion)
    } else if is_single && !base.starts_with('p') {
        Nature::Scalar
    } else {
        Nature::Packed
    }
}

fn is_shuffle(base: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "unpck", "shuf", "perm", "pshuf", "punpck", "palignr", "pslldq", "psrldq", "insert", "extract",
        "blend", "pblend", "pperm", "align", "pvalign", "movmsk",
    ];
    // Bytes are moved around by a table in code that works on bytes alone.
    BEGINNINGS.iter().any(|word| base.starts_with(word)) && base != "pshufb"
}

/// `ttps2dq` or `si2sd`: from what to what. One number on either side makes it one number.
fn conversion_nature(conversion: &str) -> Nature {
    let Some((from, to)) = conversion.split_once('2') else { return Nature::Packed };
    let from = from.strip_prefix('t').unwrap_or(from);
    let is_single = |side: &str| ["ss", "sd", "sh", "si", "usi"].contains(&side);
    if is_single(from) || is_single(to) { Nature::Scalar } else { Nature::Packed }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn decode(code: &[u8]) -> Instruction {
        Decoder::with_ip(64, code, 0, DecoderOptions::NONE).decode()
    }

    #[test]
    fn instructions_are_told_apart_by_what_they_work_on() {
        use Width::{W128, W256, W512};
        let cases: [(&str, &[u8], Work); 45] = [
            ("addps xmm0, xmm1", &[0x0f, 0x58, 0xc1], Work::Packed(W128)),
            ("vaddpd ymm0, ymm1, ymm2", &[0xc5, 0xf5, 0x58, 0xc2], Work::Packed(W256)),
            ("vaddps zmm0{k1}, zmm1, zmm2", &[0x62, 0xf1, 0x74, 0x49, 0x58, 0xc2], Work::Packed(W512)),
            ("vaddps ymm16, ymm17, ymm18", &[0x62, 0xa1, 0x74, 0x20, 0x58, 0xc2], Work::Packed(W256)),
            ("addsd xmm0, xmm1", &[0xf2, 0x0f, 0x58, 0xc1], Work::Scalar),
            ("vfmadd231ss xmm0, xmm1, xmm2", &[0xc4, 0xe2, 0x71, 0xb9, 0xc2], Work::Scalar),
            ("cvtsi2sd xmm0, rax", &[0xf2, 0x48, 0x0f, 0x2a, 0xc0], Work::Scalar),
            ("cvttsd2si eax, xmm0", &[0xf2, 0x0f, 0x2c, 0xc0], Work::Scalar),
            ("cvtdq2ps xmm0, xmm1", &[0x0f, 0x5b, 0xc1], Work::Packed(W128)),
            ("ucomisd xmm0, xmm1", &[0x66, 0x0f, 0x2e, 0xc1], Work::Scalar),
            ("movups xmm0, [rdi]", &[0x0f, 0x10, 0x07], Work::PackedMove(W128)),
            ("vmovdqu [rdi], ymm0", &[0xc5, 0xfe, 0x7f, 0x07], Work::PackedMove(W256)),
            ("movaps xmm0, xmm1", &[0x0f, 0x28, 0xc1], Work::Nothing),
            ("movsd xmm0, [rdi]", &[0xf2, 0x0f, 0x10, 0x07], Work::ScalarMove),
            ("movss xmm0, xmm1", &[0xf3, 0x0f, 0x10, 0xc1], Work::Nothing),
            ("movq xmm0, rax", &[0x66, 0x48, 0x0f, 0x6e, 0xc0], Work::Transfer),
            ("movd eax, xmm0", &[0x66, 0x0f, 0x7e, 0xc0], Work::Transfer),
            ("pxor xmm0, xmm0", &[0x66, 0x0f, 0xef, 0xc0], Work::Nothing),
            ("vpxor xmm0, xmm1, xmm1", &[0xc5, 0xf1, 0xef, 0xc1], Work::Nothing),
            ("pxor xmm0, xmm1", &[0x66, 0x0f, 0xef, 0xc1], Work::Either(W128)),
            ("andps xmm0, [rdi]", &[0x0f, 0x54, 0x07], Work::Either(W128)),
            ("paddd xmm0, xmm1", &[0x66, 0x0f, 0xfe, 0xc1], Work::Packed(W128)),
            ("vpminsd ymm0, ymm1, ymm2", &[0xc4, 0xe2, 0x75, 0x39, 0xc2], Work::Packed(W256)),
            ("vpabsd ymm0, ymm1", &[0xc4, 0xe2, 0x7d, 0x1e, 0xc1], Work::Packed(W256)),
            ("vpdpbusd zmm0, zmm1, zmm2", &[0x62, 0xf2, 0x75, 0x48, 0x50, 0xc2], Work::Packed(W512)),
            ("vpcompressd zmm0{k1}{z}, zmm1", &[0x62, 0xf2, 0x7d, 0xc9, 0x8b, 0xc8], Work::Packed(W512)),
            ("pcmpeqb xmm0, [rdi]", &[0x66, 0x0f, 0x74, 0x07], Work::Packed(W128)),
            ("pmovmskb eax, xmm0", &[0x66, 0x0f, 0xd7, 0xc0], Work::Packed(W128)),
            ("unpcklps xmm0, xmm1", &[0x0f, 0x14, 0xc1], Work::Either(W128)),
            ("pshufb xmm0, xmm1", &[0x66, 0x0f, 0x38, 0x00, 0xc1], Work::Packed(W128)),
            ("pshufd xmm0, xmm1, 4", &[0x66, 0x0f, 0x70, 0xc1, 0x04], Work::Either(W128)),
            ("vbroadcastss ymm0, [rdi]", &[0xc4, 0xe2, 0x7d, 0x18, 0x07], Work::PackedMove(W256)),
            (
                "vgatherdps ymm0, [rdi+ymm1*4], ymm2",
                &[0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x8f],
                Work::Packed(W256),
            ),
            ("aesenc xmm0, xmm1", &[0x66, 0x0f, 0x38, 0xdc, 0xc1], Work::Packed(W128)),
            ("sqrtss xmm0, xmm1", &[0xf3, 0x0f, 0x51, 0xc1], Work::Scalar),
            ("vcvtph2ps ymm0, xmm1", &[0xc4, 0xe2, 0x7d, 0x13, 0xc1], Work::Packed(W256)),
            ("fadd st, st(1)", &[0xd8, 0xc1], Work::Scalar),
            ("fld qword ptr [rdi]", &[0xdd, 0x07], Work::ScalarMove),
            ("imul rax, rbx", &[0x48, 0x0f, 0xaf, 0xc3], Work::Integer),
            ("popcnt rax, rbx", &[0xf3, 0x48, 0x0f, 0xb8, 0xc3], Work::Integer),
            ("movsd, of strings", &[0xa5], Work::Integer),
            ("push rax", &[0x50], Work::Nothing),
            ("call rax", &[0xff, 0xd0], Work::Nothing),
            ("vzeroupper", &[0xc5, 0xf8, 0x77], Work::Nothing),
            ("kmovw eax, k1", &[0xc5, 0xf8, 0x93, 0xc1], Work::Nothing),
        ];
        for (name, code, expected) in cases {
            assert_eq!(work(&decode(code)), expected, "{name}");
        }
    }

    #[test]
    fn what_computes_with_floating_point_numbers_and_what_fuses_is_known() {
        let both = |code: &[u8]| (is_float(&decode(code)), is_fused(&decode(code)));
        assert_eq!(both(&[0xc4, 0xe2, 0x71, 0xb9, 0xc2]), (true, true), "vfmadd231ss");
        assert_eq!(both(&[0x62, 0xf2, 0xf5, 0x48, 0xb8, 0xc2]), (true, true), "vfmadd231pd");
        assert_eq!(both(&[0x0f, 0x58, 0xc1]), (true, false), "addps");
        assert_eq!(both(&[0xc4, 0xe2, 0x75, 0x39, 0xc2]), (false, false), "vpminsd");
        assert_eq!(both(&[0x0f, 0x10, 0x07]), (false, false), "movups");
        assert_eq!(both(&[0x48, 0x0f, 0xaf, 0xc3]), (false, false), "imul");
    }

    #[test]
    fn steps_of_ciphers_and_hashes_are_known() {
        for (name, code, expected) in [
            ("aesenc xmm0, xmm1", &[0x66, 0x0f, 0x38, 0xdc, 0xc1][..], true),
            ("vaesenc xmm0, xmm1, xmm2", &[0xc4, 0xe2, 0x71, 0xdc, 0xc2], true),
            ("sha256rnds2 xmm0, xmm1, xmm0", &[0x0f, 0x38, 0xcb, 0xc1], true),
            ("pclmulqdq xmm0, xmm1, 0", &[0x66, 0x0f, 0x3a, 0x44, 0xc1, 0x00], true),
            ("paddd xmm0, xmm1", &[0x66, 0x0f, 0xfe, 0xc1], false),
            ("smsw eax", &[0x0f, 0x01, 0xe0], false),
        ] {
            assert_eq!(is_crypto(&decode(code)), expected, "{name}");
        }
    }
}
