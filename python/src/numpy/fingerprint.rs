//! Whether a call has the operands of the call before it at its line, unchanged: the same memory, and the same values in a few
//! places of it. Asked of large arrays only, and of those of a line that runs often not each time: those places are rarely in
//! the processor's caches, and fetching them early would cost some percent of an addition. An array that was changed in
//! between, but in none of those places, is taken for the same.

#![expect(unsafe_code, reason = "elements of live arrays are read by their addresses")]

use std::sync::atomic::Ordering::Relaxed;

use super::call::Call;
use super::layout::Array;
use super::operation::Origin;
use super::site_table::Known;

/// Bytes of a call from where on it is asked.
pub(super) const LEAST_BYTES: u64 = 1 << 18;
/// Calls of a site that are all looked at. Of later ones two in a row are, once in so many, and stand for as many.
const ALL_OF: u32 = 64;
const ONCE_IN: u32 = 16;
/// Elements of an operand that are looked at.
const PROBES: i64 = 8;
/// What changes its operand: the same again is no repetition.
const CHANGES: [&str; 9] = [
    "copyto",
    "fill_diagonal",
    "ndarray.fill",
    "ndarray.partition",
    "ndarray.put",
    "ndarray.resize",
    "ndarray.sort",
    "place",
    "put",
];
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether a call of large operands is one of those that are not looked at; then it is counted as such.
#[inline]
pub(super) fn passes_over(known: &Known) -> bool {
    let n = known.n_large.load(Relaxed);
    let passes = n.checked_sub(ALL_OF).is_some_and(|n| n % ONCE_IN >= 2);
    if passes {
        known.n_large.store(n.saturating_add(1), Relaxed);
    }
    passes
}

/// How many calls with the operands of the call before it this one stands for.
///
/// # Safety
/// The objects of the call are live.
pub(super) unsafe fn repetitions(known: &Known, call: &Call<'_>) -> u32 {
    let n = known.n_large.load(Relaxed);
    known.n_large.store(n.saturating_add(1), Relaxed);
    let (is_looked_at, stands_for) = match n.checked_sub(ALL_OF) {
        None => (true, 1),
        Some(n) => (n % ONCE_IN < 2, if n % ONCE_IN == 1 { ONCE_IN } else { 0 }),
    };
    // SAFETY: by the caller's promise.
    if is_looked_at && unsafe { is_same(known, call) } { stands_for } else { 0 }
}

/// Whether the operands are those of the call that was looked at before.
///
/// # Safety
/// The objects of the call are live.
unsafe fn is_same(known: &Known, call: &Call<'_>) -> bool {
    if !matches!(
        known.operation.origin,
        Origin::Ufunc { .. }
            | Origin::Generalised { .. }
            | Origin::UfuncMethod
            | Origin::Function
            | Origin::Method
    ) || CHANGES.contains(&known.operation.name.as_str())
    {
        return false;
    }
    let mut print = 0;
    for operand in call.operands() {
        // SAFETY: by the caller's promise.
        match unsafe { Array::of(operand) } {
            Some(array) => print = mixed(print, of_array(array)),
            None => print = mixed(print, operand.addr() as u64),
        }
    }
    let print = print | 1;
    known.last_operands.swap(print, Relaxed) == print
}

fn of_array(array: Array) -> u64 {
    let bytes = array.item_bytes().min(8) as usize;
    let mut print = array.data().addr() as u64;
    if array.len() == 0 || array.kind() == b'O' {
        return print;
    }
    for probe in 0..PROBES {
        let axes = array.dimensions().iter().zip(array.strides());
        let offset: i64 = axes.map(|(n, stride)| (n - 1) * probe / (PROBES - 1) * stride).sum();
        let mut value = [0_u8; 8];
        // SAFETY: the element lies inside the array, which is live, and has at least so many bytes.
        unsafe {
            let element = array.data().offset(offset as isize);
            std::ptr::copy_nonoverlapping(element, value.as_mut_ptr(), bytes);
        }
        print = mixed(print, u64::from_ne_bytes(value));
    }
    print
}

fn mixed(print: u64, value: u64) -> u64 {
    (print ^ value).wrapping_mul(MIX).rotate_left(31)
}
