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
}

impl Term {
    const fn new(exponent: f64, has_logarithm: bool) -> Self {
        Self { exponent, has_logarithm }
    }

    fn at(self, size: f64) -> f64 {
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
    /// All that are considered.
    pub(super) fn all(accesses: &[Access]) -> Vec<Self> {
        let mut curves = vec![Self { has_constant: true, terms: Vec::new(), access: Access::Flat }];
        let singles = SINGLE.iter().map(|term| vec![*term]);
        for terms in singles.chain(PAIRS.iter().map(|pair| pair.to_vec())) {
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
        let is_plain = |term: &Term| !term.has_logarithm && term.exponent.fract() == 0.0;
        let plain = if self.terms.iter().all(is_plain) { 1.0 } else { 0.6 };
        plain * if self.terms.len() > 1 { 0.5 } else { 1.0 }
    }

    pub(super) fn scaling(&self) -> Scaling {
        Scaling { terms: self.terms.clone() }
    }
}
