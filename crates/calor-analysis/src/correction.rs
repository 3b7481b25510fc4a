//! The recorder's own cost, to be taken out of what it measured.

use calor_model::Profile;

/// What one scope costs. Part of it falls between the scope's own two clock readings and is measured as the
/// scope's time; the rest falls outside them and is measured as its parent's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correction {
    /// The whole cost of an empty scope, in thousandths of a nanosecond.
    pub per_scope_picos: u64,
    /// The part inside its own time, in thousandths of a nanosecond.
    pub inside_scope_picos: u64,
}

impl Correction {
    /// The correction a profile's recorder measured for itself; `None` when it did not measure. Of several
    /// runs the cheapest counts: rows do not say which run they are of, and to subtract too little is safer
    /// than to make a busy scope look free.
    #[must_use]
    pub fn of(profile: &Profile) -> Option<Self> {
        profile
            .runs
            .iter()
            .filter_map(|run| {
                let per_scope_picos = run.cost.per_scope_picos?;
                // Without the split nothing is known to be inside, and only parents are corrected.
                let inside_scope_picos = run.cost.inside_scope_picos.unwrap_or(0).min(per_scope_picos);
                Some(Self { per_scope_picos, inside_scope_picos })
            })
            .min_by_key(|correction| (correction.per_scope_picos, correction.inside_scope_picos))
    }

    /// What `calls` scopes put into their own time.
    #[must_use]
    pub fn inside_nanos(&self, calls: u64) -> u64 {
        nanos(self.inside_scope_picos, calls)
    }

    /// What `calls` scopes put into their parent's self time.
    #[must_use]
    pub fn outside_nanos(&self, calls: u64) -> u64 {
        nanos(self.per_scope_picos.saturating_sub(self.inside_scope_picos), calls)
    }

    /// What recording `calls` scopes cost in all.
    #[must_use]
    pub fn whole_nanos(&self, calls: u64) -> u64 {
        nanos(self.per_scope_picos, calls)
    }
}

fn nanos(picos: u64, calls: u64) -> u64 {
    let total = u128::from(picos) * u128::from(calls) / 1000;
    u64::try_from(total).unwrap_or(u64::MAX)
}
