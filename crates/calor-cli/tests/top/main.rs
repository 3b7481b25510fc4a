//! `calor top` as a user meets it: in a terminal, with keys, over programs that run. Where the kernel lets nobody sample,
//! only what needs no samples is tested, and the tests print that.

#![cfg(target_os = "linux")]

mod leaving;
mod looking;
mod saving;
mod terminal;
mod without_terminal;
mod workbench;
