//! `calor ab --why` on implementations of one operation, each with one thing wrong with it: built here, timed, recorded and
//! explained for real. What is asserted does not depend on how busy the machine is: the planted cause comes from code and
//! counts, not from small differences of time.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod commands;
mod functions;
mod workbench;
