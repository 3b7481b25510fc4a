//! Names for addresses: which function an address is in, what was inlined there, and the line in the source. And, since it
//! comes from the same files, how to get from a function to its caller ([`unwind`]).
//!
//! **You get** whole chains of inlined functions from debug information wherever it lies (in the file, beside it,
//! under `/usr/lib/debug`, split into `.dwo` and `.dwp` files, compressed, shared by `dwz`), and else the name
//! from the symbol table. A name is given only when the address is inside what bears it: an address that nothing
//! covers stays unknown, since the nearest name would be a lie.
//!
//! Only the units of debug information that hold an asked address are read, and what has been read is kept in a
//! folder by build id, so that the next recording of the same program opens nothing.

#[cfg(not(target_os = "linux"))]
compile_error!("calor-symbols reads what Linux systems keep of processes");

mod cache;
mod debug_file;
mod dwarf;
pub mod image;
mod kernel;
mod mini;
mod own_thread;
mod places;
mod python_types;
mod shortcoming;
mod symbol_table;
mod symbolizer;
pub mod unwind;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use kernel::{KernelSymbol, KernelSymbols, KernelSymbolsError};
pub use own_thread::{begin_own_threads_with, cpu_nanos, own_threads_cpu_nanos};
pub use shortcoming::{Shortcoming, ShortcomingKind};
pub use symbolizer::Symbolizer;

type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::FixedState>;

/// What to resolve, and where to keep it.
#[derive(Clone, Debug)]
pub struct SymbolOptions {
    /// Whether functions that were inlined are named, or only those they were inlined into.
    pub inlines: bool,
    /// The folder that keeps what was found; `None` for no cache.
    pub cache: Option<PathBuf>,
    /// How many bytes the folder may hold before the oldest files in it are removed.
    pub cache_bytes: u64,
    /// Images that took less time than this are resolved again rather than kept.
    pub cache_from: Duration,
}

impl Default for SymbolOptions {
    fn default() -> Self {
        Self {
            inlines: true,
            cache: cache::default_folder(),
            cache_bytes: cache::DEFAULT_BYTES,
            cache_from: Duration::from_millis(5),
        }
    }
}

/// A function at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, demangled.
    pub name: Arc<str>,
    /// The source file in which the address lies, or from which the next function was called.
    pub file: Option<Arc<str>>,
    /// The line in that file.
    pub line: Option<u32>,
    /// Whether it was inlined into the function before it.
    pub is_inlined: bool,
}
