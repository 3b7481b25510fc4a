//! What the labels of a scope tell of its roof: `dtype` the size of its numbers, `threads` whether other cores work for it; and a
//! counter, how long it was on the processor.

use calor_model::{LabelSetId, Profile, ScopeStats};

use super::RoofNumber;

/// The counter of a scope that tells the CPU time of its calls, where one thread does all that they do. Runs of `calor bench` have
/// it: other programs make time on the wall longer, and CPU time hardly.
pub const CPU_NANOS: &str = "cpu_nanos";

/// The CPU time that some rows of scopes told; `None` where one of them did not.
pub(crate) fn cpu_nanos<'s>(profile: &Profile, rows: impl Iterator<Item = &'s ScopeStats>) -> Option<u64> {
    let counter = profile.strings.find(CPU_NANOS)?;
    let of_row = |row: &ScopeStats| {
        let told = row.work.counters.iter().find(|(name, _)| *name == counter);
        told.and_then(|(_, nanos)| u64::try_from(*nanos).ok()).filter(|nanos| *nanos > 0)
    };
    rows.map(of_row).reduce(|sum, nanos| sum?.checked_add(nanos?)).flatten()
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Told {
    /// The size of its numbers; `None` where nothing tells, or both are used.
    pub(crate) number: Option<RoofNumber>,
    /// Whether it has more threads than its own at work.
    pub(crate) has_threads: bool,
    /// Its CPU time, where all of its calls told that.
    pub(crate) cpu_nanos: Option<u64>,
}

impl Told {
    /// What the sets of labels of one scope tell.
    pub(crate) fn by(profile: &Profile, sets: impl Iterator<Item = LabelSetId>) -> Self {
        let [dtype, threads] = ["dtype", "threads"].map(|name| profile.strings.find(name));
        if dtype.is_none() && threads.is_none() {
            return Self::default();
        }
        let (mut numbers, mut has_threads) = (Vec::new(), false);
        for (name, value) in sets.flat_map(|set| profile.labels.get(set)) {
            let value = profile.strings.get(*value);
            if Some(*name) == dtype {
                numbers.push(widest(value));
            } else if Some(*name) == threads {
                has_threads |= value.parse::<u32>().is_ok_and(|threads| threads > 1);
            }
        }
        let first = numbers.first().copied().flatten();
        let number = first.filter(|_| numbers.iter().all(|number| *number == first));
        Self { number, has_threads, ..Self::default() }
    }
}

/// The number that an operation computes in, by the types of its operands and its result: `float32,float64->float64`.
fn widest(dtype: &str) -> Option<RoofNumber> {
    let types = dtype.split("->").flat_map(|side| side.split(','));
    types.filter_map(|name| RoofNumber::of_dtype(name.trim())).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_computes_in_the_widest_of_its_types() {
        use RoofNumber::{F32, F64};
        let told =
            ["float32", "float32,float32->float32", "int64, float32 -> float64", "bool,int8", ""].map(widest);
        assert_eq!(told, [Some(F32), Some(F32), Some(F64), None, None]);
    }

    #[test]
    fn labels_tell_numbers_that_agree_and_more_than_one_thread() {
        let mut profile = Profile::default();
        let mut set = |labels: &[(&str, &str)]| {
            let labels: Vec<_> = labels
                .iter()
                .map(|(name, value)| (profile.strings.intern(name), profile.strings.intern(value)))
                .collect();
            profile.labels.intern(&labels)
        };
        let [single, double, threads, one] = [
            set(&[("dtype", "float32")]),
            set(&[("dtype", "f64"), ("n", "7")]),
            set(&[("threads", "4")]),
            set(&[("threads", "1")]),
        ];
        let told = |sets: &[LabelSetId]| {
            let told = Told::by(&profile, sets.iter().copied());
            (told.number, told.has_threads)
        };
        assert_eq!(told(&[double]), (Some(RoofNumber::F64), false));
        assert_eq!(told(&[single, threads]), (Some(RoofNumber::F32), true));
        assert_eq!(told(&[single, double, one]), (None, false));
        assert_eq!(Told::by(&Profile::default(), [].into_iter()), Told::default());
    }
}
