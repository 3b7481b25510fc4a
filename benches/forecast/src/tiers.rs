//! The tiers of memory, as `calor machine` measures them.

use calor_analysis::MemoryTier;

/// All but the nearest, which whatever works leaves again and again.
pub(crate) fn of_this_machine() -> Vec<MemoryTier> {
    let machine = calor_machine::measure(|_, _| None);
    let tiers = machine.tiers.iter().filter(|tier| tier.name != "L1").filter_map(|tier| {
        Some(MemoryTier { name: tier.name.clone(), bytes: tier.bytes?, bytes_per_s: tier.best()? })
    });
    tiers.collect()
}
