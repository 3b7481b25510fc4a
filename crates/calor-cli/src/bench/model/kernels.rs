//! The kernels that a transformer spends its time in, measured by themselves: what is left to gain in them.

use calor_machine::Machine;
use calor_report::bench::Bench;
use calor_workloads::simd::{self, Choice, Kernel};
use calor_workloads::{Error, Watch};

use super::super::choice::Common;
use crate::machine;

/// Those of a transformer.
const KERNELS: [Kernel; 4] = [Kernel::Matmul, Kernel::Softmax, Kernel::Gelu, Kernel::LayerNorm];
/// Rows and columns.
const SIZES: [usize; 3] = [128, 256, 512];

/// What is measured of them: the numbers that the models have.
pub(super) fn choice(common: &Common, machine: &Machine) -> Choice {
    Choice {
        kernels: KERNELS.to_vec(),
        dtypes: vec![simd::Dtype::F32],
        sizes: Some(SIZES.to_vec()),
        is_quick: common.quick,
        seed: common.seed,
        roof: Some(machine::roof(machine)),
        ..Choice::all(common.plan())
    }
}

/// Measures them and adds what they tell.
pub(super) fn add(choice: &Choice, watch: &dyn Watch, bench: &mut Bench) -> Result<(), Error> {
    let found = match simd::run(choice, watch) {
        Err(Error::Stopped) => {
            bench.warn("incomplete", "the run was ended before kernels were measured by themselves");
            return Ok(());
        }
        found => found?,
    };
    let of_kernels = |name: &str| ["threads", "BLAS", "checked"].contains(&name);
    for fact in found.facts.into_iter().filter(|fact| of_kernels(&fact.name)) {
        bench.fact(format!("kernels, {}", fact.name), fact.value);
    }
    bench.figures.extend(found.figures);
    bench.tables.extend(found.tables);
    bench.charts.extend(found.charts);
    // Which library there was is told already, and `bench simd` says where to find one.
    bench.warnings.extend(found.warnings.into_iter().filter(|warning| warning.code != "no_blas"));
    Ok(())
}
