//! One file for each table of the profile, with its two directions side by side: `encode` writes the columns,
//! `decode` reads and checks them.

pub(super) mod code;
pub(super) mod counters;
mod durations;
pub(super) mod events;
pub(super) mod frames;
pub(super) mod gpu;
pub(super) mod gpu_scopes;
pub(super) mod heap;
pub(super) mod heap_histograms;
pub(super) mod heap_snapshots;
pub(super) mod labels;
pub(super) mod links;
pub(super) mod runs;
pub(super) mod samples;
mod scope_work;
pub(super) mod scopes;
pub(super) mod stacks;
pub(super) mod strings;
pub(super) mod threads;
pub(super) mod timeline;
pub(super) mod warnings;

use calor_model::{Profile, Warning};

/// Says that values of an enumeration were met which a later version has added.
fn warn_of_unknown(profile: &mut Profile, what: &str, n_unknown: u64) {
    if n_unknown > 0 {
        let message = format!(
            "the file holds {what} that this version of Calor does not know; update calor to see them as they are"
        );
        profile.warn(Warning::counted("unknown_value", message, n_unknown));
    }
}
