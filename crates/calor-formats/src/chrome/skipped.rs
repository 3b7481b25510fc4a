//! What of a trace has no place in a profile, counted, so that nobody takes its absence for quiet.

use calor_model::{Profile, Warning};

use super::nesting::Misfits;

/// Events that were left out, by what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Skipped {
    /// Events that make no sense.
    pub(super) malformed: u64,
    /// Values of counters that are no numbers.
    pub(super) values: u64,
    asynchronous: u64,
    flows: u64,
    samples: u64,
    other: u64,
}

impl Skipped {
    /// Counts an event of a phase that is not read.
    pub(super) fn count(&mut self, phase: &[u8]) {
        let kind = match phase {
            b"b" | b"e" | b"n" | b"S" | b"T" | b"F" | b"p" => &mut self.asynchronous,
            b"s" | b"t" | b"f" => &mut self.flows,
            b"P" => &mut self.samples,
            b"N" | b"O" | b"D" | b"V" | b"v" | b"c" | b"(" | b")" | b"a" | b"A" => &mut self.other,
            _ => &mut self.malformed,
        };
        *kind += 1;
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        for (count, code, message) in [
            (
                self.malformed,
                "events_malformed",
                "events without a phase, time or length that makes sense were left out",
            ),
            (self.values, "counter_values_malformed", "values of counters that are no numbers were left out"),
            (
                self.asynchronous,
                "async_events_skipped",
                "asynchronous events (b, e, n) belong to no call tree and were left out",
            ),
            (
                self.flows,
                "flow_events_skipped",
                "flow events (s, t, f), the arrows between threads, were left out",
            ),
            (self.samples, "sample_events_skipped", "samples (P) were left out; only scopes were read"),
            (self.other, "events_skipped", "events about objects, memory dumps and clocks were left out"),
        ] {
            if count > 0 {
                profile.warn(Warning::counted(code, message, count));
            }
        }
    }
}

impl Misfits {
    pub(super) fn warn(&self, profile: &mut Profile) {
        for (count, code, message) in [
            (
                self.unclosed,
                "scopes_unclosed",
                "scopes whose end is missing count until their caller's end or the last event of the trace",
            ),
            (self.unopened, "ends_without_begin", "ends of scopes whose beginning is missing were left out"),
            (
                self.overlapping,
                "spans_overlap",
                "scopes of one thread overlap without being inside each other; they stand side by side, and \
                 their caller's own time may be too small",
            ),
            (
                self.too_deep,
                "nesting_too_deep",
                "scopes are nested deeper than call paths are followed; the deepest stand side by side",
            ),
        ] {
            if count > 0 {
                profile.warn(Warning::counted(code, message, count));
            }
        }
    }
}
