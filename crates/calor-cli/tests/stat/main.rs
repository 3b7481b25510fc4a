//! `calor stat` and `calor record --counters` as a user meets them, on a program of which it is known what it costs.
#![cfg(target_os = "linux")]

mod by_function;
mod counting;
mod endings;
mod permission;
#[path = "../command/schema_check.rs"]
mod schema_check;
mod simulation;
mod workbench;
