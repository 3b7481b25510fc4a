//! `calor stat` as a user meets it, on a program of which it is known what it costs.
#![cfg(target_os = "linux")]

mod counting;
mod endings;
mod permission;
#[path = "../command/schema_check.rs"]
mod schema_check;
mod simulation;
mod workbench;
