//! The library that is loaded into a program to watch its heap, as bytes, and the words in which it is told what to do.
//! Its sources are in `src/library`; the build script compiles them.

use std::ffi::OsString;
use std::path::Path;

/// The library; empty where programs cannot be watched in this way.
pub static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcalor_preload.so"));

/// The environment variable that tells the library what to do. Without it, it does nothing.
pub const VARIABLE: &str = "CALOR_HEAP";

/// The file name of the library: what ends in it is left out of call paths.
pub const FILE_NAME: &str = "libcalor_preload.so";

/// How a program is to be watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Every block.
    Exact,
    /// Some blocks: one for every so many bytes.
    Sampled(u64),
}

/// The value of [`VARIABLE`]: how to watch, and the folder in which each process leaves its counts.
#[must_use]
pub fn instructions(way: Way, folder: &Path) -> OsString {
    let mut words = OsString::from(match way {
        Way::Exact => "exact:524288:".to_owned(),
        Way::Sampled(bytes) => format!("sampled:{bytes}:"),
    });
    words.push(folder);
    words
}
