//! Chrome's trace events from outside: what other tools write is read, what is written reads back, and nothing that
//! is read does harm.

#![cfg(all(feature = "chrome", feature = "gzip"))]
#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod cut;
mod damaged;
mod fixtures;
mod gpu;
mod odd;
mod round_trip;
mod told;
mod written;
