//! `calor record --heap` on real programs that know what they allocated: exact where it says so, and no program is
//! hurt, however odd it is.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

mod blind_spots;
mod exactness;
mod folding;
#[path = "../installed/interpreters.rs"]
mod interpreters;
mod languages;
mod mappings;
mod python;
mod stress;
mod unwatched;
mod workbench;
