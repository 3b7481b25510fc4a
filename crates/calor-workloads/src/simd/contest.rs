//! Our multiplication and those of others in turns, so that whatever disturbs the machine disturbs all of them.

use calor_analysis::Median;

use super::blas::{Blas, BlasNumber};
use super::gemm::{Product, Shape};
use super::measure::{Input, caches};
use super::table::{Table, Tabled};
use super::{Choice, Dtype, Kernel, Level, peer};
use crate::Error;
use crate::clock::thread_nanos;

/// Operations of a turn: some milliseconds.
const TURN_FLOPS: u64 = 1 << 29;

/// What a contest found: GFLOP/s of CPU time of one thread, in each round.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Contest {
    /// The instructions of ours: those with the highest median of all that the processor has.
    pub level: &'static str,
    /// Ours, with them.
    pub ours: Vec<f64>,
    /// The others by name.
    pub others: Vec<(String, Vec<f64>)>,
    /// Whether all results were right.
    pub is_right: bool,
}

/// Multiplies matrices of so many rows in so many rounds. Of `choice`, the library, the seed and the roof count.
///
/// # Errors
/// If the library that was chosen cannot be loaded.
pub fn contest(dtype: Dtype, size: usize, rounds: usize, choice: &Choice) -> Result<Contest, Error> {
    let blas = Blas::chosen(&choice.blas)?;
    Ok(match dtype {
        Dtype::F32 => rounds_of::<f32>(size, rounds, choice, blas.as_ref()),
        Dtype::F64 => rounds_of::<f64>(size, rounds, choice, blas.as_ref()),
    })
}

type Way<'a, T> = (String, Box<dyn FnMut(&mut Input<T>) + 'a>);

fn rounds_of<T: Tabled + BlasNumber>(
    size: usize,
    rounds: usize,
    choice: &Choice,
    blas: Option<&Blas>,
) -> Contest {
    let shape = Shape { rows: size, depth: size, columns: size };
    let levels: Vec<Level> = Level::here().filter(|level| *level != Level::Plain).collect();
    let levels = if levels.is_empty() { vec![Level::Plain] } else { levels };
    let mut ways: Vec<Way<'_, T>> = Vec::new();
    for table in levels.iter().filter_map(|level| Table::<T>::at(*level)) {
        let mut product = Product::new(&table.tile, shape, caches(choice.roof.as_ref()), 1);
        let work = move |it: &mut Input<T>| it.multiply(|a, b, c| product.multiply(a, b, c));
        ways.push((table.level.word().to_owned(), Box::new(work)));
    }
    let n_ours = ways.len();
    let work = move |it: &mut Input<T>| it.multiply(|a, b, c| peer::multiply(size, a, b, c));
    ways.push(("gemm crate".to_owned(), Box::new(work)));
    if let Some(blas) = blas {
        let work = move |it: &mut Input<T>| it.multiply(|a, b, c| blas.multiply(size, a, b, c));
        ways.push((blas.name.clone(), Box::new(work)));
    }
    let mut input = Input::<T>::new(Kernel::Matmul, size, choice.seed);
    let is_right = ways.iter_mut().all(|(_, work)| {
        input.forget();
        work(&mut input);
        input.is_right(Kernel::Matmul)
    });
    let flops = Kernel::Matmul.flops(T::DTYPE, size);
    let turns = (TURN_FLOPS / flops).max(1);
    let mut rates = vec![Vec::new(); ways.len()];
    for round in 0..rounds {
        for at in 0..ways.len() {
            // Nobody is always the one after the same other.
            let at = (at + round) % ways.len();
            let begin = thread_nanos();
            (0..turns).for_each(|_| (ways[at].1)(&mut input));
            let nanos = thread_nanos().saturating_sub(begin).max(1);
            rates[at].push((turns * flops) as f64 / nanos as f64);
        }
    }
    let mut found: Vec<(String, Vec<f64>)> = ways.into_iter().map(|(name, _)| name).zip(rates).collect();
    let others = found.split_off(n_ours);
    let middle = |rates: &[f64]| Median::of(rates).map_or(0.0, |median| median.value);
    let best = found.into_iter().zip(levels).max_by(|(a, _), (b, _)| middle(&a.1).total_cmp(&middle(&b.1)));
    let (ours, level) = best.map_or((Vec::new(), Level::Plain), |((_, rates), level)| (rates, level));
    Contest { level: level.word(), ours, others, is_right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::Plan;
    use crate::simd::BlasChoice;

    #[test]
    fn everybody_has_a_turn_in_each_round_and_is_right() {
        let choice = Choice { blas: BlasChoice::None, ..Choice::all(Plan::quick()) };
        let found = contest(Dtype::F64, 40, 2, &choice).expect("nothing is loaded");
        assert!(found.is_right);
        assert_eq!((found.ours.len(), found.others.len(), found.others[0].1.len()), (2, 1, 2));
    }
}
