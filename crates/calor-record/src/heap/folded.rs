//! How much was folded into callers, said in words.

use calor_model::{Profile, Warning};

use crate::call_paths::naming::SMALL_PATHS;

/// What was folded of a process, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Folded {
    n_paths: u64,
    bytes: u64,
    /// Of these in all.
    of_bytes: u64,
}

impl Folded {
    /// Notes a path that allocated so much.
    pub(super) fn see(&mut self, bytes: u64, is_folded: bool) {
        self.of_bytes = self.of_bytes.saturating_add(bytes);
        if is_folded {
            self.n_paths += 1;
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    /// Adds what was folded of a process in one part of many: its paths count in the last one.
    pub(super) fn add(&mut self, other: Self, is_last: bool) {
        self.n_paths += if is_last { other.n_paths } else { 0 };
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.of_bytes = self.of_bytes.saturating_add(other.of_bytes);
    }

    pub(super) fn warn(self, profile: &mut Profile) {
        if self.n_paths > 0 {
            let percent = 100.0 * self.bytes as f64 / self.of_bytes.max(1) as f64;
            profile.warn(Warning::counted(
                "heap_paths_folded",
                format!(
                    "call paths that matter little were folded into their callers, where they are shown as \
                     `{SMALL_PATHS}`: they have {percent:.1} % of the bytes allocated, and all sums are whole; \
                     --heap-paths=all keeps each of them"
                ),
                self.n_paths,
            ));
        }
    }
}
