//! What follows from the figures of multiplication, at the largest size of each kind of numbers: whether a library is worth
//! having, and what wider vectors and more threads bring. What cannot be told apart is not called faster.

use calor_report::bench::{Advice, Figure};

use super::blas::Blas;
use super::case::{Outcome, Variant};
use super::{Dtype, Kernel};

/// Wider vectors that gain less than this are worth little.
const WIDER_PAYS: f64 = 1.1;
/// Threads of which each brings less than this part of one are worth a word.
const THREADS_PAY: f64 = 0.6;

/// The advice, by size of numbers.
pub(crate) fn advice(outcomes: &[Outcome], blas: Option<&Blas>) -> Vec<Advice> {
    let name = blas.map(|blas| blas.name.as_str());
    let of = |dtype: Dtype| {
        let of: Vec<&Outcome> = outcomes
            .iter()
            .filter(|it| it.case.kernel == Kernel::Matmul && it.case.dtype == dtype && it.is_right)
            .collect();
        let size = of.iter().map(|it| it.case.size).max()?;
        Some(Products { dtype, size, of: of.into_iter().filter(|it| it.case.size == size).collect() })
    };
    let each = |products: Products<'_>| {
        [products.beside_libraries(name), products.wider_vectors(), products.threads()]
    };
    Dtype::ALL.into_iter().filter_map(of).flat_map(each).flatten().collect()
}

/// Multiplications of one size.
struct Products<'o> {
    dtype: Dtype,
    size: usize,
    of: Vec<&'o Outcome>,
}

impl<'o> Products<'o> {
    fn beside_libraries(&self, blas: Option<&str>) -> Option<Advice> {
        let ours = self.best(|variant| matches!(variant, Variant::Level(_)))?;
        let peer = self.best(|variant| matches!(variant, Variant::Gemm | Variant::Blas))?;
        let name = match (peer.0.case.variant, blas) {
            (Variant::Blas, Some(name)) => name,
            _ => "the gemm crate",
        };
        let verdict = if peer.1.low > ours.1.high {
            "use a library"
        } else if ours.1.low > peer.1.high {
            "no library that was found is faster than ours"
        } else {
            "ours and the best library that was found cannot be told apart"
        };
        let mut text = format!(
            "Of {} rows, {name} reaches {:.2} times what our best way ({}) does on one thread",
            self.size,
            peer.1.median / ours.1.median,
            ours.0.case.variant.word(),
        );
        let loops = self.best(|variant| variant == Variant::Blocked);
        if let Some((_, rate)) = loops {
            text += &format!(", and {:.1} times what loops in blocks do", peer.1.median / rate.median);
        }
        let evidence = [Some(ours), Some(peer), loops].into_iter().flatten();
        Some(self.told(verdict, text, evidence))
    }

    /// Whether the widest vectors bring what their width promises.
    fn wider_vectors(&self) -> Option<Advice> {
        let level = |it: &&(&Outcome, &Figure)| match it.0.case.variant {
            Variant::Level(level) => Some(level),
            _ => None,
        };
        let rates: Vec<(&Outcome, &Figure)> = self.rates().filter(|it| level(&it).is_some()).collect();
        let widest = *rates.iter().max_by_key(level)?;
        let below = *rates.iter().filter(|it| level(it) < level(&&widest)).max_by_key(level)?;
        let gain = widest.1.median / below.1.median;
        if gain >= WIDER_PAYS {
            return None;
        }
        let [wide, narrow] = [widest, below].map(|it| it.0.case.variant.word());
        let text = format!(
            "{wide} reaches {gain:.2} times what {narrow} does: code that is built for {narrow} loses little here. A likely \
             reason is that this processor works on wide vectors in two halves, or slower",
        );
        Some(self.told("wider vectors bring little", text, [widest, below]))
    }

    /// Whether threads bring what their number promises.
    fn threads(&self) -> Option<Advice> {
        let many = self.best(|variant| variant == Variant::Parallel)?;
        let one = self.best(|variant| many.0.case.level.map(Variant::Level) == Some(variant))?;
        let (gain, threads) = (many.1.median / one.1.median, many.0.case.threads);
        if gain >= THREADS_PAY * threads as f64 {
            return None;
        }
        let text = format!(
            "{threads} threads reach {gain:.2} times what one does. Other programs on this machine, a limit on its processors, \
             or too small matrices are likely reasons",
        );
        Some(self.told("threads bring little", text, [one, many]))
    }

    fn rates(&self) -> impl Iterator<Item = (&'o Outcome, &'o Figure)> {
        self.of.iter().filter_map(|it| Some((*it, it.figure("GFLOP/s")?)))
    }

    fn best(&self, fits: impl Fn(Variant) -> bool) -> Option<(&'o Outcome, &'o Figure)> {
        let fitting = self.rates().filter(|it| fits(it.0.case.variant));
        fitting.max_by(|a, b| a.1.median.total_cmp(&b.1.median))
    }

    fn told(
        &self,
        verdict: &str,
        text: String,
        evidence: impl IntoIterator<Item = (&'o Outcome, &'o Figure)>,
    ) -> Advice {
        let line = |(it, rate): (&Outcome, &Figure)| {
            format!("{}: {:.1} GFLOP/s ({:.1} to {:.1})", it.case.name(), rate.median, rate.low, rate.high)
        };
        Advice {
            title: format!("{} matrices: {verdict}", self.dtype.word()),
            text: text + ".",
            evidence: evidence.into_iter().map(line).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use calor_report::bench::Params;

    use super::super::Level;
    use super::super::case::Case;
    use super::*;

    /// Rates of one way, in a run of 1024 rows.
    fn outcome(variant: Variant, level: Option<Level>, rates: [f64; 3]) -> Outcome {
        let threads = if variant == Variant::Parallel { 2 } else { 1 };
        let case = Case { kernel: Kernel::Matmul, dtype: Dtype::F32, size: 1024, variant, level, threads };
        let figure = Figure::of(case.name(), Params::new(), "GFLOP/s", &rates).expect("there are values");
        Outcome { case, vectors: None, is_right: true, figures: vec![figure], tier: None }
    }

    fn titles(avx512: f64, gemm: f64, parallel: f64) -> Vec<String> {
        let near = |rate: f64| [0.99 * rate, rate, 1.01 * rate];
        let of = |level| outcome(Variant::Level(level), Some(level), near(100.0));
        let outcomes = [
            of(Level::Avx2),
            outcome(Variant::Level(Level::Avx512), Some(Level::Avx512), near(avx512)),
            outcome(Variant::Parallel, Some(Level::Avx2), near(parallel)),
            outcome(Variant::Gemm, None, near(gemm)),
        ];
        let advice = advice(&outcomes, None);
        assert!(advice.iter().all(|advice| advice.evidence.len() == 2), "{advice:?}");
        advice.into_iter().map(|advice| advice.title.replace("f32 matrices: ", "")).collect()
    }

    #[test]
    fn advice_is_what_the_figures_show_and_no_more() {
        let apart = "ours and the best library that was found cannot be told apart";
        assert_eq!(titles(190.0, 250.0, 190.0), ["use a library"]);
        assert_eq!(titles(190.0, 150.0, 190.0), ["no library that was found is faster than ours"]);
        assert_eq!(titles(190.0, 189.5, 190.0), [apart]);
        assert_eq!(titles(97.0, 100.5, 190.0), [apart, "wider vectors bring little"]);
        assert_eq!(titles(190.0, 250.0, 110.0), ["use a library", "threads bring little"]);
        assert!(advice(&[outcome(Variant::Naive, None, [1.0; 3])], None).is_empty());
    }

    #[test]
    fn wrong_results_are_no_advice() {
        let mut ours = outcome(Variant::Level(Level::Sse2), Some(Level::Sse2), [9.0; 3]);
        ours.is_right = false;
        assert!(advice(&[ours, outcome(Variant::Gemm, None, [5.0; 3])], None).is_empty());
    }
}
