//! Which rows of the scope table called which. The rows of a path differ in their labels, and labels may be those of a
//! scope alone: a caller that works on `512x512` calls scopes that work on `512`. So the callers of a row are the rows
//! on the nearest path further out: the one of the same labels as far as its time reaches, and all of them together for
//! the rest, each for a part of what it has left. Which of them made which call is not known.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::self_time::Figures;
use crate::{LabelSetId, ScopeKey, StackId, StackTable, ThreadId};

/// The rows of a table by place: a path on a thread.
pub(crate) struct Callers {
    /// Where in `rows` those of a place are.
    places: HashMap<(StackId, ThreadId), Range<usize>, RandomState>,
    /// Labels and number of each row, sorted by place and labels.
    rows: Vec<(LabelSetId, usize)>,
}

impl Callers {
    /// Of a table whose rows have these keys, in order.
    pub(crate) fn of(keys: impl Iterator<Item = ScopeKey>) -> Self {
        let mut sorted: Vec<_> =
            keys.enumerate().map(|(row, key)| (key.stack, key.thread, key.labels, row)).collect();
        sorted.sort_unstable();
        let mut places: HashMap<_, Range<usize>, _> = HashMap::default();
        for (at, (stack, thread, ..)) in sorted.iter().enumerate() {
            places.entry((*stack, *thread)).or_insert(at..at).end = at + 1;
        }
        Self { places, rows: sorted.into_iter().map(|(.., labels, row)| (labels, row)).collect() }
    }

    /// Whether a thread has rows on a path.
    pub(crate) fn has_rows(&self, stack: StackId, thread: ThreadId) -> bool {
        self.places.contains_key(&(stack, thread))
    }

    /// What each row did itself, of its totals with all that it called.
    pub(crate) fn own(
        &self,
        stacks: &StackTable,
        keys: impl Iterator<Item = ScopeKey>,
        totals: &[Figures],
    ) -> Vec<Figures> {
        let mut own = totals.to_vec();
        // What was called by rows that are not known, by where their place begins.
        let mut of_any: HashMap<usize, Figures, RandomState> = HashMap::default();
        for (key, total) in keys.zip(totals) {
            let Some(place) = self.caller(stacks, key.stack, key.thread) else { continue };
            let rows = &self.rows[place.clone()];
            match rows {
                [(_, row)] => own[*row].add(total, -1),
                _ => match rows.binary_search_by_key(&key.labels, |(labels, _)| *labels) {
                    Ok(same) => own[rows[same].1].add(total, -1),
                    Err(_) => of_any.entry(place.start).or_default().add(total, 1),
                },
            }
        }
        for place in self.places.values().filter(|place| place.len() > 1) {
            let mut missing = of_any.remove(&place.start).unwrap_or_default();
            let rows = &self.rows[place.clone()];
            for (_, row) in rows {
                // More than the row has was called by others of its place.
                let beyond = own[*row].beyond();
                missing.add(&beyond, 1);
                own[*row].add(&beyond, 1);
            }
            let left: Vec<Figures> = rows.iter().map(|(_, row)| own[*row]).collect();
            for ((_, row), part) in rows.iter().zip(missing.parts(&left)) {
                own[*row].add(&part, -1);
            }
        }
        own
    }

    /// The other way round: turns what each row did itself into totals, inner rows first, and tells each row's. Where a
    /// place has several rows, what they called is theirs as far as `before` says that their totals were larger.
    pub(crate) fn totals(
        &self,
        stacks: &StackTable,
        own: &[Figures],
        before: &[Figures],
        mut tell: impl FnMut(usize, Figures),
    ) {
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(**place));
        let mut called: HashMap<usize, Figures, RandomState> = HashMap::default();
        for ((stack, thread), place) in places {
            let rows = &self.rows[place.clone()];
            let inside = called.remove(&place.start).unwrap_or_default();
            let lacks = rows.iter().map(|(_, row)| before[*row].less(&own[*row]));
            let parts = if rows.len() == 1 { vec![inside] } else { inside.parts(&lacks.collect::<Vec<_>>()) };
            let mut whole = Figures::default();
            for ((_, row), part) in rows.iter().zip(parts) {
                let mut total = own[*row];
                total.add(&part, 1);
                whole.add(&total, 1);
                tell(*row, total);
            }
            if let Some(caller) = self.caller(stacks, *stack, *thread) {
                called.entry(caller.start).or_default().add(&whole, 1);
            }
        }
    }

    /// The nearest place further out.
    fn caller(&self, stacks: &StackTable, stack: StackId, thread: ThreadId) -> Option<&Range<usize>> {
        let parent = |stack| stacks.get(stack).parent;
        std::iter::successors(parent(stack), |stack| parent(*stack))
            .find_map(|stack| self.places.get(&(stack, thread)))
    }
}
