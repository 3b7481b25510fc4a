//! The heap of a program, watched by a library that is loaded into it. The library counts in a file that this side
//! maps: looking costs the program nothing, and what it counted is there however it ends.

mod door;
mod fold;
mod folded;
mod folder;
mod frames;
mod gathering;
mod histograms;
mod interpreter;
mod memory;
mod own;
mod own_allocator;
mod part;
mod paths;
mod points;
mod reason;
mod region;
mod snapshots;
mod told;
mod unseen;
mod unwatched;
mod watch;

pub use calor_preload::Way as HeapWay;
pub use own::OwnHeap;
pub use part::HeapPaths;
pub(crate) use unwatched::Unwatched;
pub(crate) use watch::{HeapWatch, Names};

/// Whether programs can be watched here at all; else why not.
///
/// # Errors
/// With what is missing, in words.
pub fn heap_ability() -> Result<(), &'static str> {
    if calor_preload::LIBRARY.is_empty() {
        return Err(
            "this build of calor has no library to load into programs: it is made for x86-64 Linux with glibc",
        );
    }
    Ok(())
}
