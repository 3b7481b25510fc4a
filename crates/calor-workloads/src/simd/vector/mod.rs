//! Several numbers at once: what kernels need of the vectors of a processor. A kernel is written once, over [`Vector`], and
//! compiled for each set of instructions by a function that switches these on (see `table`); everything between is inlined
//! into it, so that the intrinsics become single instructions.
//!
//! # Safety
//! All methods may be called only where the processor has the instructions of the vector: in functions that were reached
//! through [`Table::at`](super::table::Table::at). Those with pointers need [`Vector::LANES`] numbers there, at any address.

#![expect(unsafe_code, reason = "vector instructions may be missing in a processor")]

use super::number::Number;

/// A vector made of intrinsics: its numbers, the names of what moves and computes them, and two expressions for what has
/// another form on every processor.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! vector {
    (
        $(#[$doc:meta])* $name:ident, $inner:ty, $number:ty, $lanes:literal,
        $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $max:ident, $min:ident,
        |$x:ident, $factor:ident, $summand:ident| $fused:expr, |$it:ident| $power:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($inner);

        impl Vector for $name {
            type Number = $number;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(number: $number) -> Self {
                // SAFETY: the caller knows that the processor has the instruction; see the opening of `vector`.
                Self(unsafe { $splat(number) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $number) -> Self {
                // SAFETY: the same, and the caller has that many numbers there.
                Self(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $number) {
                // SAFETY: the same, and the caller has room for that many numbers there.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn div(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                // SAFETY: the caller knows that the processor has the instruction.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
                let ($x, $factor, $summand) = (self.0, factor.0, summand.0);
                // SAFETY: the caller knows that the processor has the instructions.
                Self(unsafe { $fused })
            }
            #[inline(always)]
            unsafe fn power_of_two(self) -> Self {
                let $it = self.0;
                // SAFETY: the caller knows that the processor has the instructions.
                Self(unsafe { $power })
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use arm::{Neon32, Neon64};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2F32, Avx2F64, SseF32, SseF64};

/// The most lanes that any vector has.
const MOST_LANES: usize = 16;

/// Some numbers at once.
pub(crate) trait Vector: Copy {
    type Number: Number;
    const LANES: usize;

    unsafe fn splat(number: Self::Number) -> Self;
    unsafe fn load(from: *const Self::Number) -> Self;
    unsafe fn store(self, to: *mut Self::Number);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
    /// The larger one. Where one of them is no number it is `other`, or no number either.
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    /// `self * factor + summand`, at once where the processor can.
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// 2 to the power of the whole number in the lowest bits, where [`Number::ROUNDING`] leaves it.
    unsafe fn power_of_two(self) -> Self;

    /// Says that a place in memory is needed soon, where the processor listens.
    #[inline(always)]
    fn soon(at: *const Self::Number) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has the instruction, and it reads nothing: any address will do.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }

    /// The first `n` of the lanes from memory and `fill` in the others.
    #[inline(always)]
    unsafe fn load_part(from: *const Self::Number, n: usize, fill: Self::Number) -> Self {
        let mut lanes = [fill; MOST_LANES];
        // SAFETY: the caller has `n` numbers there, and `n` is below the lanes of any vector.
        unsafe {
            std::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr(), n);
            Self::load(lanes.as_ptr())
        }
    }

    /// The first `n` of the lanes to memory.
    #[inline(always)]
    unsafe fn store_part(self, to: *mut Self::Number, n: usize) {
        let mut lanes = [Self::Number::default(); MOST_LANES];
        // SAFETY: the caller has room for `n` numbers there, and `n` is below the lanes of any vector.
        unsafe {
            self.store(lanes.as_mut_ptr());
            std::ptr::copy_nonoverlapping(lanes.as_ptr(), to, n);
        }
    }

    /// The lanes as one, by `both`.
    #[inline(always)]
    unsafe fn fold(self, both: fn(Self::Number, Self::Number) -> Self::Number) -> Self::Number {
        let mut lanes = [Self::Number::default(); MOST_LANES];
        // SAFETY: there is room for the lanes of any vector.
        unsafe { self.store(lanes.as_mut_ptr()) };
        let mut n = Self::LANES;
        while n > 1 {
            n /= 2;
            for lane in 0..n {
                lanes[lane] = both(lanes[lane], lanes[lane + n]);
            }
        }
        lanes[0]
    }
}

/// One number, for processors whose vectors are not known here.
macro_rules! one_number {
    ($type:ty, $bits:ty, $mantissa:literal, $bias:literal) => {
        impl Vector for $type {
            type Number = $type;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn splat(number: $type) -> Self {
                number
            }
            #[inline(always)]
            unsafe fn load(from: *const $type) -> Self {
                // SAFETY: the caller has a number there.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $type) {
                // SAFETY: the caller has room for a number there.
                unsafe { to.write(self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            unsafe fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
                self * factor + summand
            }
            #[inline(always)]
            unsafe fn power_of_two(self) -> Self {
                <$type>::from_bits((self.to_bits() << $mantissa).wrapping_add(($bias as $bits) << $mantissa))
            }
        }
    };
}

one_number!(f32, u32, 23, 127);
one_number!(f64, u64, 52, 1023);
