//! `calor bench simd`: the kernels of machine learning on this machine, with the vectors that it has.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::Result;
use calor_workloads::simd::{self, BlasChoice, Choice, Dtype, Kernel, SIZES};
use clap::Args;

use super::choice::Common;
use super::measuring::{measured, repeated_by_time};
use crate::{ExitCode, machine};

const EXAMPLES: &str = "\
Examples:
  calor bench simd --quick                     all kernels, in some seconds
  calor bench simd --kernels matmul --sizes 256,512
  calor bench simd --kernels softmax,gelu --dtypes f32 --threads 1
  calor bench simd --blas /opt/lib/libopenblas.so.0
  calor bench simd -o simd.html                with charts
  calor bench simd --profile new.calor         for calor compare";

const AFTER: &str = "\
Matrices are multiplied as written down (naive), in blocks, with each set of vector instructions of this processor, on several \
threads (parallel), by the gemm crate and by a BLAS where one is found. Every case is checked against plain arithmetic with 64 \
bits, and its vector class is read from its machine code. See docs/bench-simd.md.";

/// Measure matmul, softmax, GELU and others on this machine
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Which kernels: matmul, softmax, gelu, layernorm, dot, saxpy, sum
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = kernel)]
    kernels: Vec<Kernel>,
    /// Which numbers: f32, f64
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = dtype)]
    dtypes: Vec<Dtype>,
    /// Rows and columns of matrices; vectors have as many numbers. Otherwise 128 to 1024, and for vectors one size for each
    /// tier of memory
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = size, allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Threads of the parallel cases, none with 1; otherwise one for each processor
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// A BLAS to hold ours against, or `none`; otherwise the first that is found
    #[arg(long, value_name = "LIBRARY")]
    blas: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut choice = arguments.choice();
    choice.check()?;
    arguments.common.refuse_bad_places(&arguments.blas)?;
    let (machine, _) = machine::this(false);
    choice.roof = Some(machine::roof(&machine));
    let words = |words: Vec<&str>| words.join(",");
    let settings = [
        ("kernels", words(choice.kernels.iter().map(|kernel| kernel.word()).collect())),
        ("dtypes", words(choice.dtypes.iter().map(|dtype| dtype.word()).collect())),
        ("threads", choice.threads.to_string()),
    ];
    let engine = |watch: &dyn calor_workloads::Watch| simd::run(&choice, watch);
    repeated_by_time();
    measured(&arguments.common, "simd", &settings, engine, |_, _| Ok(()))
}

impl Arguments {
    fn choice(&self) -> Choice {
        let all = Choice::all(self.common.plan());
        let or = |given: &[usize]| (!given.is_empty()).then(|| given.to_vec());
        Choice {
            kernels: if self.kernels.is_empty() { all.kernels.clone() } else { self.kernels.clone() },
            dtypes: if self.dtypes.is_empty() { all.dtypes.clone() } else { self.dtypes.clone() },
            sizes: or(&self.sizes),
            threads: self.threads.unwrap_or(all.threads),
            is_quick: self.common.quick,
            seed: self.common.seed,
            blas: match &self.blas {
                None => BlasChoice::Found,
                Some(path) if path.as_os_str() == "none" => BlasChoice::None,
                Some(path) => BlasChoice::File(path.clone()),
            },
            ..all
        }
    }
}

fn kernel(word: &str) -> Result<Kernel, calor_workloads::Error> {
    Kernel::named(word.trim())
}

fn dtype(word: &str) -> Result<Dtype, calor_workloads::Error> {
    Dtype::named(word.trim())
}

fn size(given: &str) -> Result<usize, String> {
    number(given, &SIZES)
}

/// How many there may be is seen once all of it is known.
fn threads(given: &str) -> Result<usize, String> {
    number(given, &(0..=usize::MAX)).map_err(|_| "expected a whole number from 1 on".to_owned())
}

fn number(given: &str, range: &RangeInclusive<usize>) -> Result<usize, String> {
    let number = given.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
}
