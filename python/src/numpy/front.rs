//! Calls of one or two plain operands that were seen at the same place before. What tells them apart is not put together
//! into a key, but compared where it lies, and the place alone says where to look: that is half of the way through
//! [`super::site_table`], and most calls of most programs are such calls. Whatever is not found here goes that way.

#![expect(unsafe_code, reason = "operands are live objects of Python, looked at by their pointers")]

use std::cell::UnsafeCell;

use calor::{LastNode, Site};
use pyo3::ffi::{self, PyObject};

use super::call_site::Instant;
use super::layout::{Array, C_CONTIGUOUS, F_CONTIGUOUS};

/// Places that are remembered, 128 bytes each. Where two belong to one slot they drive each other out.
const PLACES: usize = 256;

/// A call that was seen.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Seen {
    instant: Instant,
    called: usize,
    /// What plain calls entered last.
    pub(super) last: LastNode,
    /// That of the call; `None` of nothing.
    site: Option<&'static Site>,
    operands: [Operand; 2],
}

/// An operand: an array of one or two dimensions, or a number of Python's.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Operand {
    /// The address of its type; 0 where there is no operand.
    kind: usize,
    /// Of an array how many dimensions it has; 0 of anything else.
    n_axes: u32,
    type_number: i32,
    first: i64,
    second: i64,
    order: i32,
}

impl Seen {
    const VACANT: Self =
        Self { instant: 0, called: 0, last: LastNode::NONE, site: None, operands: [Operand::NONE; 2] };
}

/// The calls of a thread.
pub(super) struct Front([UnsafeCell<Seen>; PLACES]);

impl Operand {
    const NONE: Self = Self { kind: 0, n_axes: 0, type_number: 0, first: 0, second: 0, order: 0 };

    /// What is remembered of an operand; `None` if it is not one of those.
    ///
    /// # Safety
    /// `object` is a live object.
    unsafe fn of(object: *mut PyObject) -> Option<Self> {
        // SAFETY: by the caller's promise.
        let kind = unsafe { ffi::Py_TYPE(object) }.addr();
        // SAFETY: as above.
        let Some(array) = (unsafe { Array::of_live(object) }) else {
            return Some(Self { kind, ..Self::NONE });
        };
        let (n_axes, first, second) = array.few_dimensions()?;
        let order = array.flags() & (C_CONTIGUOUS | F_CONTIGUOUS);
        (n_axes > 0).then_some(Self { kind, n_axes, type_number: array.type_number(), first, second, order })
    }

    /// Whether an object is such an operand.
    ///
    /// # Safety
    /// `object` is a live object.
    #[inline(always)]
    unsafe fn is(&self, object: *mut PyObject) -> bool {
        // SAFETY: by the caller's promise.
        if unsafe { ffi::Py_TYPE(object) }.addr() != self.kind {
            return false;
        }
        if self.n_axes == 0 {
            return true;
        }
        // SAFETY: its type is the one that the remembered array had.
        let array = unsafe { Array::of_known(object) };
        if array.n_axes() != self.n_axes || array.type_number() != self.type_number {
            return false;
        }
        // SAFETY: it has one dimension at least, and two where so many were counted.
        let is_of_shape =
            unsafe { array.axis(0) == self.first && (self.n_axes == 1 || array.axis(1) == self.second) };
        is_of_shape && array.flags() & (C_CONTIGUOUS | F_CONTIGUOUS) == self.order
    }
}

impl Front {
    pub(super) fn new() -> Self {
        Self([const { UnsafeCell::new(Seen::VACANT) }; PLACES])
    }

    /// Forgets all calls.
    ///
    /// # Safety
    /// Only the thread whose table this is uses it, and nobody holds a reference into it.
    pub(super) unsafe fn empty(&self) {
        for place in &self.0 {
            // SAFETY: by the caller's promise.
            unsafe { *place.get() = Seen::VACANT };
        }
    }

    /// What was seen of a call, and its site.
    ///
    /// # Safety
    /// Only the thread whose table this is uses it; there are `N` operands, one or two, all of them live.
    #[inline(always)]
    pub(super) unsafe fn find<const N: usize>(
        &self,
        instant: Instant,
        called: usize,
        operands: *const *mut PyObject,
    ) -> Option<(*mut Seen, &'static Site)> {
        let seen = self.place(instant, called);
        // SAFETY: by the caller's promise.
        unsafe {
            let is_it = (*seen).instant == instant
                && (*seen).called == called
                && (*seen).operands[0].is(*operands)
                && if N == 2 {
                    (*seen).operands[1].is(*operands.add(1))
                } else {
                    (*seen).operands[1].kind == 0
                };
            if is_it { (*seen).site.map(|site| (seen, site)) } else { None }
        }
    }

    /// Remembers a plain call.
    ///
    /// # Safety
    /// As for [`Front::find`].
    pub(super) unsafe fn remember<const N: usize>(
        &self,
        (instant, called): (Instant, usize),
        operands: *const *mut PyObject,
        (site, last): (&'static Site, LastNode),
    ) {
        let mut found = [Operand::NONE; 2];
        for (at, found) in found.iter_mut().enumerate().take(N) {
            // SAFETY: by the caller's promise.
            let Some(operand) = (unsafe { Operand::of(*operands.add(at)) }) else { return };
            *found = operand;
        }
        // SAFETY: by the caller's promise.
        unsafe {
            *self.place(instant, called) = Seen { instant, called, last, site: Some(site), operands: found };
        }
    }

    #[inline(always)]
    fn place(&self, instant: Instant, called: usize) -> *mut Seen {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (instant ^ called as u64).wrapping_mul(GOLDEN);
        // SAFETY: the number is below that of the places.
        unsafe { self.0.get_unchecked((mixed >> (64 - PLACES.trailing_zeros())) as usize) }.get()
    }
}
