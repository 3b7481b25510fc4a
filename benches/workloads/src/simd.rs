//! Part `simd`: our kernels beside BLAS and the gemm crate. All multiply the same matrices in turns, on one thread, by its CPU
//! clock; what counts is the ratio within each round. BLAS is the one that `CALOR_BENCH_BLAS` names, or else Debian's OpenBLAS,
//! unpacked beside this program; the process that measures is told where, for the loader asks only when a program starts.

use std::fmt::Write as _;

use calor_workloads::repeat::Plan;
use calor_workloads::simd::{BlasChoice, Choice, Contest, Dtype, contest};
use harness::watched::debian;
use harness::{Arguments, Bound, Goal};

use crate::part::{Part, Told, lines, process, quartiles};

pub(crate) const PART: Part =
    Part { name: "simd", about: "our kernels beside BLAS and the gemm crate", measure, be };

const SIZES: [usize; 4] = [128, 256, 512, 1024];
/// Names a library.
const BLAS: &str = "CALOR_BENCH_BLAS";
const OPENBLAS: debian::Library = debian::Library {
    file: "libopenblas.so.0",
    packages: &["libopenblas0-pthread", "libgfortran5", "libquadmath0"],
};

/// What a contest came to.
struct Outcome {
    dtype: String,
    size: usize,
    level: String,
    /// GFLOP/s, the median.
    ours: f64,
    /// The best of the others.
    other: String,
    others: f64,
    /// Ours by that one's, the quarters of all rounds.
    ratio: [f64; 3],
    has_blas: bool,
}

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let rounds = arguments.rounds.unwrap_or(if arguments.is_quick { 7 } else { 41 });
    let mut command = process(&PART, "contest", rounds)?;
    let mut told = Told::default();
    if std::env::var_os(BLAS).is_none() {
        match OPENBLAS.make() {
            Ok(found) => {
                let folders = std::env::join_paths(found.folders).map_err(|error| error.to_string())?;
                command.env(BLAS, found.file).env("LD_LIBRARY_PATH", folders);
            }
            Err(message) => {
                let _ = writeln!(
                    told.page,
                    "OpenBLAS was not to be had: {message}; or name a library in {BLAS}.\n"
                );
            }
        }
    }
    let outcomes = lines(&mut command, Outcome::parse)?;
    told.page += "| numbers | rows | ours | GFLOP/s | the best other | GFLOP/s | ratio, middle half |\n|---|---:|---|---:|---|---:|---:|\n";
    for it in &outcomes {
        let [low, middle, high] = it.ratio;
        let _ = writeln!(
            told.page,
            "| {} | {} | {} | {:.1} | {} | {:.1} | {middle:.2} ({low:.2} to {high:.2}) |",
            it.dtype, it.size, it.level, it.ours, it.other, it.others,
        );
        if it.size == 512 && it.dtype == Dtype::F32.word() {
            told.goals.push(Goal {
                case: "simd",
                what: "matmul of 512 rows, f32, one thread, beside the best of BLAS and the gemm crate"
                    .to_owned(),
                unit: "times as fast",
                bound: Bound::AtLeast(0.70),
                measured: match it.has_blas {
                    true => Ok(middle),
                    false => Err(format!("there was no BLAS; beside the gemm crate it is {middle:.2}")),
                },
            });
        }
    }
    Ok(told)
}

/// Is the process that measures: a line for each contest.
fn be(_: &str, arguments: &Arguments) -> Result<(), String> {
    let blas = std::env::var_os(BLAS).map_or(BlasChoice::Found, |path| BlasChoice::File(path.into()));
    let choice = Choice { blas, ..Choice::all(Plan::full()) };
    for dtype in Dtype::ALL {
        for size in SIZES {
            let found =
                contest(dtype, size, arguments.n_rounds(41), &choice).map_err(|error| error.to_string())?;
            if !found.is_right {
                return Err(format!("a product of {size} rows is wrong"));
            }
            println!("{}", Outcome::of(dtype, size, &found)?.line());
        }
    }
    Ok(())
}

impl Outcome {
    fn of(dtype: Dtype, size: usize, found: &Contest) -> Result<Self, String> {
        let (name, rates) = best(found).ok_or("there is nobody to hold ours against")?;
        let ratios: Vec<f64> = found.ours.iter().zip(rates).map(|(ours, other)| ours / other).collect();
        Ok(Self {
            dtype: dtype.word().to_owned(),
            size,
            level: found.level.to_owned(),
            ours: quartiles(&found.ours)[1],
            other: name.to_owned(),
            others: quartiles(rates)[1],
            ratio: quartiles(&ratios),
            has_blas: found.others.len() > 1,
        })
    }

    fn line(&self) -> String {
        let Self { dtype, size, level, ours, other, others, ratio: [low, middle, high], has_blas } = self;
        format!("{dtype}\t{size}\t{level}\t{ours}\t{other}\t{others}\t{low}\t{middle}\t{high}\t{has_blas}")
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split('\t');
        let mut word = || words.next().map(ToOwned::to_owned);
        Some(Self {
            dtype: word()?,
            size: word()?.parse().ok()?,
            level: word()?,
            ours: word()?.parse().ok()?,
            other: word()?,
            others: word()?.parse().ok()?,
            ratio: [word()?.parse().ok()?, word()?.parse().ok()?, word()?.parse().ok()?],
            has_blas: word()?.parse().ok()?,
        })
    }
}

/// The one with the highest median.
fn best(found: &Contest) -> Option<(&str, &[f64])> {
    let others = found.others.iter().map(|(name, rates)| (name.as_str(), rates.as_slice()));
    others.max_by(|a, b| quartiles(a.1)[1].total_cmp(&quartiles(b.1)[1]))
}
