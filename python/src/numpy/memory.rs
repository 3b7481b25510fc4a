//! Reading fields of objects whose layout the stable interface of Python does not tell.

#![expect(unsafe_code, reason = "fields of objects of Python and NumPy are read by their offset")]

/// The value at an offset into an object.
///
/// # Safety
/// There is a `T` at that offset, as `check` in `layout` has found out for the types it is used on.
#[inline(always)]
pub(super) unsafe fn read<T: Copy>(object: *const impl Sized, offset: usize) -> T {
    // SAFETY: by the caller's promise.
    unsafe { object.cast::<u8>().add(offset).cast::<T>().read() }
}

/// The place of a value at an offset into an object.
#[inline(always)]
pub(super) fn at<T>(object: *const impl Sized, offset: usize) -> *mut T {
    object.cast::<u8>().wrapping_add(offset).cast::<T>().cast_mut()
}
