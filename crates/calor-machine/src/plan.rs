//! How much memory stands for each tier: little enough to be inside a cache, or so that no cache holds it. Main memory is either
//! a little that caches are told to forget, or so much that they cannot hold it.

use calor_host::Caches;

/// The last cache is never passed over in more than this.
const MOST_OF_LAST: u64 = 16 << 20;
/// Main memory that caches are told to forget: so much of it for one core, for each of all cores at least, and for all of them.
const FLUSHED: u64 = 32 << 20;
const LEAST_FLUSHED: u64 = 8 << 20;
const MOST_FLUSHED: u64 = 512 << 20;
/// Where caches cannot be told to forget, no more main memory than this, unless caches hold half of that.
const MOST_MEMORY: u64 = 512 << 20;
/// Where the caches are not known: what any nearest cache holds, and more than any last one.
const SMALL: u64 = 16 << 10;
const LARGE: u64 = 256 << 20;
/// How many times the caches memory has to be, wanted and at least, for its own speed to show.
const WANTED: u64 = 4;
const LEAST: u64 = 2;

/// How much memory stands for each tier.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// The name of a tier, what it holds, and how much is passed over; `Err` says why it is not measured.
    pub(crate) tiers: Vec<(&'static str, Option<u64>, Result<u64, String>)>,
    /// Main memory for each of all cores.
    pub(crate) of_each: Result<u64, String>,
    /// Whether caches are told to forget main memory.
    pub(crate) can_flush: bool,
}

impl Plan {
    pub(crate) fn new(caches: &Caches, allowance: Option<u64>, n_cores: u64, can_flush: bool) -> Self {
        let [l1, l2, l3] = caches.levels;
        let unknown = |name: &str| {
            Err(format!("the system does not tell the size of a cache {name}, so nothing was measured there"))
        };
        // Of a cache that whoever had the core before has used too, a quarter is soon one's own again, if that is well more than
        // the nearest one holds; of the last one, which is shared with whoever runs beside, only a little is.
        let second = l2
            .map_or_else(|| unknown("L2"), |size| Ok((size / 4).max(4 * l1.unwrap_or(SMALL)).min(size / 2)));
        let last = l3.map_or_else(
            || unknown("L3"),
            |size| match l2 {
                Some(near) if size < 4 * near => Ok(size / 2),
                near => Ok((size / 8).min(MOST_OF_LAST).max(2 * near.unwrap_or(0))),
            },
        );
        let (of_one, of_each) = match can_flush {
            true => (
                allowed(FLUSHED, FLUSHED, allowance),
                allowed(
                    (MOST_FLUSHED / n_cores).clamp(LEAST_FLUSHED, FLUSHED) * n_cores,
                    LEAST_FLUSHED * n_cores,
                    allowance,
                ),
            ),
            false => (beyond(caches.last(), allowance), beyond(caches.last_of_all, allowance)),
        };
        Self {
            tiers: vec![
                ("L1", l1, Ok(l1.map_or(SMALL, |size| size / 2))),
                ("L2", l2, second),
                ("L3", l3, last),
                ("DRAM", None, of_one),
            ],
            of_each: of_each.map(|bytes| bytes / n_cores),
            can_flush,
        }
    }
}

/// So much main memory that caches of such a size do not matter.
fn beyond(caches: Option<u64>, allowance: Option<u64>) -> Result<u64, String> {
    let least = caches.map_or(LARGE, |caches| LEAST * caches);
    let wanted = caches.map_or(LARGE, |caches| (WANTED * caches).max(LARGE / 4));
    allowed(wanted.min(MOST_MEMORY).max(least), least, allowance)
}

fn allowed(wanted: u64, least: u64, allowance: Option<u64>) -> Result<u64, String> {
    let allowed = wanted.min(allowance.unwrap_or(LARGE));
    match allowed >= least {
        true => Ok(allowed),
        false => Err(format!(
            "only {} MiB of memory may be taken and {} MiB are needed: free some memory and measure again",
            allowed >> 20,
            least >> 20
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn plan(levels: [Option<u64>; 3], allowance: Option<u64>, can_flush: bool) -> Plan {
        let last_of_all = levels.into_iter().flatten().max();
        Plan::new(&Caches { levels, last_of_all }, allowance, 2, can_flush)
    }

    fn sizes(plan: &Plan) -> Vec<(&'static str, Option<u64>)> {
        plan.tiers.iter().map(|(name, _, size)| (*name, size.clone().ok())).collect()
    }

    #[test]
    fn a_tier_is_measured_well_inside_its_cache_and_memory_outside_all() {
        let usual = [Some(32 << 10), Some(MIB), Some(32 * MIB)];
        let caches = [("L1", Some(16 << 10)), ("L2", Some(MIB / 4)), ("L3", Some(4 * MIB))];
        for (can_flush, memory) in [(true, 32 * MIB), (false, 128 * MIB)] {
            let plan = plan(usual, Some(6_000 * MIB), can_flush);
            assert_eq!(sizes(&plan)[..3], caches);
            assert_eq!(sizes(&plan)[3], ("DRAM", Some(memory)));
            assert_eq!(plan.of_each, Ok(if can_flush { 32 * MIB } else { 64 * MIB }));
        }
        let small_last = sizes(&plan([Some(32 << 10), Some(2 * MIB), Some(4 * MIB)], None, false));
        assert_eq!(small_last[2..], [("L3", Some(2 * MIB)), ("DRAM", Some(64 * MIB))]);
        let many = Plan::new(&Caches::default(), None, 192, true);
        assert!(
            many.of_each.is_err_and(|reason| reason.contains("256 MiB")),
            "192 cores need more than that"
        );
        let many = Plan::new(&Caches::default(), Some(9_000 * MIB), 192, true);
        assert_eq!(many.of_each, Ok(8 * MIB));
    }

    #[test]
    fn memory_beside_a_very_large_cache_is_measured_too() {
        let levels = [Some(32 << 10), Some(MIB), Some(768 * MIB)];
        for (can_flush, memory) in [(true, 32 * MIB), (false, 1536 * MIB)] {
            let plan = plan(levels, Some(6_000 * MIB), can_flush);
            assert_eq!(sizes(&plan)[2..], [("L3", Some(16 * MIB)), ("DRAM", Some(memory))]);
        }
    }

    #[test]
    fn unknown_caches_and_scarce_memory_are_no_figures() {
        let unknown = sizes(&plan([None; 3], Some(6_000 * MIB), false));
        assert_eq!(unknown, [("L1", Some(SMALL)), ("L2", None), ("L3", None), ("DRAM", Some(LARGE))]);
        for (can_flush, expected) in [(true, "10 MiB of memory may be taken and 32"), (false, "and 64 MiB")] {
            let scarce = plan([None, None, Some(32 * MIB)], Some(10 * MIB), can_flush);
            let (.., dram) = &scarce.tiers[3];
            assert!(dram.as_ref().is_err_and(|reason| reason.contains(expected)), "{dram:?}");
        }
    }
}
