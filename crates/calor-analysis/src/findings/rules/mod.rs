//! The rules, one a file. A rule is named for the pattern that it finds, never for the cure, and its id stays: users
//! suppress by it, and scores are kept by it. Each has its page in `docs/rules/`.

use super::Rule;

mod allocation_churn;
mod array_copies;
mod array_temporaries;
mod bandwidth_bound;
mod batchable_calls;
mod blas_threads;
mod blocking_io;
mod compression_level;
mod critical_scope;
mod deep_copies;
mod double_precision;
mod dtype_upcast;
mod false_sharing;
mod fragmented_heap;
mod gil_bound;
mod gpu_transfers;
mod grown_piecewise;
mod heap_growth;
mod heap_hotspot;
mod host_sync;
mod idle_gpu;
mod ineffective_cache;
mod input_bound;
mod interpreted_loop;
mod latency_bound;
mod latency_tail;
mod launch_bound;
mod leak;
mod list_scans;
mod lock_contention;
mod memory_copies;
mod narrow_vectors;
mod near_roof;
mod oversubscribed;
mod pageable_copies;
mod regular_gather;
mod repeated_computation;
mod repeated_operation;
mod repeated_page_faults;
mod repeated_preparation;
mod scalar_indexing;
mod scalar_loop;
mod slow_matrix_product;
mod small_calls;
mod small_operations;
mod stepwise_growth;
mod strided_access;
mod strided_operands;
mod super_linear;
mod temporary_allocations;
mod unbuffered_io;

/// All rules that come with Calor, in the order of their ids.
pub static RULES: &[&dyn Rule] = &[
    &blas_threads::BlasThreads,
    &array_copies::ArrayCopies,
    &double_precision::DoublePrecision,
    &dtype_upcast::DtypeUpcast,
    &grown_piecewise::GrownPiecewise,
    &regular_gather::RegularGather,
    &repeated_computation::RepeatedComputation,
    &repeated_operation::RepeatedOperation,
    &scalar_indexing::ScalarIndexing,
    &slow_matrix_product::SlowMatrixProduct,
    &small_operations::SmallOperations,
    &strided_operands::StridedOperands,
    &array_temporaries::ArrayTemporaries,
    &batchable_calls::BatchableCalls,
    &compression_level::CompressionLevel,
    &critical_scope::CriticalScope,
    &ineffective_cache::IneffectiveCache,
    &latency_tail::LatencyTail,
    &memory_copies::MemoryCopies,
    &narrow_vectors::NarrowVectors,
    &scalar_loop::ScalarLoop,
    &small_calls::SmallCalls,
    &super_linear::SuperLinear,
    &unbuffered_io::UnbufferedIo,
    &host_sync::HostSync,
    &idle_gpu::IdleGpu,
    &launch_bound::LaunchBound,
    &pageable_copies::PageableCopies,
    &gpu_transfers::GpuTransfers,
    &allocation_churn::AllocationChurn,
    &fragmented_heap::FragmentedHeap,
    &heap_growth::HeapGrowth,
    &heap_hotspot::HeapHotspot,
    &leak::Leak,
    &repeated_page_faults::RepeatedPageFaults,
    &stepwise_growth::StepwiseGrowth,
    &temporary_allocations::TemporaryAllocations,
    &bandwidth_bound::BandwidthBound,
    &latency_bound::LatencyBound,
    &near_roof::NearRoof,
    &strided_access::StridedAccess,
    &deep_copies::DeepCopies,
    &gil_bound::GilBound,
    &input_bound::InputBound,
    &interpreted_loop::InterpretedLoop,
    &list_scans::ListScans,
    &repeated_preparation::RepeatedPreparation,
    &false_sharing::FalseSharing,
    &oversubscribed::Oversubscribed,
    &blocking_io::BlockingIo,
    &lock_contention::LockContention,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::findings::{Facts, findings};

    #[test]
    fn ids_are_of_capital_letters_each_once_and_in_order() {
        let ids: Vec<&str> = RULES.iter().map(|rule| rule.about().id).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for id in ids {
            let is_plain =
                id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
            assert!(is_plain && id.contains('-'), "{id}");
        }
    }

    #[test]
    fn rules_suppress_rules_that_exist_and_not_themselves() {
        let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.about().id).collect();
        for rule in RULES {
            let about = rule.about();
            for symptom in about.suppresses {
                assert!(ids.contains(symptom) && *symptom != about.id, "{} suppresses {symptom}", about.id);
            }
        }
    }

    #[test]
    fn every_rule_has_its_page_with_its_headings() {
        let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules");
        for rule in RULES {
            let about = rule.about();
            let page = format!("{pages}/{}.md", about.id);
            let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page}: {error}"));
            assert!(text.starts_with(&format!("# {}\n", about.id)), "{page} begins with the rule's id");
            for heading in
                ["## What it finds", "## Why it is slow", "## What to do", "## Gain", "## Not found"]
            {
                assert!(text.contains(&format!("\n{heading}\n")), "{page} lacks `{heading}`");
            }
        }
    }

    #[test]
    fn of_an_empty_profile_no_rule_finds_anything_or_says_that_all_is_well() {
        let profile = calor_model::Profile::default();
        let all = findings(&Facts::new(&profile, None), RULES, &[]);
        assert!(all.found.is_empty() && all.fine.is_empty(), "{:?}", all.fine);
        assert_eq!(all.not_enough.len(), RULES.len());
    }
}
