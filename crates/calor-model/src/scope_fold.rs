//! Scope rows that move to other call paths. A row counts its children's time with its own, so rows cannot just be
//! added: each is reduced to what it did itself, that is moved, and the totals are built up again. No time is
//! counted twice and none is lost.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::callers::Callers;
use crate::destinations::Destinations;
use crate::self_time::{Figures, clamped};
use crate::{Profile, ScopeKey, ScopeMemory, ScopeStats};

/// The rows that `keeps` lets through, keyed by paths of `destinations` and by threads and labels of `from`.
pub(crate) fn fold(
    from: &Profile,
    destinations: &Destinations<'_>,
    keeps: impl Fn(ScopeKey) -> bool,
) -> IndexMap<ScopeKey, ScopeStats, RandomState> {
    let mut rows: IndexMap<ScopeKey, ScopeStats, RandomState> = IndexMap::default();
    rows.reserve(from.scopes.len());
    let mut figures: Vec<Figures> = Vec::with_capacity(from.scopes.len());
    let known = Callers::of(from.scopes.iter().map(|(key, _)| key));
    for ((key, stats), own) in from.scopes.iter().zip(from.scope_self_figures()) {
        let Some(stack) = destinations.of[key.stack.index()] else { continue };
        if !keeps(key) {
            continue;
        }
        let entry = rows.entry(ScopeKey { stack, ..key });
        let row = entry.index();
        let into = entry.or_default();
        match figures.get_mut(row) {
            Some(figures) => figures.add(&own, 1),
            None => figures.push(own),
        }
        let mut enclosing = destinations.enclosing(key.stack);
        let is_inner = enclosing.any(|stack| known.has_rows(stack, key.thread));
        let counts_calls = destinations.adds_calls() || !destinations.is_inner(key.stack);
        match (counts_calls, is_inner) {
            (true, false) => into.add(stats),
            // What was open is part of the enclosing call's; the rest is its own.
            (true, true) => into.add(&ScopeStats { total_variance: 0.0, open_nanos: 0, ..stats.clone() }),
            (false, true) => into.add(&ScopeStats { memory: stats.memory, ..ScopeStats::default() }),
            (false, false) => into.add(&ScopeStats {
                total_variance: stats.total_variance,
                open_calls: stats.open_calls,
                open_nanos: stats.open_nanos,
                memory: stats.memory,
                ..ScopeStats::default()
            }),
        }
    }
    restore_totals(destinations, &mut rows, &figures);
    rows
}

/// Turns what each row did itself into totals.
fn restore_totals(
    destinations: &Destinations<'_>,
    rows: &mut IndexMap<ScopeKey, ScopeStats, RandomState>,
    own: &[Figures],
) {
    let before: Vec<Figures> = rows.values().map(Figures::of).collect();
    let callers = Callers::of(rows.keys().copied());
    callers.totals(&destinations.paths, own, &before, |row, total| {
        let Some((_, stats)) = rows.get_index_mut(row) else { return };
        // Time that moved away may have been open: no more can be open than is left.
        let left = i64::try_from(total.nanos.max(0)).unwrap_or(i64::MAX);
        stats.open_nanos = stats.open_nanos.min(left);
        stats.total_nanos = clamped(total.nanos - i128::from(stats.open_nanos));
        if let Some(memory) = &mut stats.memory {
            *memory = ScopeMemory {
                allocated_bytes: clamped(total.allocated_bytes),
                allocated_count: clamped(total.allocated_count),
                freed_bytes: clamped(total.freed_bytes),
                freed_count: clamped(total.freed_count),
                peak_bytes: memory.peak_bytes,
            };
        }
    });
}
