//! Adding one profile to another.

use crate::destinations::Destinations;
use crate::rewrite::{Selection, Walk};
use crate::transfer::Transfer;
use crate::{HeapKey, Profile, Run};

impl Profile {
    /// Takes in everything that `other` holds. What is equal by content (names, places, call paths, threads,
    /// labels) becomes one, and what was recorded there adds up.
    ///
    /// The laws, where two profiles are equal if their [canonical](Profile::canonical) forms are:
    /// - an empty profile changes nothing, on either side;
    /// - the order does not matter: `a` and `b` make what `b` and `a` make;
    /// - nor does the grouping: `a` and (`b` and `c`) make what (`a` and `b`) and `c` make.
    ///
    /// Counts, totals, extremes and histograms are exact; the spread of durations and the variance of estimates
    /// hold to within the rounding of a float.
    ///
    /// - Parts of one run (same id) become one run; other runs are kept apart.
    /// - Times stay relative to the start of the run they came from. Spans, marks and points are appended: sort
    ///   the [timeline](crate::Timeline::sort) and the [counters](crate::CounterTable::sort) when all is merged.
    /// - Of two heap peaks the larger counts, of two of the same size the earlier, and sites keep what they held
    ///   at that moment. A peak of the same size at the same time is one peak told twice: for each site the
    ///   larger figure counts. Snapshots of the heap are all kept; those of one instant add up.
    ///
    /// The cost is in proportion to `other`, whatever `self` holds, so a recording may be written as many small
    /// parts and put together when it is read.
    pub fn merge(&mut self, other: &Self) {
        let destinations = Destinations::unchanged(other);
        let mut transfer = Transfer::new(other, self, &other.stacks, None);
        transfer.all();
        let mut walk =
            Walk { transfer: &mut transfer, destinations: &destinations, selection: &Selection::default() };
        walk.scopes();
        walk.timeline();
        walk.samples();
        walk.code();
        walk.events();
        walk.gpu();
        walk.counters();

        let mut heap = std::mem::take(&mut transfer.into.heap);
        heap.absorb(&other.heap, |key| HeapKey {
            stack: transfer.stack(key.stack),
            thread: transfer.thread(key.thread),
            labels: transfer.labels(key.labels),
        });
        heap.absorb_snapshots(&other.heap, |_| true, |stack| Some(transfer.stack(stack)));
        self.heap = heap;
        other.runs.iter().for_each(|run| self.absorb_run(run));
        other.warnings.iter().for_each(|warning| self.warn(warning.clone()));
    }

    fn absorb_run(&mut self, run: &Run) {
        match self.runs.binary_search_by_key(&run.id, |known| known.id) {
            Ok(at) => self.runs[at].absorb(run),
            Err(at) => self.runs.insert(at, run.clone()),
        }
    }
}
