//! Runs the cases of one kernel at one size: they share their input, and the result that it should have.

use calor_analysis::MachineRoof;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::blas::{Blas, BlasNumber};
use super::case::{Case, Outcome, Variant};
use super::code::Code;
use super::gemm::{Product, Shape};
use super::table::{Table, Tabled};
use super::{Choice, Kernel, peer, plain, reference};
use crate::Random;
use crate::repeat::{Clock, Plan, site, timed_by};

/// The factor of `saxpy`: repetitions add it up, and it stays small.
const FACTOR: f64 = 0.001_953_125;

/// What is done again and again.
type Pass<'s, T> = Box<dyn FnMut(&mut Input<T>) + 's>;

/// What all cases share.
pub(crate) struct Measuring<'a> {
    pub(crate) choice: &'a Choice,
    pub(crate) pool: Option<&'a ThreadPool>,
    pub(crate) blas: Option<&'a Blas>,
    pub(crate) code: Code,
}

/// The input of a kernel at a size, and what should come of it.
pub(crate) struct Input<T> {
    size: usize,
    a: Vec<T>,
    b: Vec<T>,
    out: Vec<T>,
    rows: Vec<usize>,
    want: Vec<f64>,
}

impl<T: Tabled + BlasNumber> Input<T> {
    pub(crate) fn new(kernel: Kernel, size: usize, seed: u64) -> Self {
        let mut random = Random::new(seed ^ size as u64);
        let scale = if kernel == Kernel::Gelu { 4.0 } else { 1.0 };
        let mut numbers = |n: usize| -> Vec<T> {
            (0..n).map(|_| T::of(f64::from(scale * (2.0 * random.unit() - 1.0)))).collect()
        };
        let all = size * size;
        let a = numbers(all);
        let b = match kernel {
            Kernel::Matmul | Kernel::Dot | Kernel::Saxpy => numbers(all),
            // Gain and bias of a row.
            Kernel::LayerNorm => numbers(2 * size),
            Kernel::Softmax | Kernel::Gelu | Kernel::Sum => Vec::new(),
        };
        let out = match kernel {
            Kernel::Matmul | Kernel::Softmax | Kernel::Gelu | Kernel::LayerNorm => vec![T::default(); all],
            Kernel::Saxpy => b.clone(),
            Kernel::Dot | Kernel::Sum => vec![T::default()],
        };
        let rows = reference::rows(size);
        let row = |from: &[T], row: usize| from[row * size..][..size].to_vec();
        let of_rows = |make: &dyn Fn(usize) -> Vec<f64>| rows.iter().flat_map(|row| make(*row)).collect();
        let want: Vec<f64> = match kernel {
            Kernel::Matmul => reference::product(size, &rows, &a, &b),
            Kernel::Dot => vec![reference::dot(&a, &b)],
            Kernel::Sum => vec![reference::sum(&a)],
            Kernel::Softmax => of_rows(&|at| reference::softmax(&row(&a, at))),
            Kernel::Gelu => of_rows(&|at| row(&a, at).iter().map(|x| reference::gelu(x.wide())).collect()),
            Kernel::LayerNorm => of_rows(&|at| reference::layer_norm(&row(&a, at), &b[..size], &b[size..])),
            Kernel::Saxpy => of_rows(&|at| {
                let each = row(&a, at).into_iter().zip(row(&b, at));
                each.map(|(x, y)| FACTOR * x.wide() + y.wide()).collect()
            }),
        };
        Self { size, a, b, out, rows, want }
    }

    /// Multiplies its matrices in some way.
    pub(crate) fn multiply(&mut self, work: impl FnOnce(&[T], &[T], &mut [T])) {
        work(&self.a, &self.b, &mut self.out);
    }

    /// Forgets what was computed, so that nothing is right before it is computed again.
    pub(crate) fn forget(&mut self) {
        self.out.fill(T::of(f64::NAN));
    }

    /// Whether what was computed is right.
    pub(crate) fn is_right(&self, kernel: Kernel) -> bool {
        let tolerance = reference::tolerance(kernel, self.size);
        let is_near = |got: T, want: f64| reference::is_near(got, want, tolerance, kernel == Kernel::Softmax);
        if self.out.len() == 1 {
            return is_near(self.out[0], self.want[0]);
        }
        let rows = self.rows.iter().zip(self.want.chunks_exact(self.size));
        rows.into_iter().all(|(row, want)| {
            let got = &self.out[row * self.size..][..self.size];
            got.iter().zip(want).all(|(got, want)| is_near(*got, *want))
        })
    }
}

impl Measuring<'_> {
    /// Runs a case: once to check it, and then by plan.
    pub(crate) fn measure<T: Tabled + BlasNumber>(&mut self, case: Case, input: &mut Input<T>) -> Outcome {
        let labels = [
            ("kernel", case.kernel.word()),
            ("variant", case.variant.word()),
            ("dtype", case.dtype.word()),
            ("size", &*case.size.to_string()),
            ("threads", &*case.threads.to_string()),
        ];
        let site = site("simd", &case.name(), &labels, Some(case.work()));
        let roof = self.choice.roof.clone();
        let mut pass = self.pass::<T>(case, roof.as_ref());
        if case.kernel == Kernel::Saxpy {
            input.out.copy_from_slice(&input.b);
        } else {
            input.forget();
        }
        pass(input);
        let is_right = input.is_right(case.kernel);
        let clock = if case.variant == Variant::Parallel { Clock::Wall } else { Clock::Cpu };
        let times = timed_by(clock, site, &self.plan(case), || (0..case.passes()).for_each(|_| pass(input)));
        drop(pass);
        let vectors = self.vectors::<T>(case);
        case.outcome(&times, is_right, vectors, roof.as_ref())
    }

    /// Those of vectors are many and steady; the slowest of all is not worth many repetitions.
    fn plan(&self, case: Case) -> Plan {
        let plan = self.choice.plan;
        match (case.kernel, case.variant) {
            (Kernel::Matmul, Variant::Naive) => {
                Plan { least: plan.least.min(3), time: plan.time / 2, ..plan }
            }
            (Kernel::Matmul, _) => plan,
            _ => Plan { time: plan.time / 3, ..plan },
        }
    }

    /// What is done in each pass.
    fn pass<'s, T: Tabled + BlasNumber>(&'s self, case: Case, roof: Option<&MachineRoof>) -> Pass<'s, T> {
        let Case { kernel, size, variant, threads, .. } = case;
        let table = table::<T>(case);
        if kernel == Kernel::Matmul {
            return self.product::<T>(case, table, roof);
        }
        match self.pool.filter(|_| variant == Variant::Parallel) {
            None => Box::new(move |input: &mut Input<T>| {
                let Input { a, b, out, .. } = input;
                let (gain, bias) = b.split_at(b.len().min(size));
                match kernel {
                    Kernel::Softmax => table.softmax(a, out, size),
                    Kernel::Gelu => table.gelu(a, out),
                    Kernel::LayerNorm => table.layer_norm(a, gain, bias, out),
                    Kernel::Saxpy => table.axpy(T::of(FACTOR), a, out),
                    Kernel::Dot => out[0] = std::hint::black_box(table.dot(a, b)),
                    Kernel::Sum | Kernel::Matmul => out[0] = std::hint::black_box(table.sum(a)),
                }
            }),
            Some(pool) => Box::new(move |input: &mut Input<T>| {
                let Input { a, b, out, .. } = input;
                // Whole rows, as equal as can be.
                let share = size.div_ceil(threads) * size;
                let (gain, bias) = b.split_at(b.len().min(size));
                let add = |sums: Vec<T>| sums.into_iter().fold(T::default(), T::plus);
                pool.install(|| match kernel {
                    Kernel::Dot => {
                        let parts = a.par_chunks(share).zip(b.par_chunks(share));
                        out[0] = add(parts.map(|(x, y)| table.dot(x, y)).collect());
                    }
                    Kernel::Sum | Kernel::Matmul => {
                        out[0] = add(a.par_chunks(share).map(|x| table.sum(x)).collect());
                    }
                    _ => a.par_chunks(share).zip(out.par_chunks_mut(share)).for_each(|(x, y)| match kernel {
                        Kernel::Softmax => table.softmax(x, y, size),
                        Kernel::Gelu => table.gelu(x, y),
                        Kernel::LayerNorm => table.layer_norm(x, gain, bias, y),
                        _ => table.axpy(T::of(FACTOR), x, y),
                    }),
                });
            }),
        }
    }

    fn product<'s, T: Tabled + BlasNumber>(
        &'s self,
        case: Case,
        table: &'static Table<T>,
        roof: Option<&MachineRoof>,
    ) -> Pass<'s, T> {
        let Case { size, variant, threads, .. } = case;
        let shape = Shape { rows: size, depth: size, columns: size };
        let new = || Product::new(&table.tile, shape, caches(roof), threads);
        match (variant, self.pool, self.blas) {
            (Variant::Naive, ..) => Box::new(move |it| plain::naive(size, &it.a, &it.b, &mut it.out)),
            (Variant::Blocked, ..) => Box::new(move |it| plain::blocked(size, &it.a, &it.b, &mut it.out)),
            (Variant::Gemm, ..) => Box::new(move |it| peer::multiply(size, &it.a, &it.b, &mut it.out)),
            (Variant::Blas, _, Some(blas)) => {
                Box::new(move |it| blas.multiply(size, &it.a, &it.b, &mut it.out))
            }
            (Variant::Parallel, Some(pool), _) => {
                let mut product = new();
                Box::new(move |it| product.multiply_together(pool, &it.a, &it.b, &mut it.out))
            }
            _ => {
                let mut product = new();
                Box::new(move |it| product.multiply(&it.a, &it.b, &mut it.out))
            }
        }
    }

    /// The vectors of a case's machine code; those of libraries are not looked for.
    fn vectors<T: Tabled + BlasNumber>(&mut self, case: Case) -> Option<String> {
        let address = match case.variant {
            Variant::Naive => plain::naive::<T> as fn(usize, &[T], &[T], &mut [T]) as usize,
            Variant::Blocked => plain::add_multiple::<T> as fn(T, &[T], &mut [T]) as usize,
            Variant::Level(_) | Variant::Parallel => table::<T>(case).address(case.kernel),
            Variant::Gemm | Variant::Blas => return None,
        };
        let verdict = self.code.vectors(address)?;
        let fused = if verdict.fma() { "+fma" } else { "" };
        Some(format!("{}{fused}", verdict.class.word()))
    }
}

/// The functions of a case.
fn table<T: Tabled>(case: Case) -> &'static Table<T> {
    case.level.and_then(Table::<T>::at).unwrap_or_else(|| Table::widest(case.kernel))
}

/// The sizes of the caches, as far as they are known.
pub(crate) fn caches(roof: Option<&MachineRoof>) -> [Option<u64>; 3] {
    let size = |name: &str| roof?.tiers.iter().find(|tier| tier.name == name)?.bytes;
    ["L1", "L2", "L3"].map(size)
}
