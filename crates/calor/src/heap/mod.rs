//! The heap of this program: who allocates, who holds, who held when it was largest.
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: calor::Alloc = calor::Alloc::system();
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let before = calor::heap::snapshot()?;
//!     let cache: Vec<Vec<u8>> = (0..64).map(|_| vec![1; 1 << 20]).collect();
//!     let after = calor::heap::snapshot()?;
//!
//!     let change = calor::heap::diff(&before, &after);
//!     println!("{} bytes more, {:?} with 95 % certainty", change.delta_bytes(), change.interval());
//!     for row in change.changes.iter().take(3) {
//!         println!("{:+} bytes in {}", row.delta_bytes(), after.path_names(row.stack).join(" > "));
//!     }
//!     println!("{} bytes at the peak", calor::heap::peak()?.bytes);
//!     # let folder = tempfile::tempdir()?;
//!     # std::env::set_current_dir(&folder)?;
//!     calor::save(&after, "heap.calor")?; // then: calor heap heap.calor
//!     # drop(cache);
//!     Ok(())
//! }
//! ```
//!
//! A recording ([`start_recording`](crate::start_recording)) has the heap in it, from the first block of the program on.
//!
//! **You get**, as soon as [`Alloc`] is the program's allocator, bytes and blocks allocated and freed in every scope
//! and the most that a call of it held; and call paths of blocks, of some (the default, cheap enough to leave on) or of
//! all ([`Alloc::exact`]), with no need of frame pointers.
//!
//! **Not for** memory that does not come from the allocator: what C libraries allocate, and what the program maps
//! itself. `calor record --heap` sees those. What Calor itself allocates in the program is not counted as the program's.

// Compiled everywhere, so that it does not rot.
#[cfg_attr(
    all(target_os = "linux", target_arch = "x86_64"),
    expect(dead_code, reason = "names are found here")
)]
mod addresses;
#[cfg(feature = "heap")]
mod alloc;
mod local;
mod look;
pub(crate) mod naming;
mod own;
mod scope_event;
pub mod told;
mod tracked;

#[cfg(feature = "heap")]
pub use alloc::Alloc;
pub(crate) use local::{Local, local};
#[cfg(feature = "report")]
pub use look::add_to;
#[cfg(feature = "report")]
pub use look::{HeapChange, HeapDifference, diff};
pub use look::{HeapError, Peak, live_bytes, peak, snapshot};
pub(crate) use look::{counts_scopes, image};
pub(crate) use own::{as_own, own_for_good};
pub(crate) use tracked::{end, is_installed};
