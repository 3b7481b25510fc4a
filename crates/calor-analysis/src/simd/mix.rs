//! What the instructions of a part of a function add up to.

use iced_x86::Instruction;

use super::Class;
use super::work::{self, Width, Work};

/// Vector code has to be at least this part of the instructions: some vectors among many general instructions are a
/// structure that is copied or cleared.
const LEAST_PACKED: f64 = 0.12;
/// The same where vectors, or single numbers, are moved and nothing is computed with them, as in copying.
const LEAST_MOVED: f64 = 0.34;
/// The part of the instructions from which on code computes with single floating-point numbers.
const LEAST_SCALAR: f64 = 0.08;

/// Sums of weights of instructions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Mix {
    /// By width.
    packed: [f64; 3],
    moved: [f64; 3],
    either: [f64; 3],
    scalar: f64,
    scalar_moves: f64,
    transfers: f64,
    integer: f64,
    /// Those that compute with floating-point numbers, and of them those that multiply and add at once.
    float: f64,
    fused: f64,
    /// Those that are steps of a cipher, a hash or a checksum.
    crypto: f64,
}

impl Mix {
    /// Adds an instruction. One that compares right before a branch is one with it for the processor.
    pub(crate) fn add(&mut self, instruction: &Instruction, is_before_branch: bool, weight: f64) {
        match work::work(instruction) {
            Work::Packed(width) => self.packed[width as usize] += weight,
            Work::PackedMove(width) => self.moved[width as usize] += weight,
            Work::Either(width) => self.either[width as usize] += weight,
            Work::Scalar => self.scalar += weight,
            Work::ScalarMove => self.scalar_moves += weight,
            Work::Transfer => self.transfers += weight,
            Work::Integer if is_before_branch => {}
            Work::Integer => self.integer += weight,
            Work::Nothing => {}
        }
        if work::is_float(instruction) {
            self.float += weight;
            self.fused += if work::is_fused(instruction) { weight } else { 0.0 };
        }
        self.crypto += if work::is_crypto(instruction) { weight } else { 0.0 };
    }

    /// Adds another, each of whose sums counts `factor` times.
    pub(crate) fn add_mix(&mut self, other: &Self, factor: f64) {
        for width in Width::ALL.map(|width| width as usize) {
            self.packed[width] += factor * other.packed[width];
            self.moved[width] += factor * other.moved[width];
            self.either[width] += factor * other.either[width];
        }
        self.scalar += factor * other.scalar;
        self.scalar_moves += factor * other.scalar_moves;
        self.transfers += factor * other.transfers;
        self.integer += factor * other.integer;
        self.float += factor * other.float;
        self.fused += factor * other.fused;
        self.crypto += factor * other.crypto;
    }

    /// All weights.
    pub(crate) fn total(&self) -> f64 {
        self.vectors() + sum(&self.either) + self.scalar + self.scalar_moves + self.transfers + self.integer
    }

    fn vectors(&self) -> f64 {
        sum(&self.packed) + sum(&self.moved)
    }

    /// What it is, on the whole.
    pub(crate) fn class(&self) -> Class {
        let total = self.total().max(f64::MIN_POSITIVE);
        if self.vectors() > self.scalar {
            let is_computed = sum(&self.packed) > 0.0;
            let least = if is_computed { LEAST_PACKED } else { LEAST_MOVED };
            if (self.vectors() + sum(&self.either)) / total >= least {
                return self.widest();
            }
        }
        let least = if self.scalar > 0.0 { LEAST_SCALAR } else { LEAST_MOVED };
        let is_scalar = (self.scalar + self.scalar_moves) / total >= least;
        if is_scalar { Class::Scalar } else { Class::Integer }
    }

    /// The class by the width in which most is done.
    fn widest(&self) -> Class {
        let done = |width: Width| {
            let sums = if sum(&self.packed) > 0.0 { &self.packed } else { &self.moved };
            width.factor() * sums[width as usize]
        };
        let widest = Width::ALL.into_iter().max_by(|a, b| done(*a).total_cmp(&done(*b)));
        match widest.expect("there are widths") {
            Width::W128 => Class::Sse,
            Width::W256 => Class::Avx2,
            Width::W512 => Class::Avx512,
        }
    }

    /// Of all instructions that work on vector registers, the part that works on whole vectors; of integer code, of all
    /// instructions.
    pub(crate) fn packed_share(&self, class: Class) -> f64 {
        // What scalar code and vector code both need counts with the larger of them.
        let (vectors, scalar) = (self.vectors(), self.scalar + self.scalar_moves);
        let vectors = if vectors > self.scalar { vectors + sum(&self.either) } else { vectors };
        let whole = if class == Class::Integer { self.total() } else { vectors + scalar };
        vectors / whole.max(f64::MIN_POSITIVE)
    }

    /// Of all instructions, the part that is steps of a cipher, a hash or a checksum.
    pub(crate) fn crypto_share(&self) -> f64 {
        self.crypto / self.total().max(f64::MIN_POSITIVE)
    }

    /// Of all instructions that compute with floating-point numbers, the part that multiplies and adds at once; `None`
    /// where there is none.
    pub(crate) fn fused_share(&self) -> Option<f64> {
        (self.float > 0.0).then(|| self.fused / self.float)
    }
}

fn sum(widths: &[f64; 3]) -> f64 {
    widths.iter().sum()
}
