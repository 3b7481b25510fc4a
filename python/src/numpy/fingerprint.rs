//! Whether a call has the operands of the call before it at its line, unchanged: the same memory, and the same values in some
//! places of it. Both calls of a pair are looked at in the same places, and each pair in others, so that whatever is written
//! to between calls is found sooner or later: after [`PHASES`] pairs all of the memory was looked at, and what is written in one
//! piece of [`BLOCK`] bytes is seen by any pair. How much was looked at is told with the counts, since few pairs prove nothing.
//!
//! Asked of large arrays only, of those of a line that runs often not each time, and no more once something had changed: those
//! places are rarely in the processor's caches.

#![expect(unsafe_code, reason = "elements of live arrays are read by their addresses")]

use std::sync::atomic::Ordering::Relaxed;

use pyo3::ffi::{self, PyObject};

use super::call::Call;
use super::layout::Array;
use super::operation::Origin;
use super::site_table::Known;

/// Bytes of a call from where on it is asked.
pub(super) const LEAST_BYTES: u64 = 1 << 18;
/// Calls of a site that are all looked at, so that all of their operands is. Of later ones two in a row are, once in so many, and
/// stand for as many. An addition of 100,000 numbers costs 9 % more while all are looked at (AMD EPYC).
const ALL_OF: u32 = 40;
const ONCE_IN: u32 = 128;
/// The number of calls of a site that is asked no more.
const NEVER_AGAIN: u32 = u32::MAX;
/// Of each block of so many bytes one run is looked at, another one by each pair.
const BLOCK: u64 = 1 << 13;
const PHASES: u64 = 32;
const RUN: u64 = BLOCK / PHASES;
/// The same for arrays with gaps, in elements.
const ELEMENTS: u64 = 1 << 10;
const ELEMENTS_OF_RUN: u64 = ELEMENTS / PHASES;
/// Elements from the first to the last that are looked at by every pair.
const PROBES: i64 = 8;
/// How far into tuples and lists operands are looked for, and how many of one are.
const MAX_DEPTH: u32 = 2;
const MAX_ITEMS: isize = 16;
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

/// What a call and the one before it at its line have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pair {
    /// The operands are others, or nobody can tell.
    Others,
    /// The same memory, and the same values in all places that were looked at: in so many thousandths of it.
    Same { thousandths: u32 },
    /// The same memory, and other values.
    Changed,
}

/// Whether a call of large operands is one of those that are not looked at; then it is counted as such.
#[inline]
pub(super) fn passes_over(known: &Known) -> bool {
    let n = known.n_large.load(Relaxed);
    let passes = n == NEVER_AGAIN || n.checked_sub(ALL_OF).is_some_and(|n| n % ONCE_IN >= 2);
    if passes {
        known.n_large.store(n.saturating_add(1), Relaxed);
    }
    passes
}

/// Compares a call with the one before it; `None` where it is not looked at, or is the first of two. With how many calls the pair
/// stands for.
///
/// # Safety
/// The objects of the call are live, and the thread has the interpreter's lock.
pub(super) unsafe fn pair(known: &Known, call: &Call<'_>) -> Option<(Pair, u32)> {
    let n = known.n_large.load(Relaxed);
    if n == NEVER_AGAIN || !may_repeat(known) {
        known.n_large.store(NEVER_AGAIN, Relaxed);
        return None;
    }
    known.n_large.store(n.saturating_add(1), Relaxed);
    // Of each pair the number, which says where to look.
    let (ends, begins, stands_for) = match n.checked_sub(ALL_OF) {
        None => (n.checked_sub(1), Some(n), 1),
        Some(late) => match (late % ONCE_IN, ALL_OF + late / ONCE_IN) {
            (0, number) => (None, Some(number), 0),
            // The first of them comes after none that were passed over.
            (1, number) => (Some(number), None, if late < ONCE_IN { 2 } else { ONCE_IN }),
            _ => return None,
        },
    };
    // SAFETY: by the caller's promise.
    let seen = |number: u32| unsafe { Print::of(call, number) };
    let compared = ends.map(|number| {
        let Some(print) = seen(number) else { return Pair::Others };
        if known.last_memory.load(Relaxed) != print.memory {
            Pair::Others
        } else if known.last_values.load(Relaxed) == print.values {
            Pair::Same { thousandths: print.thousandths }
        } else {
            Pair::Changed
        }
    });
    if compared == Some(Pair::Changed) {
        known.n_large.store(NEVER_AGAIN, Relaxed);
    } else if let Some(number) = begins {
        let print = seen(number).unwrap_or(Print::NONE);
        known.last_memory.store(print.memory, Relaxed);
        known.last_values.store(print.values, Relaxed);
    }
    compared.map(|pair| (pair, stands_for))
}

/// Whether the operation gives the same for the same.
fn may_repeat(known: &Known) -> bool {
    matches!(
        known.operation.origin,
        Origin::Ufunc { .. }
            | Origin::Generalised { .. }
            | Origin::UfuncMethod
            | Origin::Function
            | Origin::Method
    ) && !CHANGES.contains(&known.operation.name.as_str())
}

/// What the operands of a call are like.
struct Print {
    /// Where arrays lie and what they look like, and what else is given.
    memory: u64,
    /// Values of the arrays, where this pair looks.
    values: u64,
    /// How much of the array that was looked at least.
    thousandths: u32,
    n_arrays: u32,
    number: u64,
}

impl Print {
    /// What no call has.
    const NONE: Self = Self { memory: 0, values: 0, thousandths: 0, n_arrays: 0, number: 0 };

    /// `None` where there is no array, or something of which it cannot be told whether it stays the same.
    ///
    /// # Safety
    /// As for [`pair`].
    unsafe fn of(call: &Call<'_>, number: u32) -> Option<Self> {
        let mut print = Self { memory: 1, thousandths: 1000, number: u64::from(number), ..Self::NONE };
        // SAFETY: by the caller's promise.
        unsafe {
            for operand in call.operands() {
                print.add(operand, MAX_DEPTH)?;
            }
            if !call.names.is_null() {
                print.add(call.names, MAX_DEPTH)?;
                for argument in call.arguments.iter().skip(call.n_positional) {
                    print.add(*argument, MAX_DEPTH)?;
                }
            }
            if !call.dictionary.is_null() {
                let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
                while ffi::PyDict_Next(call.dictionary, &raw mut at, &raw mut key, &raw mut value) != 0 {
                    print.add(key, MAX_DEPTH)?;
                    print.add(value, MAX_DEPTH)?;
                }
            }
        }
        print.memory |= 1;
        (print.n_arrays > 0).then_some(print)
    }

    /// Adds an operand. An object that is made anew for each call often lies where the last one did: numbers and texts are
    /// told by their value.
    ///
    /// # Safety
    /// The object is live, and the thread has the interpreter's lock.
    unsafe fn add(&mut self, object: *mut PyObject, depth: u32) -> Option<()> {
        // SAFETY: by the caller's promise; nothing here runs code of Python's.
        unsafe {
            if let Some(array) = Array::of(object) {
                return self.add_array(array);
            }
            let is_lasting = object == ffi::Py_None() || ffi::PyType_Check(object) != 0;
            let told = if is_lasting {
                object.addr() as u64
            } else if ffi::PyFloat_Check(object) != 0 {
                ffi::PyFloat_AsDouble(object).to_bits()
            } else if ffi::PyLong_Check(object) != 0 {
                let mut overflow = 0;
                let value = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
                (overflow == 0).then_some(value.cast_unsigned())?
            } else if ffi::PyUnicode_CheckExact(object) != 0 {
                ffi::PyObject_Hash(object).cast_unsigned() as u64
            } else if depth > 0 && ffi::PyTuple_CheckExact(object) != 0 {
                return self
                    .add_items(ffi::PyTuple_Size(object), depth, |at| ffi::PyTuple_GetItem(object, at));
            } else if depth > 0 && ffi::PyList_CheckExact(object) != 0 {
                return self.add_items(ffi::PyList_Size(object), depth, |at| ffi::PyList_GetItem(object, at));
            } else {
                return None;
            };
            self.memory = mixed(self.memory, told);
        }
        Some(())
    }

    /// # Safety
    /// As for [`Print::add`], of all items.
    unsafe fn add_items(
        &mut self,
        n: isize,
        depth: u32,
        item: impl Fn(isize) -> *mut PyObject,
    ) -> Option<()> {
        self.memory = mixed(self.memory, n.cast_unsigned() as u64);
        if n > MAX_ITEMS {
            return None;
        }
        // SAFETY: by the caller's promise.
        (0..n).try_for_each(|at| unsafe { self.add(item(at), depth - 1) })
    }

    fn add_array(&mut self, array: Array) -> Option<()> {
        // Of objects it is not known whether they change.
        if array.kind() == b'O' {
            return None;
        }
        self.n_arrays += 1;
        self.memory = mixed(self.memory, array.data().addr() as u64);
        for (n, stride) in array.dimensions().iter().zip(array.strides()) {
            self.memory = mixed(mixed(self.memory, n.cast_unsigned()), stride.cast_unsigned());
        }
        let (len, item) = (array.len(), array.item_bytes());
        if len == 0 || item == 0 {
            return Some(());
        }
        for probe in 0..PROBES {
            let axes = array.dimensions().iter().zip(array.strides());
            let offset: i64 = axes.map(|(n, stride)| (n - 1) * probe / (PROBES - 1) * stride).sum();
            self.add_bytes(array, offset, item.min(8));
        }
        let number = self.number;
        let (all, looked_at) = if array.is_contiguous() {
            let all = len * item;
            let each = |start: u64, n: u64| self.add_bytes(array, start.cast_signed(), n);
            (all, runs(all, BLOCK, RUN, number, each))
        } else {
            let each = |start: u64, n: u64| self.add_elements(array, start, n);
            (len, runs(len, ELEMENTS, ELEMENTS_OF_RUN, number, each))
        };
        let thousandths = (looked_at.saturating_mul(1000)).div_ceil(all).min(1000) as u32;
        self.thousandths = self.thousandths.min(thousandths);
        Some(())
    }

    /// Adds elements by their number in the order of the axes.
    fn add_elements(&mut self, array: Array, start: u64, n: u64) {
        let (dimensions, strides) = (array.dimensions(), array.strides());
        let (Some(row), Some(step)) = (dimensions.last(), strides.last()) else { return };
        let mut at = start;
        while at < start + n {
            let (mut rest, mut offset) = (at, 0);
            for (n, stride) in dimensions.iter().zip(strides).rev() {
                let n = n.cast_unsigned().max(1);
                offset += (rest % n).cast_signed() * stride;
                rest /= n;
            }
            let row = row.cast_unsigned().max(1);
            let of_row = (row - at % row).min(start + n - at);
            for element in 0..of_row.cast_signed() {
                self.add_bytes(array, offset + element * step, array.item_bytes());
            }
            at += of_row;
        }
    }

    /// Adds bytes of an array, in four lanes since one would wait for itself.
    #[inline]
    fn add_bytes(&mut self, array: Array, offset: i64, n: u64) {
        let n = n as usize;
        let mut lanes = [self.values, 1, 2, 3];
        // SAFETY: the bytes lie inside the array, which is live.
        unsafe {
            let from = array.data().offset(offset as isize);
            let mut at = 0;
            while at + 32 <= n {
                for (number, lane) in lanes.iter_mut().enumerate() {
                    *lane = mixed(*lane, from.add(at + 8 * number).cast::<u64>().read_unaligned());
                }
                at += 32;
            }
            while at < n {
                let mut value = [0_u8; 8];
                std::ptr::copy_nonoverlapping(from.add(at), value.as_mut_ptr(), (n - at).min(8));
                lanes[0] = mixed(lanes[0], u64::from_ne_bytes(value));
                at += 8;
            }
        }
        self.values = mixed(mixed(lanes[0], lanes[1]), mixed(lanes[2], lanes[3]));
    }
}

/// Calls with the beginning and the length of each run that a pair looks at, and gives how long they are together. Pairs of
/// [`PHASES`] in a row look at all there is, in an order that is another one each time.
fn runs(all: u64, block: u64, run: u64, number: u64, mut each: impl FnMut(u64, u64)) -> u64 {
    if all <= block {
        each(0, all);
        return all;
    }
    let drawn = (number / PHASES + 1).wrapping_mul(MIX) >> 32;
    let phase = ((number % PHASES) * (2 * (drawn % 16) + 1) + (drawn >> 8)) % PHASES;
    let mut looked_at = 0;
    let mut start = phase * run;
    while start < all {
        let n = run.min(all - start);
        each(start, n);
        looked_at += n;
        start += block;
    }
    looked_at
}

fn mixed(print: u64, value: u64) -> u64 {
    (print ^ value).wrapping_mul(MIX).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_in_a_row_look_at_all_there_is() {
        for all in [100, BLOCK, 3 * BLOCK + 700] {
            for first in [0, PHASES, 5 * PHASES] {
                let mut seen = vec![0_u8; all as usize];
                for number in first..first + PHASES {
                    runs(all, BLOCK, RUN, number, |start, n| {
                        seen[start as usize..(start + n) as usize].iter_mut().for_each(|byte| *byte |= 1);
                    });
                }
                assert!(seen.iter().all(|byte| *byte == 1), "{all} from {first}");
            }
        }
    }

    #[test]
    fn the_order_of_places_is_another_one_each_time() {
        let places = |round: u64| -> Vec<u64> {
            let of = |number| {
                let mut first = None;
                runs(2 * BLOCK, BLOCK, RUN, number, |start, _| first = first.or(Some(start)));
                first.expect("a run")
            };
            (round * PHASES..(round + 1) * PHASES).map(of).collect()
        };
        assert_ne!(places(0), places(1));
        assert_ne!(places(1), places(2));
    }
}
