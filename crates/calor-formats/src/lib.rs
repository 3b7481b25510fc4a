//! Profiles to bytes and back.
//!
//! **You get** one module for each format, and [`read`], which finds out by itself what it was given. Reading
//! takes bytes that may be cut off, damaged or made to do harm: it never panics, never takes memory out of
//! proportion to its input, and either hands over what could be read, with warnings in the profile about the
//! rest, or an error that says what was expected, what was found and where.
//!
//! **You bring** the files: this crate takes `&[u8]` and writes to `impl Write`, and knows no paths.
//!
//! Each format is a feature. `native` alone, which is the default, is what a program needs that records
//! itself; it brings a checksum and a compressor and nothing else.

#![forbid(unsafe_code)]

mod detect;
mod error;
#[cfg(feature = "native")]
pub mod native;

#[cfg(feature = "native")]
pub use detect::is_native;
pub use detect::read;
pub use error::Error;
