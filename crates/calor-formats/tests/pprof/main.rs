//! The pprof format from outside: files of other tools are read, what is written is read back, and nothing that
//! is read does harm.

#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod damaged;
mod fixtures;
mod foreign;
mod generated;
mod hostile;
mod message;
mod round_trip;
mod written;
