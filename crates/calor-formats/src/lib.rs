//! Profiles to bytes and back.
//!
//! **You get** one module for each format, and [`read`], which finds out by itself what it was given. Reading
//! takes bytes that may be cut off, damaged or made to do harm: it never panics, never takes memory out of
//! proportion to its input, and either hands over what could be read, with warnings in the profile about the
//! rest, or an error that says what was expected, what was found and where.
//!
//! **You bring** the files: this crate takes `&[u8]` and writes to `impl Write`, or to an open file, and knows no paths.
//!
//! Each format is a feature. `native` alone, which is the default, is what a program needs that records
//! itself; it brings a checksum and a compressor and nothing else. `all` is every format.

#![forbid(unsafe_code)]

#[cfg(feature = "chrome")]
pub mod chrome;
mod compressed;
mod convert;
mod coverage;
#[cfg(feature = "csv")]
pub mod csv;
mod detect;
#[cfg(feature = "native")]
pub mod embedded;
mod encoding;
mod error;
#[cfg(feature = "firefox")]
pub mod firefox;
#[cfg(feature = "folded")]
pub mod folded;
mod format;
#[cfg_attr(not(feature = "all"), allow(dead_code, reason = "formats of others alone need it"))]
mod imported;
mod left_out;
mod metric;
#[cfg(feature = "native")]
pub mod native;
#[cfg_attr(not(feature = "all"), allow(dead_code, reason = "each format looks at another part of it"))]
mod opening;
#[cfg(feature = "native")]
pub mod parts;
#[cfg(feature = "perf-script")]
pub mod perf_script;
mod place;
#[cfg(feature = "pprof")]
pub mod pprof;
#[cfg(feature = "json")]
pub mod report;
#[cfg(feature = "speedscope")]
pub mod speedscope;
#[cfg_attr(not(feature = "all"), allow(dead_code, reason = "formats of others alone need it"))]
mod sums;
mod weights;

pub use convert::{WriteOptions, read, read_as, write};
pub use coverage::Coverage;
#[cfg(feature = "native")]
pub use detect::is_native;
pub use error::Error;
pub use format::Format;
pub use left_out::left_out;
pub use metric::Metric;
pub use place::Place;
pub use weights::{Weight, Weights, weights};
