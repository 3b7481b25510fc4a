//! The heap of this program: who allocates, who holds, who held when it was largest.
//!
//! ```no_run
//! #[global_allocator]
//! static ALLOCATOR: calor::Alloc = calor::Alloc::system();
//!
//! fn main() -> Result<(), calor::heap::HeapError> {
//!     calor::enable();
//!     // ... the program ...
//!     println!("{} bytes at the peak", calor::heap::peak()?.bytes);
//!     let before = calor::heap::snapshot()?;
//!     # let _ = before;
//!     Ok(())
//! }
//! ```
//!
//! **You get**, as soon as [`Alloc`] is the program's allocator, bytes and blocks allocated and freed in every scope
//! and the most that a call of it held; and call paths of blocks, of some (the default, cheap enough to leave on) or of
//! all ([`Alloc::exact`]), with no need of frame pointers.
//!
//! **Not for** memory that does not come from the allocator: what C libraries allocate, and what the program maps
//! itself. `calor record --heap` sees those.

mod alloc;
mod local;
mod look;
mod naming;
mod tracked;

pub use alloc::Alloc;
#[cfg(feature = "report")]
pub use look::{HeapChange, HeapDifference, diff};
pub use look::{HeapError, Peak, live_bytes, peak, snapshot};
pub(crate) use tracked::is_installed;
