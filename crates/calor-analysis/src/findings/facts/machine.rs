//! What the machine can reach at most, as far as rules need it.

use crate::{MachineRoof, RoofCores, RoofNumber, RoofTier};

/// The peaks of a machine: of one core, and of all at once.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MachineFigures {
    /// Floating-point operations a second with the widest vectors, by type: `f32`, `f64`.
    pub peak_flops: Vec<(String, f64)>,
    /// Bytes a second by how many bytes are worked on: the largest working set of a tier of memory, and its bandwidth; the
    /// smallest tier first.
    pub bandwidth: Vec<(u64, f64)>,
    /// Floating-point operations a second of all cores, by type; empty where that was not measured.
    pub all_cores_peak_flops: Vec<(String, f64)>,
    /// Bytes a second that all cores get from main memory; `None` where that was not measured.
    pub all_cores_bandwidth: Option<f64>,
}

impl MachineFigures {
    /// The peak for a type, such as `f32` or `float32`; `None` for one that was not measured.
    #[must_use]
    pub fn peak_flops(&self, dtype: &str) -> Option<f64> {
        of_type(&self.peak_flops, dtype)
    }

    /// The same of all cores at once.
    #[must_use]
    pub fn all_cores_peak_flops(&self, dtype: &str) -> Option<f64> {
        of_type(&self.all_cores_peak_flops, dtype)
    }

    /// The bandwidth for a working set of so many bytes: that of the smallest tier that holds it. `None` where only main memory
    /// would, and was not measured.
    #[must_use]
    pub fn bandwidth_at(&self, footprint_bytes: u64) -> Option<f64> {
        let holds = self.bandwidth.iter().find(|(bytes, _)| *bytes >= footprint_bytes);
        holds.map(|(_, bytes_per_second)| *bytes_per_second)
    }

    /// What each of so many threads at once can get at most for a working set of so many bytes: its own core's bandwidth, and of
    /// main memory no more than its part of what all cores get.
    #[must_use]
    pub fn bandwidth_of_each(&self, footprint_bytes: u64, n_threads: f64) -> Option<f64> {
        let alone = self.bandwidth_at(footprint_bytes)?;
        let is_memory = self.bandwidth.last().is_some_and(|(_, rate)| *rate == alone);
        let part = self.all_cores_bandwidth.filter(|_| is_memory).map(|all| all / n_threads.max(1.0));
        Some(part.map_or(alone, |part| part.min(alone)))
    }
}

fn of_type(rates: &[(String, f64)], dtype: &str) -> Option<f64> {
    let short = match RoofNumber::of_dtype(dtype) {
        Some(number) => number.word(),
        None => dtype,
    };
    rates.iter().find(|(known, _)| known == short).map(|(_, flops)| *flops)
}

impl From<&MachineRoof> for MachineFigures {
    fn from(roof: &MachineRoof) -> Self {
        let peaks = |cores: RoofCores| -> Vec<(String, f64)> {
            let peak = |number: RoofNumber| Some((number.word().to_owned(), roof.peak(number, cores)?));
            RoofNumber::ALL.into_iter().filter_map(peak).collect()
        };
        // More than main memory holds comes through it too; a cache of which no size is known may hold anything.
        let holds = |tier: &RoofTier| if tier.is_main_memory() { Some(u64::MAX) } else { tier.bytes };
        let memory = roof.tiers.iter().find(|tier| tier.is_main_memory());
        Self {
            peak_flops: peaks(RoofCores::One),
            bandwidth: roof.tiers.iter().filter_map(|tier| Some((holds(tier)?, tier.bytes_per_s))).collect(),
            all_cores_peak_flops: peaks(RoofCores::All),
            all_cores_bandwidth: memory.and_then(|memory| memory.all_cores_bytes_per_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_roof() {
        let tier = |name: &str, bytes, bytes_per_s| RoofTier {
            name: name.to_owned(),
            bytes,
            bytes_per_s,
            all_cores_bytes_per_s: None,
        };
        let tiers = vec![tier("L2", Some(1 << 20), 8e10), tier("DRAM", Some(1 << 30), 2e10)];
        let machine = MachineFigures::from(&MachineRoof { tiers: tiers.clone(), ..MachineRoof::default() });
        assert_eq!((machine.bandwidth_at(9), machine.bandwidth_at(1 << 40)), (Some(8e10), Some(2e10)));
        let caches = MachineRoof { tiers: tiers[..1].to_vec(), ..MachineRoof::default() };
        assert_eq!(MachineFigures::from(&caches).bandwidth_at(1 << 40), None, "no cache stands for memory");
        assert_eq!(machine.peak_flops("f32"), None);
    }

    #[test]
    fn a_working_set_has_the_bandwidth_of_the_smallest_tier_that_holds_it() {
        let machine = MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11)],
            bandwidth: vec![(32 << 10, 2e11), (1 << 20, 8e10), (u64::MAX, 2e10)],
            all_cores_bandwidth: Some(3e10),
            ..MachineFigures::default()
        };
        let found = [1, 32 << 10, 33 << 10, 2 << 30].map(|bytes| machine.bandwidth_at(bytes));
        assert_eq!(found, [Some(2e11), Some(2e11), Some(8e10), Some(2e10)]);
        assert_eq!((machine.peak_flops("float32"), machine.peak_flops("f64")), (Some(1e11), None));
        assert_eq!(MachineFigures::default().bandwidth_at(1), None);
        let each = [(1 << 10, 2.0), (2 << 30, 1.0), (2 << 30, 2.0)];
        let each = each.map(|(bytes, n_threads)| machine.bandwidth_of_each(bytes, n_threads));
        assert_eq!(each, [Some(2e11), Some(2e10), Some(1.5e10)]);
    }
}
