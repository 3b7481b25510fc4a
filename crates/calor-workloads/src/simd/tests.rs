//! Kernels at odd sizes and with odd numbers, and whole runs of small ones.

use std::sync::Mutex;
use std::time::Duration;

use calor_report::bench::Figure;

use super::gemm::{Product, Shape};
use super::measure::Input;
use super::number::Number;
use super::table::{Table, Tabled};
use super::{BlasChoice, Choice, Dtype, Kernel, Level, kernels, reference, run};
use crate::repeat::Plan;
use crate::{Error, Random, Unwatched, Watch};

fn numbers<T: Number>(n: usize, random: &mut Random) -> Vec<T> {
    (0..n).map(|_| T::of(f64::from(2.0 * random.unit() - 1.0))).collect()
}

/// Products of all levels, of matrices that no tile fits into, on one thread and on several.
fn check_products<T: Tabled>() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("there are threads");
    let mut random = Random::new(5);
    for (rows, depth, columns) in [(1, 1, 1), (7, 900, 5), (13, 65, 33), (50, 17, 100), (97, 70, 64)] {
        let (a, b) = (numbers::<T>(rows * depth, &mut random), numbers::<T>(depth * columns, &mut random));
        for table in Level::here().filter_map(Table::<T>::at) {
            for threads in [1, 3] {
                let shape = Shape { rows, depth, columns };
                // Caches so small that there are many blocks.
                let caches = [Some(4 << 10), Some(16 << 10), Some(16 << 10)];
                let mut product = Product::new(&table.tile, shape, caches, threads);
                let mut c = vec![T::of(f64::NAN); rows * columns];
                for _ in 0..2 {
                    match threads {
                        1 => product.multiply(&a, &b, &mut c),
                        _ => product.multiply_together(&pool, &a, &b, &mut c),
                    }
                }
                for (at, got) in c.iter().enumerate() {
                    let (row, column) = (at / columns, at % columns);
                    let each = (0..depth).map(|k| a[row * depth + k].wide() * b[k * columns + column].wide());
                    let want: f64 = each.sum();
                    assert!(
                        reference::is_near(*got, want, 4.0 + depth as f64, false),
                        "{} {rows} {depth} {columns} {threads}: {} is not {want} at {at}",
                        table.level.word(),
                        got.wide()
                    );
                }
            }
        }
    }
}

#[test]
fn products_of_any_shape_are_right_on_every_level() {
    check_products::<f32>();
    check_products::<f64>();
}

/// All other kernels on all levels, at lengths that are no multiple of any vector.
fn check_vectors<T: Tabled>() {
    let mut random = Random::new(6);
    for n in [1, 2, 3, 5, 8, 17, 31, 64, 67, 257] {
        let (x, y) = (numbers::<T>(3 * n, &mut random), numbers::<T>(3 * n, &mut random));
        let (gain, bias) = (numbers::<T>(n, &mut random), numbers::<T>(n, &mut random));
        for table in Level::here().filter_map(Table::<T>::at) {
            let level = table.level.word();
            let near = |kernel, got: &[T], want: &[f64]| {
                let tolerance = reference::tolerance(kernel, n.max(2));
                let is_near = |(got, want): (&T, &f64)| {
                    reference::is_near(*got, *want, tolerance, kernel == Kernel::Softmax)
                };
                assert!(got.iter().zip(want).all(is_near), "{} {level} {n}", kernel.word());
            };
            near(Kernel::Sum, &[table.sum(&x[..n])], &[reference::sum(&x[..n])]);
            near(Kernel::Dot, &[table.dot(&x[..n], &y[..n])], &[reference::dot(&x[..n], &y[..n])]);
            let mut out = y.clone();
            table.axpy(T::of(0.5), &x, &mut out);
            let want: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 0.5 * x.wide() + y.wide()).collect();
            near(Kernel::Saxpy, &out, &want);
            table.gelu(&x, &mut out);
            near(Kernel::Gelu, &out, &x.iter().map(|x| reference::gelu(x.wide())).collect::<Vec<_>>());
            table.softmax(&x, &mut out, n);
            near(Kernel::Softmax, &out, &x.chunks_exact(n).flat_map(reference::softmax).collect::<Vec<_>>());
            // One number has no variance, and what is left of rounding is divided by nearly nothing.
            if n > 2 {
                table.layer_norm(&x, &gain, &bias, &mut out);
                let want = x.chunks_exact(n).flat_map(|row| reference::layer_norm(row, &gain, &bias));
                near(Kernel::LayerNorm, &out, &want.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn vectors_of_any_length_are_right_on_every_level() {
    check_vectors::<f32>();
    check_vectors::<f64>();
}

#[test]
#[expect(unsafe_code, reason = "one number at a time needs no instructions that could be missing")]
fn the_exponential_function_is_exact_over_its_range_and_stays_within_it() {
    for at in -8600..8700 {
        let x = f64::from(at) / 100.0;
        // SAFETY: plain numbers are vectors on every processor.
        let (narrow, wide) = unsafe { (kernels::exp(x as f32), kernels::exp(x)) };
        let want = f64::from(x as f32).exp();
        assert!((f64::from(narrow) / want - 1.0).abs() < 4.0 * f64::from(f32::EPSILON), "{x}: {narrow}");
        assert!((wide / x.exp() - 1.0).abs() < 4.0 * f64::EPSILON, "{x}: {wide}");
    }
    // SAFETY: the same.
    let odd = unsafe { [f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(|x| kernels::exp(x)) };
    assert!(odd[0].is_finite() && odd[0] > 1e38 && odd[1] >= 0.0 && odd[1] < 1e-37 && odd[2].is_nan());
}

#[test]
fn a_wrong_result_is_noticed_wherever_it_is() {
    for kernel in Kernel::ALL {
        let mut input = Input::<f32>::new(kernel, 16, 1);
        input.forget();
        assert!(!input.is_right(kernel), "{}", kernel.word());
    }
    let mut input = Input::<f64>::new(Kernel::Matmul, 16, 1);
    input.multiply(|a, b, c| super::plain::naive(16, a, b, c));
    assert!(input.is_right(Kernel::Matmul));
    input.multiply(|_, _, c| c[255] += 1e-9);
    assert!(!input.is_right(Kernel::Matmul));
}

fn small(kernels: &[Kernel], threads: usize) -> Choice {
    Choice {
        kernels: kernels.to_vec(),
        sizes: Some(vec![24, 16]),
        threads,
        blas: BlasChoice::None,
        ..Choice::all(Plan { least: 1, most: 2, time: Duration::ZERO })
    }
}

#[test]
fn a_run_has_every_kernel_both_sizes_of_numbers_and_is_verified() {
    let bench = run(&small(&Kernel::ALL, 2), &Unwatched).expect("all of it can be measured");
    for kernel in Kernel::ALL {
        for dtype in Dtype::ALL {
            let is_of = |figure: &&Figure| {
                figure.params["kernel"] == kernel.word() && figure.params["dtype"] == dtype.word()
            };
            let of: Vec<&Figure> = bench.figures.iter().filter(is_of).collect();
            assert!(of.iter().any(|figure| figure.unit == "GFLOP/s" && figure.median > 0.0));
            assert!(of.iter().any(|figure| figure.params["variant"] == "parallel"));
            assert!(of.iter().all(|figure| figure.verified == Some(true)), "{of:?}");
        }
    }
    assert_eq!((bench.tables.len(), bench.charts.len()), (4, 4));
    assert!(bench.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    assert!(bench.warnings.iter().any(|warning| warning.code == "no_roof"));
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_machine_code_has_the_vectors_that_were_asked_for() {
    let bench = run(&small(&Kernel::ALL, 1), &Unwatched).expect("all of it can be measured");
    for (variant, expected) in [("sse2", "sse"), ("avx2", "avx2+fma"), ("avx512", "avx512+fma")] {
        let of = bench.figures.iter().filter(|figure| figure.params["variant"] == variant);
        for figure in of {
            let found = figure.params["vector_class"].as_str().expect("it was read");
            // Sums have nothing to fuse.
            let is_sum = figure.params["kernel"] == "sum" && found == expected.trim_end_matches("+fma");
            assert!(is_sum || found == expected, "{}: {found}", figure.case);
        }
    }
    let naive = bench.figures.iter().find(|figure| figure.params["variant"] == "naive");
    assert_eq!(naive.map(|figure| &figure.params["vector_class"]), Some(&"scalar".into()));
}

struct Impatient(Mutex<usize>);

impl Watch for Impatient {
    fn at(&self, done: usize, _: usize, _: &str) {
        *self.0.lock().expect("nobody panics") = done + 1;
    }

    fn is_stopped(&self) -> bool {
        *self.0.lock().expect("nobody panics") > 2
    }
}

#[test]
fn a_run_that_is_stopped_tells_what_it_has_and_that_it_is_not_all() {
    let bench = run(&small(&[Kernel::Matmul], 1), &Impatient(Mutex::new(0))).expect("some was measured");
    assert!(bench.warnings.iter().any(|warning| warning.code == "incomplete"));
    assert!(!bench.figures.is_empty());
    let stopped = run(&small(&[Kernel::Sum], 1), &Impatient(Mutex::new(9)));
    assert!(matches!(stopped, Err(Error::Stopped)));
}
