//! The `.calor` format from outside: what is written is read back, and nothing that is read does harm.

#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod compatible;
mod cut;
mod damaged;
mod generated;
mod hostile;
mod round_trip;
mod sample;
