//! Part `simd`: our kernels beside BLAS and the gemm crate. All multiply the same matrices in turns, on one thread, by its CPU
//! clock; what counts is the ratio within each round.

use std::fmt::Write as _;

use calor_workloads::repeat::Plan;
use calor_workloads::simd::{BlasChoice, Choice, Contest, Dtype, contest};
use harness::{Arguments, Bound, Goal};

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part =
    Part { name: "simd", about: "our kernels beside BLAS and the gemm crate", measure, be: nobody };

const SIZES: [usize; 4] = [128, 256, 512, 1024];
/// Names the library, where the system does not find one.
const BLAS: &str = "CALOR_BENCH_BLAS";

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let blas = std::env::var_os(BLAS).map_or(BlasChoice::Found, |path| BlasChoice::File(path.into()));
    let choice = Choice { blas, ..Choice::all(Plan::full()) };
    let rounds = arguments.rounds.unwrap_or(if arguments.is_quick { 7 } else { 41 });
    let mut told = Told::default();
    told.page += "| numbers | rows | ours | GFLOP/s | the best other | GFLOP/s | ratio, middle half |\n|---|---:|---|---:|---|---:|---:|\n";
    let mut has_blas = false;
    for dtype in Dtype::ALL {
        for size in SIZES {
            let found = contest(dtype, size, rounds, &choice).map_err(|error| error.to_string())?;
            if !found.is_right {
                return Err(format!("a product of {size} rows is wrong"));
            }
            has_blas |= found.others.len() > 1;
            let (name, rates) = best(&found).ok_or("there is nobody to hold ours against")?;
            let ratios: Vec<f64> = found.ours.iter().zip(rates).map(|(ours, other)| ours / other).collect();
            let [low, middle, high] = quartiles(&ratios);
            let [_, ours, _] = quartiles(&found.ours);
            let [_, other, _] = quartiles(rates);
            let _ = writeln!(
                told.page,
                "| {} | {size} | {} | {ours:.1} | {name} | {other:.1} | {middle:.2} ({low:.2} to {high:.2}) |",
                dtype.word(),
                found.level,
            );
            if size == 512 && dtype == Dtype::F32 {
                told.goals.push(Goal {
                    case: "simd",
                    what: "matmul of 512 rows, f32, one thread, beside the best of BLAS and the gemm crate"
                        .to_owned(),
                    unit: "times as fast",
                    bound: Bound::AtLeast(0.70),
                    measured: Ok(middle),
                });
            }
        }
    }
    if !has_blas {
        let _ =
            writeln!(told.page, "\nNo BLAS was found: install libopenblas0, or name a library in {BLAS}.");
    }
    Ok(told)
}

/// The one with the highest median.
fn best(found: &Contest) -> Option<(&str, &[f64])> {
    let others = found.others.iter().map(|(name, rates)| (name.as_str(), rates.as_slice()));
    others.max_by(|a, b| quartiles(a.1)[1].total_cmp(&quartiles(b.1)[1]))
}

fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| {
        sorted.get((sorted.len().saturating_sub(1)) * quarter / 4).copied().unwrap_or(f64::NAN)
    })
}
