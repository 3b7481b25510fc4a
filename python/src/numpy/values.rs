//! What the values of arrays say, looked at once for each site: whether numbers of eight bytes are those of four, and whether
//! indices are evenly spaced.

#![expect(unsafe_code, reason = "elements of live arrays are read by their addresses")]

use super::layout::{Array, C_CONTIGUOUS};

/// Elements that are looked at.
const LOOKED_AT: u64 = 1024;
/// Smaller arrays are not worth asking for.
const LEAST_ELEMENTS: u64 = 4096;

/// `float32` if all numbers of large arrays of float64 are the same as such, `float64` if not; `None` where there are none, or
/// all that were looked at are 0, which says nothing.
pub(super) fn fits(arrays: &[Array]) -> Option<&'static str> {
    let large = |array: &&Array| {
        array.kind() == b'f'
            && array.item_bytes() == 8
            && array.flags() & C_CONTIGUOUS != 0
            && array.len() >= LEAST_ELEMENTS
            && array.data().addr().is_multiple_of(8)
    };
    let mut has_values = false;
    let mut any = false;
    for array in arrays.iter().filter(large) {
        any = true;
        let (len, step) = (array.len(), (array.len() / LOOKED_AT).max(1));
        for at in (0..len).step_by(step as usize) {
            // SAFETY: the element lies inside a contiguous array of such numbers, which is live.
            let value = unsafe { array.data().cast::<f64>().add(at as usize).read() };
            let is_same = f64::from(value as f32) == value || value.is_nan();
            if !is_same {
                return Some("float64");
            }
            has_values |= value != 0.0 && !value.is_nan();
        }
    }
    (any && has_values).then_some("float32")
}

/// Whether the indices in an array are evenly spaced; `None` if there are too few to say, or they are no indices. All are looked
/// at, since one that differs has a slice give something else: the call itself does more with each, and this is once a site.
pub(super) fn is_regular(array: Array) -> Option<bool> {
    let is_index = matches!(array.kind(), b'i' | b'u') && array.item_bytes() == 8;
    let [len] = array.dimensions() else { return None };
    let [stride] = array.strides() else { return None };
    if !is_index || *len < 3 {
        return None;
    }
    // SAFETY: the element lies inside a live array of 64-bit integers.
    let at =
        |index: i64| unsafe { array.data().offset((index * stride) as isize).cast::<i64>().read_unaligned() };
    let (first, step) = (at(0), at(1).wrapping_sub(at(0)));
    let fits = |index: i64| at(index) == first.wrapping_add(step.wrapping_mul(index));
    Some(step != 0 && (2..*len).all(fits))
}
