//! What is measured: kernels, sizes of numbers and of matrices, threads.

use std::path::PathBuf;

use calor_report::MachineRoof;

use crate::repeat::Plan;
use crate::tokenizer::cores;
use crate::{Error, threads};

/// A kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kernel {
    /// Multiplication of square matrices.
    Matmul,
    /// Each row of a matrix as parts of its whole.
    Softmax,
    /// The activation of GPT-2.
    Gelu,
    /// Each row of a matrix with mean 0 and variance 1.
    LayerNorm,
    /// The sum of the products of two vectors.
    Dot,
    /// A multiple of one vector added to another.
    Saxpy,
    /// All numbers of a vector together.
    Sum,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Matmul, Self::Softmax, Self::Gelu, Self::LayerNorm, Self::Dot, Self::Saxpy, Self::Sum];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Matmul => "matmul",
            Self::Softmax => "softmax",
            Self::Gelu => "gelu",
            Self::LayerNorm => "layernorm",
            Self::Dot => "dot",
            Self::Saxpy => "saxpy",
            Self::Sum => "sum",
        }
    }

    /// By its word.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(word: &str) -> Result<Self, Error> {
        named("kernel", word, &Self::ALL, Self::word)
    }
}

/// A size of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dtype {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Dtype {
    /// Both.
    pub const ALL: [Self; 2] = [Self::F32, Self::F64];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Bytes of a number.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// By its word.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(word: &str) -> Result<Self, Error> {
        named("dtype", word, &Self::ALL, Self::word)
    }
}

/// Which library stands beside ours.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum BlasChoice {
    /// The first that is found where libraries are.
    #[default]
    Found,
    /// This file, or an error.
    File(PathBuf),
    /// None.
    None,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Which kernels, in the order of the page.
    pub kernels: Vec<Kernel>,
    /// Which sizes of numbers.
    pub dtypes: Vec<Dtype>,
    /// Rows and columns of matrices; the other kernels have as many numbers. `None`: 128 to 1024 for multiplication, and for
    /// the others whatever fits into each tier of memory.
    pub sizes: Option<Vec<usize>>,
    /// Threads of the cases that have several; none with 1.
    pub threads: usize,
    /// How often each case is repeated.
    pub plan: Plan,
    /// Whether the usual sizes are fewer.
    pub is_quick: bool,
    /// Decides the numbers.
    pub seed: u64,
    /// The library beside ours.
    pub blas: BlasChoice,
    /// What the machine can do at most; without it there are no parts of it.
    pub roof: Option<MachineRoof>,
}

/// Rows and columns of a matrix.
pub const SIZES: std::ops::RangeInclusive<usize> = 8..=8192;

impl Choice {
    /// Everything, on as many threads as there are processors.
    #[must_use]
    pub fn all(plan: Plan) -> Self {
        Self {
            kernels: Kernel::ALL.to_vec(),
            dtypes: Dtype::ALL.to_vec(),
            sizes: None,
            threads: cores().min(threads::MOST),
            plan,
            is_quick: false,
            seed: 2025,
            blas: BlasChoice::Found,
            roof: None,
        }
    }

    /// Whether all of it can be measured.
    ///
    /// # Errors
    /// If something is not, with what is.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |what, given: String, allowed: String| Err(Error::Choice { what, given, allowed });
        if self.kernels.is_empty() {
            return refuse("kernel", "none".to_owned(), words(&Kernel::ALL, Kernel::word));
        }
        if self.dtypes.is_empty() {
            return refuse("dtype", "none".to_owned(), words(&Dtype::ALL, Dtype::word));
        }
        let range = |range: &std::ops::RangeInclusive<usize>| format!("{} to {}", range.start(), range.end());
        if let Some(sizes) = &self.sizes {
            if sizes.is_empty() {
                return refuse("size", "none".to_owned(), range(&SIZES));
            }
            if let Some(wrong) = sizes.iter().find(|size| !SIZES.contains(size)) {
                return refuse("size", wrong.to_string(), range(&SIZES));
            }
        }
        threads::check(self.threads)
    }
}

fn named<T: Copy>(
    what: &'static str,
    word: &str,
    all: &[T],
    word_of: fn(T) -> &'static str,
) -> Result<T, Error> {
    all.iter().copied().find(|it| word_of(*it) == word).ok_or_else(|| Error::Choice {
        what,
        given: word.to_owned(),
        allowed: words(all, word_of),
    })
}

fn words<T: Copy>(all: &[T], word_of: fn(T) -> &'static str) -> String {
    all.iter().map(|it| word_of(*it)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut Choice), expect: &str) {
        let mut choice = Choice::all(Plan::quick());
        change(&mut choice);
        let error = choice.check().expect_err("it is refused").to_string();
        assert!(error.contains(expect), "{error}");
    }

    #[test]
    fn what_cannot_be_measured_is_refused_with_what_can() {
        assert!(Choice::all(Plan::quick()).check().is_ok());
        check(|choice| choice.kernels.clear(), "matmul, softmax, gelu");
        check(|choice| choice.dtypes.clear(), "f32, f64");
        check(|choice| choice.sizes = Some(vec![]), "8 to 8192");
        check(|choice| choice.sizes = Some(vec![128, 7]), "8 to 8192");
        check(|choice| choice.threads = 0, "no such number of threads: 0");
        check(|choice| choice.threads = 257, "core");
        let error = Kernel::named("fft").expect_err("there is none").to_string();
        assert!(error.contains("fft") && error.contains("matmul, softmax"), "{error}");
        assert!(Dtype::named("f16").is_err());
        assert_eq!(Kernel::named("layernorm").ok(), Some(Kernel::LayerNorm));
    }
}
