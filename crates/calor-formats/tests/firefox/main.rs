//! The JSON of the Firefox Profiler from outside: every index points somewhere, and nothing of the profile's total is
//! lost or added.

#![cfg(feature = "firefox")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod generated;
mod indexes;
mod shown;
