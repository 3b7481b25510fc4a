//! Memory for the loader while it looks for the real allocator on our behalf: it may allocate before there is one.
//!
//! # Safety
//! Pieces of the room are handed out once each, and never beyond its end.

use core::cell::UnsafeCell;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

const LENGTH: usize = 64 * 1024;

#[repr(align(16))]
struct Room(UnsafeCell<[u8; LENGTH]>);

unsafe impl Sync for Room {}

static ROOM: Room = Room(UnsafeCell::new([0; LENGTH]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// A block that is never given back, zeroed; null when there is no room.
pub(crate) fn block(size: usize) -> *mut u8 {
    let size = size.max(1).saturating_add(15) & !15;
    let at = USED.fetch_add(size, Relaxed);
    if at.saturating_add(size) > LENGTH {
        return core::ptr::null_mut();
    }
    unsafe { ROOM.0.get().cast::<u8>().add(at) }
}

/// Whether a block is one of these.
#[inline(always)]
pub(crate) fn is_early(block: *const u8) -> bool {
    (block as usize).wrapping_sub(ROOM.0.get() as usize) < LENGTH
}

/// How many bytes there may be in such a block.
pub(crate) fn room_behind(block: *const u8) -> usize {
    LENGTH - (block as usize - ROOM.0.get() as usize)
}
