//! What a scope did itself: its figures less those of the scopes it called.
//!
//! A scope's children are the nearest rows further in, of the same thread: frames between them without a row of their
//! own (functions that are no scopes, callers that were left out or never closed) are looked through. `callers` tells
//! which row that is where a path has several. A row without any caller that has a row counts as a root.

use crate::callers::Callers;
use crate::{Profile, ScopeStats};

/// Figures that a scope's row counts with its children's, as signed numbers so that they can be taken apart and
/// put together again without loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) nanos: i128,
    pub(crate) allocated_bytes: i128,
    pub(crate) allocated_count: i128,
    pub(crate) freed_bytes: i128,
    pub(crate) freed_count: i128,
}

impl Figures {
    pub(crate) fn of(stats: &ScopeStats) -> Self {
        let memory = stats.memory.unwrap_or_default();
        Self {
            nanos: i128::from(stats.total_nanos) + i128::from(stats.open_nanos),
            allocated_bytes: memory.allocated_bytes.into(),
            allocated_count: memory.allocated_count.into(),
            freed_bytes: memory.freed_bytes.into(),
            freed_count: memory.freed_count.into(),
        }
    }

    pub(crate) fn add(&mut self, other: &Self, sign: i128) {
        *self = self.with(other, |one, other| one + sign * other);
    }

    /// How much less others are than these, where they are.
    pub(crate) fn less(&self, others: &Self) -> Self {
        self.with(others, |one, other| (one - other).max(0))
    }

    /// How far they are below none.
    pub(crate) fn beyond(&self) -> Self {
        Self::default().less(self)
    }

    /// Shares of them in proportion to `weights`, of which none is negative. They add up to the whole, and none is larger
    /// than its weight unless the whole is larger than all weights. Where nothing weighs, the last has all.
    pub(crate) fn parts(&self, weights: &[Self]) -> Vec<Self> {
        let mut whole = Self::default();
        weights.iter().for_each(|weight| whole.add(weight, 1));
        let (mut so_far, mut given) = (Self::default(), Self::default());
        let mut parts: Vec<Self> = Vec::with_capacity(weights.len());
        for weight in weights {
            // Rounding the sums, and not the parts, loses nothing on the way.
            so_far.add(weight, 1);
            let due = Self {
                nanos: part_of(self.nanos, so_far.nanos, whole.nanos),
                allocated_bytes: part_of(self.allocated_bytes, so_far.allocated_bytes, whole.allocated_bytes),
                allocated_count: part_of(self.allocated_count, so_far.allocated_count, whole.allocated_count),
                freed_bytes: part_of(self.freed_bytes, so_far.freed_bytes, whole.freed_bytes),
                freed_count: part_of(self.freed_count, so_far.freed_count, whole.freed_count),
            };
            parts.push(due.with(&given, |due, given| due - given));
            given = due;
        }
        if let Some(last) = parts.last_mut() {
            last.add(self, 1);
            last.add(&given, -1);
        }
        parts
    }

    fn with(&self, other: &Self, join: impl Fn(i128, i128) -> i128) -> Self {
        Self {
            nanos: join(self.nanos, other.nanos),
            allocated_bytes: join(self.allocated_bytes, other.allocated_bytes),
            allocated_count: join(self.allocated_count, other.allocated_count),
            freed_bytes: join(self.freed_bytes, other.freed_bytes),
            freed_count: join(self.freed_count, other.freed_count),
        }
    }
}
/// `weight` of `whole` parts of a figure.
fn part_of(figure: i128, weight: i128, whole: i128) -> i128 {
    match figure.checked_mul(weight) {
        Some(product) => product.checked_div(whole).unwrap_or(0),
        None if weight == whole => figure,
        None => (figure as f64 * (weight as f64 / whole as f64)) as i128,
    }
}

/// The nearest number that a table can hold.
pub(crate) fn clamped(figure: i128) -> u64 {
    u64::try_from(figure.max(0)).unwrap_or(u64::MAX)
}

impl Profile {
    /// The self time of every row of [`Profile::scopes`], in the order of its rows. Where only some calls were
    /// timed, children can seem to take longer than their caller; its self time is then 0.
    #[must_use]
    pub fn scope_self_nanos(&self) -> Vec<u64> {
        self.scope_self_figures().iter().map(|figures| clamped(figures.nanos)).collect()
    }

    pub(crate) fn scope_self_figures(&self) -> Vec<Figures> {
        let totals: Vec<Figures> = self.scopes.iter().map(|(_, stats)| Figures::of(stats)).collect();
        let keys = || self.scopes.iter().map(|(key, _)| key);
        Callers::of(keys()).own(&self.stacks, keys(), &totals)
    }

    /// What each row of [`Profile::scopes`] allocated itself, in bytes and in the order of its rows; `None` where that was
    /// not counted. Rows that did not count are looked through.
    #[must_use]
    pub fn scope_self_allocated_bytes(&self) -> Vec<Option<u64>> {
        let counted = || self.scopes.iter().filter(|(_, stats)| stats.memory.is_some());
        let keys = || counted().map(|(key, _)| key);
        let totals: Vec<Figures> = counted().map(|(_, stats)| Figures::of(stats)).collect();
        let own = Callers::of(keys()).own(&self.stacks, keys(), &totals);
        let mut own = own.into_iter().map(|figures| clamped(figures.allocated_bytes));
        self.scopes.iter().map(|(_, stats)| stats.memory.and_then(|_| own.next())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FrameKind, LabelSetId, ScopeKey, ScopeMemory};

    /// Rows of paths such as `a;b` on one thread, with a label and a time each that is also what they allocated.
    fn profile(rows: &[(&str, &str, u64)]) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for &(path, label, total_nanos) in rows {
            let names: Vec<_> = path.split(';').collect();
            let stack = profile.intern_named_path(&names, FrameKind::Scope).expect("a path has frames");
            let labels = label_of(&mut profile, label);
            let memory = Some(ScopeMemory { allocated_bytes: total_nanos, ..ScopeMemory::default() });
            let stats = ScopeStats { calls: 1, total_nanos, memory, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        }
        profile
    }

    fn label_of(profile: &mut Profile, value: &str) -> LabelSetId {
        let pair = (profile.strings.intern("shape"), profile.strings.intern(value));
        profile.labels.intern(if value.is_empty() { &[] } else { std::slice::from_ref(&pair) })
    }

    #[track_caller]
    fn check(rows: &[(&str, &str, u64)], own: &[u64]) {
        let profile = profile(rows);
        assert_eq!(profile.scope_self_nanos(), own);
        let bytes: Vec<_> = own.iter().copied().map(Some).collect();
        assert_eq!(profile.scope_self_allocated_bytes(), bytes);
    }

    #[test]
    fn scopes_inside_count_whatever_their_labels() {
        check(&[("run", "", 100), ("run;add", "8x8", 70), ("run;add;callback", "", 20)], &[30, 50, 20]);
    }

    #[test]
    fn of_several_callers_on_a_path_the_one_with_the_same_labels_is_meant() {
        check(&[("solve", "8", 50), ("solve", "9", 50), ("solve;copy", "8", 20)], &[30, 50, 20]);
    }

    #[test]
    fn callers_that_cannot_be_told_apart_share_what_they_called() {
        check(&[("solve", "8", 300), ("solve", "9", 100), ("solve;lapack", "64", 200)], &[150, 50, 200]);
        check(&[("solve", "8", 1), ("solve", "9", 1), ("solve;lapack", "64", 1)], &[1, 0, 1]);
        check(&[("load", "", 10), ("load", "9", 90), ("load;read", "", 50)], &[0, 50, 50]);
        check(&[("solve", "8", 0), ("solve", "9", 0), ("solve;lapack", "64", 0)], &[0, 0, 0]);
    }

    #[test]
    fn times_beyond_what_a_product_holds_are_shared_all_the_same() {
        let most = u64::MAX;
        check(&[("a", "1", most), ("a", "2", most), ("a;b", "", most)], &[most / 2, most / 2 + 1, most]);
    }
}
