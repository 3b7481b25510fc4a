//! What the processor that was recorded on can compute with.

use calor_model::Profile;

use super::Class;

/// The best that a processor offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offered {
    /// Its widest vectors.
    pub widest: Class,
    /// Whether it can multiply and add at once.
    pub fma: bool,
}

impl Offered {
    /// What all machines of a profile offer; `None` where one of them did not tell.
    #[must_use]
    pub fn of(profile: &Profile) -> Option<Self> {
        let each = profile.runs.iter().map(|run| {
            let has = |feature: &str| run.host.cpu_features.contains(feature);
            let widest = if has("avx512f") {
                Class::Avx512
            } else if has("avx2") || has("avx") {
                Class::Avx2
            } else if has("sse2") {
                Class::Sse
            } else {
                return None;
            };
            Some(Self { widest, fma: has("fma") })
        });
        let both =
            |one: Self, other: Self| Self { widest: one.widest.min(other.widest), fma: one.fma && other.fma };
        each.reduce(|one, other| Some(both(one?, other?))).flatten()
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{Host, Run};

    use super::*;

    fn offered(machines: &[&str]) -> Option<Offered> {
        let run = |features: &&str| {
            let cpu_features = features.split_whitespace().map(str::to_owned).collect();
            Run { host: Host { cpu_features, ..Host::default() }, ..Run::default() }
        };
        Offered::of(&Profile { runs: machines.iter().map(run).collect(), ..Profile::default() })
    }

    #[test]
    fn of_several_machines_counts_what_all_of_them_offer() {
        let offer = |widest, fma| Some(Offered { widest, fma });
        assert_eq!(offered(&["sse sse2 avx avx2 fma avx512f"]), offer(Class::Avx512, true));
        assert_eq!(offered(&["sse2 avx avx2 fma avx512f", "sse2 avx"]), offer(Class::Avx2, false));
        assert_eq!(offered(&["sse sse2"]), offer(Class::Sse, false));
        assert_eq!((offered(&[]), offered(&[""]), offered(&["sse2", ""])), (None, None, None));
    }
}
