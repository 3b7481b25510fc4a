//! The Calor SDK: see where the time of a Rust program goes, at about 22 ns a scope.
//!
//! ```
//! #[calor::profile]
//! fn step(batch: &[f32]) -> f32 {
//!     calor::scope!("sum");
//!     batch.iter().sum()
//! }
//!
//! calor::enable();
//! step(&[1.0, 2.0]);
//! let profile = calor::snapshot();
//! assert_eq!(profile.scopes.len(), 2);
//! ```
//!
//! **You get** exact count, total, self, min, max, standard deviation and percentiles for every call path, on
//! every thread; a timeline if asked for; async scopes with wall time, busy time and polls; recordings that
//! survive `SIGKILL`. **You bring** scopes: [`scope!`], [`open!`], [`context!`], `#[profile]`.
//!
//! **Promises to the program:** scopes never panic, wait or take a lock; memory is bounded (4,095 call paths a
//! thread, fixed rings), and what does not fit is counted and reported; only a scope with labels that are new to its
//! thread takes a short lock. While off, a scope costs one load.
//! Without the feature `record` there is nothing left: no code and no dependency.
//!
//! **Not for** signal handlers that interrupt the recorder itself (they harm nothing, but a scope may be lost),
//! and not for holding a [`Scope`] across an `await`: the guard stays on its thread. Record the future instead,
//! with `#[profile]` on its `async fn` or as `future.in_scope(calor::site!("name")).await`; see [`Scoped`]. Where
//! tasks stay on one thread the compiler does not object: name `calor::Scope` in the list
//! `await-holding-invalid-types` of `clippy.toml`, and Clippy does.

#[cfg(feature = "report")]
pub mod ab;
#[cfg(any(feature = "report", not(feature = "record")))]
mod ab_macro;
mod amount;
mod label;
mod label_name;
mod macros;
mod thread_bound;

#[cfg(not(feature = "record"))]
#[path = "off_ab.rs"]
pub mod ab;
#[cfg(feature = "record")]
pub mod causal;
#[cfg(not(feature = "record"))]
#[path = "off_causal.rs"]
pub mod causal;
#[cfg(feature = "report")]
pub mod classic;
#[cfg(feature = "record")]
mod clock;
#[cfg(feature = "record")]
mod control;
#[cfg(feature = "record")]
mod first_value;
#[cfg(feature = "record")]
mod fork;
#[cfg(all(feature = "gpu", target_os = "linux", target_arch = "x86_64"))]
pub mod gpu;
#[cfg(not(all(feature = "gpu", target_os = "linux", target_arch = "x86_64")))]
#[path = "off_gpu.rs"]
pub mod gpu;
#[cfg(feature = "told-heap")]
pub mod heap;
#[cfg(feature = "record")]
mod labelled_site;
#[cfg(feature = "record")]
pub mod link;
#[cfg(not(feature = "record"))]
#[path = "off_link.rs"]
pub mod link;
#[cfg(not(feature = "record"))]
mod off;
#[cfg(not(feature = "record"))]
mod off_classic;
#[cfg(not(feature = "heap"))]
mod off_heap;
#[cfg(feature = "record")]
mod own_memory;
#[cfg(feature = "record")]
mod process;
#[cfg(feature = "record")]
mod process_lock;
#[cfg(feature = "record")]
mod recorder;
#[cfg(feature = "record")]
mod recording;
#[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
pub mod sampling;
#[cfg(not(all(feature = "sampling", target_os = "linux", target_arch = "x86_64")))]
#[path = "off_sampling.rs"]
pub mod sampling;
#[cfg(feature = "record")]
mod saved;
#[cfg(feature = "record")]
mod site;
#[cfg(feature = "record")]
pub mod sync;
#[cfg(not(feature = "record"))]
#[path = "off_sync.rs"]
pub mod sync;
#[cfg(feature = "report")]
mod text_report;
#[cfg(feature = "record")]
mod time_on;
#[cfg(feature = "tracing")]
pub mod tracing;

pub use amount::Amount;
pub use calor_macros::skip;
#[cfg(feature = "heap")]
pub use heap::Alloc;
pub use label::LabelValue;
#[doc(hidden)]
pub use label_name::check_label;
#[cfg(not(feature = "heap"))]
pub use off_heap::Alloc;

#[cfg(feature = "record")]
pub use on::*;
#[cfg(feature = "record")]
mod on {
    //! What there is when Calor is compiled in; `off` has the same names with nothing behind them.

    pub use calor_formats::parts;
    pub use calor_macros::profile;
    pub use calor_model as model;

    #[cfg(feature = "report")]
    pub use crate::classic::*;
    #[doc(hidden)]
    pub use crate::control::leave_out_since_enabled;
    pub use crate::control::{disable, enable, enable_with, is_enabled, reset, snapshot};
    pub use crate::process::set_label;
    pub use crate::recorder::{
        CallScope, CountedScope, Here, InScope, LastNode, Life, Options, Scope, Scoped, name_threads_by,
    };
    pub use crate::recording::{
        Recorded, Recording, RecordingError, RecordingOptions, start_recording, start_recording_to,
        stop_recording, try_start_recording,
    };
    #[doc(hidden)]
    pub use crate::saved::save_bytes;
    pub use crate::saved::{SaveError, save};
    pub use crate::site::{CallWork, Site};
    #[cfg(feature = "report")]
    pub use crate::text_report::report;
}

#[cfg(not(feature = "record"))]
pub use calor_macros::profile_off as profile;
#[cfg(not(feature = "record"))]
pub use off::*;
#[cfg(not(feature = "record"))]
pub use off_classic::*;
