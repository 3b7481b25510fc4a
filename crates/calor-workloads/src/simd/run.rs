//! The whole run: which cases, one after the other, and what they add up to.

use calor_report::bench::Bench;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::blas::{self, Blas, BlasNumber};
use super::case::{Case, Outcome, Variant};
use super::code::Code;
use super::measure::{Input, Measuring};
use super::number::Number;
use super::table::{Table, Tabled};
use super::{Choice, Dtype, Kernel, Level, page};
use crate::{Error, Watch};

/// Larger matrices are not multiplied as in the definition: it would take seconds each time.
pub(crate) const MOST_NAIVE: usize = 512;

/// Measures what was chosen.
///
/// # Errors
/// If something cannot be measured, or nothing was before somebody asked for the end.
pub fn run(choice: &Choice, watch: &dyn Watch) -> Result<Bench, Error> {
    choice.check()?;
    let blas = match choice.kernels.contains(&Kernel::Matmul) {
        true => Blas::chosen(&choice.blas)?,
        false => None,
    };
    let pool = pool(choice.threads)?;
    let groups = groups(choice);
    let n_cases = |(kernel, size, dtype): &(Kernel, usize, Dtype)| {
        variants(*kernel, *size, *dtype, choice, blas.is_some()).len()
    };
    let total = groups.iter().map(n_cases).sum();
    let mut measuring = Measuring { choice, pool: pool.as_ref(), blas: blas.as_ref(), code: Code::default() };
    let mut outcomes = Vec::new();
    let mut is_whole = true;
    for (kernel, size, dtype) in groups {
        let mut group = Group { measuring: &mut measuring, watch, total, outcomes: &mut outcomes };
        is_whole &= match dtype {
            Dtype::F32 => group.run::<f32>(kernel, size),
            Dtype::F64 => group.run::<f64>(kernel, size),
        };
        if !is_whole {
            break;
        }
    }
    if outcomes.is_empty() {
        return Err(Error::Stopped);
    }
    let mut bench = page::bench(choice, &outcomes, blas.as_ref());
    if !is_whole {
        let message =
            format!("interrupted after {} of {total} cases: the others are missing", outcomes.len());
        bench.warn("incomplete", message);
    }
    if blas.is_none() && choice.kernels.contains(&Kernel::Matmul) && choice.blas != super::BlasChoice::None {
        bench.warn("no_blas", blas::ADVICE);
    }
    bench.figures = outcomes.into_iter().flat_map(|outcome| outcome.figures).collect();
    Ok(bench)
}

fn pool(threads: usize) -> Result<Option<ThreadPool>, Error> {
    if threads == 1 {
        return Ok(None);
    }
    let named = |at| format!("simd-{at}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build();
    pool.map(Some).map_err(|error| Error::Failed(format!("cannot start {threads} threads ({error})")))
}

/// What shares its input.
fn groups(choice: &Choice) -> Vec<(Kernel, usize, Dtype)> {
    let mut groups = Vec::new();
    for &kernel in &choice.kernels {
        for &dtype in &choice.dtypes {
            for size in kernel.sizes(dtype, choice) {
                groups.push((kernel, size, dtype));
            }
        }
    }
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The ways in which a kernel is run.
fn variants(kernel: Kernel, size: usize, dtype: Dtype, choice: &Choice, has_blas: bool) -> Vec<Variant> {
    let has = |level: Level| match dtype {
        Dtype::F32 => Table::<f32>::at(level).is_some_and(|table| table.has(kernel)),
        Dtype::F64 => Table::<f64>::at(level).is_some_and(|table| table.has(kernel)),
    };
    let mut levels: Vec<Level> = Level::here().filter(|level| has(*level)).collect();
    let is_product = kernel == Kernel::Matmul;
    // What stands for it are the two ways without vectors of our own.
    if is_product && levels.len() > 1 {
        levels.retain(|level| *level != Level::Plain);
    }
    let mut variants = Vec::new();
    variants.extend((is_product && size <= MOST_NAIVE).then_some(Variant::Naive));
    variants.extend(is_product.then_some(Variant::Blocked));
    variants.extend(levels.into_iter().map(Variant::Level));
    variants.extend((choice.threads > 1).then_some(Variant::Parallel));
    variants.extend(is_product.then_some(Variant::Gemm));
    variants.extend((is_product && has_blas).then_some(Variant::Blas));
    variants
}

struct Group<'a, 'm> {
    measuring: &'a mut Measuring<'m>,
    watch: &'a dyn Watch,
    total: usize,
    outcomes: &'a mut Vec<Outcome>,
}

impl Group<'_, '_> {
    /// Runs its cases; `false` when somebody asked for the end.
    fn run<T: Tabled + BlasNumber + Number>(&mut self, kernel: Kernel, size: usize) -> bool {
        let choice = self.measuring.choice;
        if self.watch.is_stopped() {
            return false;
        }
        let what = |variant: &str| format!("{} {variant} {} {size}", kernel.word(), T::DTYPE.word());
        self.watch.at(self.outcomes.len(), self.total, &what("input"));
        let mut input = Input::<T>::new(kernel, size, choice.seed);
        for variant in variants(kernel, size, T::DTYPE, choice, self.measuring.blas.is_some()) {
            if self.watch.is_stopped() {
                return false;
            }
            self.watch.at(self.outcomes.len(), self.total, &what(variant.word()));
            let threads = if variant == Variant::Parallel { choice.threads } else { 1 };
            let level = match variant {
                Variant::Level(level) => Some(level),
                Variant::Parallel => self.quickest(kernel, T::DTYPE, size),
                _ => None,
            };
            let case = Case { kernel, dtype: T::DTYPE, size, variant, level, threads };
            self.outcomes.push(self.measuring.measure(case, &mut input));
        }
        true
    }

    /// The vector instructions that were the quickest on one thread: wider ones are not where the processor works on their
    /// halves one after the other, or where memory is what counts.
    fn quickest(&self, kernel: Kernel, dtype: Dtype, size: usize) -> Option<Level> {
        let same = |it: &&Outcome| (it.case.kernel, it.case.dtype, it.case.size) == (kernel, dtype, size);
        let rates = self.outcomes.iter().filter(same).filter_map(|it| match it.case.variant {
            Variant::Level(level) if it.is_right => Some((level, it.median("GFLOP/s")?)),
            _ => None,
        });
        rates.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(level, _)| level)
    }
}
