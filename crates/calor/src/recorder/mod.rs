//! The recorder: what scopes write into while a program runs.
//!
//! Each thread owns a [`block`]: a call tree of [`node`]s and a [`ring`] of finished scopes. Entering a scope
//! finds its node through the thread's [`child_table`]; leaving it writes 16 bytes into the ring; every 256
//! events the thread [`fold`]s them into exact statistics. Nobody locks, waits or allocates on that path.
//! Anyone may [`read`] a thread at any moment and [`convert`] what was found into a profile.

pub(crate) mod block;
mod buckets;
pub(crate) mod calibrate;
mod call;
mod child_table;
pub(crate) mod collected;
pub(crate) mod convert;
pub(crate) mod fold;
mod future;
mod here;
pub(crate) mod identities;
mod last_node;
#[cfg(feature = "told-heap")]
pub(crate) mod memory;
pub(crate) mod node;
#[cfg(feature = "tracing")]
mod place;
pub(crate) mod raw;
mod read;
pub(crate) mod registry;
mod ring;
mod scope;
pub(crate) mod state;
#[cfg(test)]
mod tests;
mod thread_names;

pub use call::CallScope;
pub use future::{InScope, Life, Scoped};
pub use here::Here;
pub use last_node::LastNode;
#[cfg(feature = "tracing")]
pub(crate) use place::Place;
pub use scope::{CountedScope, Scope};
pub use state::Options;
pub use thread_names::name_threads_by;
