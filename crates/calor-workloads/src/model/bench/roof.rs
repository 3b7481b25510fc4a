//! What a machine can do, as far as a model's figures are held against it.

/// The roofs of one thread, or of as many as a model has.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Roof {
    /// Operations on floats of 32 bits a second.
    pub flops_per_s: Option<f64>,
    /// Tiers of memory, the nearest first.
    pub tiers: Vec<RoofTier>,
}

/// A tier of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct RoofTier {
    /// What it is called.
    pub name: String,
    /// What fits into it; `None` for the last.
    pub bytes: Option<u64>,
    /// What it delivers; `None` where that was not measured.
    pub bytes_per_s: Option<f64>,
}

impl Roof {
    /// The nearest tier that so many bytes fit into.
    pub(super) fn tier(&self, bytes: u64) -> Option<&RoofTier> {
        let fits = |tier: &&RoofTier| tier.bytes.is_none_or(|room| bytes <= room);
        self.tiers.iter().find(fits).or(self.tiers.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tier_is_the_nearest_that_holds_all() {
        let tier = |name: &str, bytes| RoofTier { name: name.to_owned(), bytes, bytes_per_s: Some(1.0) };
        let roof = Roof { flops_per_s: None, tiers: vec![tier("L2", Some(100)), tier("DRAM", None)] };
        assert_eq!(roof.tier(100).map(|tier| tier.name.as_str()), Some("L2"));
        assert_eq!(roof.tier(101).map(|tier| tier.name.as_str()), Some("DRAM"));
        assert_eq!(Roof::default().tier(1), None);
    }
}
