//! The curves that are considered: a constant and one or two powers of the size, some of them with a logarithm. The set is
//! small because with few points every further curve fits by chance.

use std::fmt;

use super::tier::Access;

/// A power of the size, with or without its logarithm.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Term {
    /// The exponent of the size.
    pub exponent: f64,
    /// Whether it is multiplied with the logarithm of the size.
    pub has_logarithm: bool,
    /// Whether it grows in steps that double, as the room of vectors and hash maps does: the size is taken to be the next one of
    /// those where it doubles, which are all powers of two times two to the power of this.
    pub doubles_at: Option<f64>,
}

impl Term {
    const fn new(exponent: f64, has_logarithm: bool) -> Self {
        Self { exponent, has_logarithm, doubles_at: None }
    }

    fn at(self, size: f64) -> f64 {
        let size = self.doubles_at.map_or(size, |phase| {
            // What lies on a step by rounding is on it.
            ((size.log2() - phase - 1e-9).ceil() + phase).exp2()
        });
        let logarithm = if self.has_logarithm { (size + 1.0).log2() } else { 1.0 };
        size.powf(self.exponent) * logarithm
    }
}

/// How something grows with the size.
#[derive(Clone, PartialEq, Debug)]
pub struct Scaling {
    /// The powers that it is made of, the largest last; none for what stays the same.
    pub terms: Vec<Term>,
}

impl fmt::Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("constant");
        }
        for (at, term) in self.terms.iter().enumerate() {
            if at > 0 {
                f.write_str(" + ")?;
            }
            match term.exponent {
                0.0 => {}
                1.0 => f.write_str("n")?,
                exponent => write!(f, "n^{exponent}")?,
            }
            match (term.has_logarithm, term.exponent == 0.0) {
                (true, true) => f.write_str("log n")?,
                (true, false) => f.write_str(" log n")?,
                (false, _) => {}
            }
            if term.doubles_at.is_some() {
                f.write_str(" in doublings")?;
            }
        }
        Ok(())
    }
}

/// Candidates of one power.
const SINGLE: [Term; 8] = [
    Term::new(0.0, true),
    Term::new(0.5, false),
    Term::new(1.0, false),
    Term::new(1.0, true),
    Term::new(1.5, false),
    Term::new(2.0, false),
    Term::new(2.0, true),
    Term::new(3.0, false),
];

/// Candidates of two: what programs of loops in loops are made of.
const PAIRS: [[Term; 2]; 4] = [
    [Term::new(1.0, false), Term::new(2.0, false)],
    [Term::new(2.0, false), Term::new(3.0, false)],
    [Term::new(1.0, false), Term::new(3.0, false)],
    [Term::new(1.0, false), Term::new(1.0, true)],
];

/// Places between two powers of two at which something may double.
const PHASES: u32 = 16;
/// What is thought of all that double together, beside a plain power.
const DOUBLING_PRIOR: f64 = 0.5;

/// What is thought of powers with a logarithm or a fraction, and of sums of two powers, beside a plain one. Both fit noise well,
/// and sums are far off at a larger size where they do.
const RARE_PRIOR: f64 = 0.5;
const SUM_PRIOR: f64 = 0.2;

/// What is thought of a constant beside a plain power.
const CONSTANT_PRIOR: f64 = 8.0;

/// One curve: the sum of its columns, each times a number that is not below 0.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Curve {
    pub(super) has_constant: bool,
    pub(super) terms: Vec<Term>,
    /// How the powers slow down with the memory that they work on.
    pub(super) access: Access,
}

impl Curve {
    /// All that are considered; with those that double, which is what memory does and time does not.
    pub(super) fn all(accesses: &[Access], can_double: bool) -> Vec<Self> {
        let mut curves = vec![Self { has_constant: true, terms: Vec::new(), access: Access::Flat }];
        let singles = SINGLE.iter().map(|term| vec![*term]);
        let smooth = singles.chain(PAIRS.iter().map(|pair| pair.to_vec()));
        for terms in smooth.chain(doubling().take(if can_double { usize::MAX } else { 0 })) {
            for &access in accesses {
                for has_constant in [false, true] {
                    curves.push(Self { has_constant, terms: terms.clone(), access });
                }
            }
        }
        curves
    }

    pub(super) fn n_columns(&self) -> usize {
        usize::from(self.has_constant) + self.terms.len()
    }

    /// The values of its columns at a size, by those at `largest` so that numbers stay near 1.
    pub(super) fn columns(&self, size: f64, largest: f64, slowness: f64) -> Vec<f64> {
        let constant = self.has_constant.then_some(1.0);
        let powers = self.terms.iter().map(|term| term.at(size) / term.at(largest) * slowness);
        constant.into_iter().chain(powers).collect()
    }

    /// What is thought of it before anything is measured: plain powers are more common than others, and what does not grow
    /// is one curve beside many that may seem to.
    pub(super) fn prior(&self) -> f64 {
        if self.terms.is_empty() {
            return CONSTANT_PRIOR;
        }
        if self.terms.iter().any(|term| term.doubles_at.is_some()) {
            return DOUBLING_PRIOR / f64::from(PHASES);
        }
        let is_plain = |term: &Term| !term.has_logarithm && term.exponent.fract() == 0.0;
        let plain = if self.terms.iter().all(is_plain) { 1.0 } else { RARE_PRIOR };
        plain * if self.terms.len() > 1 { SUM_PRIOR } else { 1.0 }
    }

    pub(super) fn scaling(&self) -> Scaling {
        Scaling { terms: self.terms.clone() }
    }
}

/// Room that doubles, alone and beside what is as large as what is in it.
fn doubling() -> impl Iterator<Item = Vec<Term>> {
    (0..PHASES).flat_map(|phase| {
        let plain = Term::new(1.0, false);
        let doubles = Term { doubles_at: Some(f64::from(phase) / f64::from(PHASES)), ..plain };
        [vec![doubles], vec![plain, doubles]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doubles_has_the_room_of_the_next_step() {
        let doubles = Term { doubles_at: Some(0.0), ..Term::new(1.0, false) };
        assert_eq!([1.0, 3.0, 4.0, 5.0, 8.0].map(|size| doubles.at(size)), [1.0, 4.0, 4.0, 8.0, 8.0]);
        let between = Term { doubles_at: Some(0.5), ..doubles };
        assert!((between.at(5.0) - 32_f64.sqrt()).abs() < 1e-9);
        assert!((between.at(6.0) - 128_f64.sqrt()).abs() < 1e-9);
        assert_eq!(Scaling { terms: vec![Term::new(1.0, false), doubles] }.to_string(), "n + n in doublings");
    }
}
