//! `calor record` as a user meets it: real programs, started and attached to, that behave in every way programs do.
//! Where the kernel lets nobody sample, the same tests check that the command says so, and print that they did.

#![cfg(target_os = "linux")]

mod attaching;
mod debug_files;
mod endings;
mod files;
#[path = "../installed/interpreters.rs"]
mod interpreters;
mod odd_programs;
mod output;
mod parts;
mod permission;
mod python;
mod python_elsewhere;
mod saving;
mod signals;
mod stacks;
mod starting;
mod waiting;
mod workbench;
