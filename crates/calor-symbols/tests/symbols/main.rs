//! Symbols of real programs, built here in every way that debug information can be laid out, and compared with
//! what binutils says and with what the source says.

#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod binutils;
mod cache;
mod damage;
mod languages;
mod layouts;
mod programs;
mod shared_parts;
