//! What the machine can reach at most, as far as rules need it.

use crate::{MachineRoof, RoofCores, RoofNumber};

/// The peaks of a machine, one core.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MachineFigures {
    /// Floating-point operations a second with the widest vectors, by type: `f32`, `f64`.
    pub peak_flops: Vec<(String, f64)>,
    /// Bytes a second by how many bytes are worked on: the largest working set of a tier of memory, and its bandwidth; the
    /// smallest tier first.
    pub bandwidth: Vec<(u64, f64)>,
}

impl MachineFigures {
    /// The peak for a type, such as `f32` or `float32`; `None` for one that was not measured.
    #[must_use]
    pub fn peak_flops(&self, dtype: &str) -> Option<f64> {
        let short = match dtype {
            "float32" => "f32",
            "float64" => "f64",
            other => other,
        };
        self.peak_flops.iter().find(|(known, _)| known == short).map(|(_, flops)| *flops)
    }

    /// The bandwidth for a working set of so many bytes: that of the smallest tier that holds it, or of the largest.
    #[must_use]
    pub fn bandwidth_at(&self, footprint_bytes: u64) -> Option<f64> {
        let holds = self.bandwidth.iter().find(|(bytes, _)| *bytes >= footprint_bytes);
        holds.or(self.bandwidth.last()).map(|(_, bytes_per_second)| *bytes_per_second)
    }
}

impl From<&MachineRoof> for MachineFigures {
    fn from(roof: &MachineRoof) -> Self {
        let peak = |number: RoofNumber| Some((number.word().to_owned(), roof.peak(number, RoofCores::One)?));
        Self {
            peak_flops: [RoofNumber::F32, RoofNumber::F64].into_iter().filter_map(peak).collect(),
            bandwidth: roof
                .tiers
                .iter()
                .enumerate()
                .filter_map(|(index, tier)| {
                    // Main memory holds everything; a cache of which no size is known may hold anything.
                    let is_last = index + 1 == roof.tiers.len();
                    Some((tier.bytes.or(is_last.then_some(u64::MAX))?, tier.bytes_per_s))
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RoofTier;

    #[test]
    fn figures_are_those_of_the_roof() {
        let tier = |name: &str, bytes, bytes_per_s| RoofTier {
            name: name.to_owned(),
            bytes,
            bytes_per_s,
            all_cores_bytes_per_s: None,
        };
        let tiers = vec![tier("L2", Some(1 << 20), 8e10), tier("DRAM", None, 2e10)];
        let machine = MachineFigures::from(&MachineRoof { tiers, ..MachineRoof::default() });
        assert_eq!((machine.bandwidth_at(9), machine.bandwidth_at(1 << 40)), (Some(8e10), Some(2e10)));
        assert_eq!(machine.peak_flops("f32"), None);
    }

    #[test]
    fn a_working_set_has_the_bandwidth_of_the_smallest_tier_that_holds_it() {
        let machine = MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11)],
            bandwidth: vec![(32 << 10, 2e11), (1 << 20, 8e10), (1 << 30, 2e10)],
        };
        let found = [1, 32 << 10, 33 << 10, 2 << 30].map(|bytes| machine.bandwidth_at(bytes));
        assert_eq!(found, [Some(2e11), Some(2e11), Some(8e10), Some(2e10)]);
        assert_eq!((machine.peak_flops("float32"), machine.peak_flops("f64")), (Some(1e11), None));
        assert_eq!(MachineFigures::default().bandwidth_at(1), None);
    }
}
