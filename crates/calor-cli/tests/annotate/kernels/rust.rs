//! Kernels as rustc makes them, each for so many milliseconds of CPU time: rust MILLIS
use std::hint::black_box;
use std::time::{Duration, Instant};

const N: usize = 4096;

#[inline(never)]
fn dot_scalar(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..a.len().min(b.len()) {
        sum += a[i] * b[i];
    }
    sum
}

#[inline(never)]
fn saxpy_auto(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * *x;
    }
}

/// Most of its code is what comes behind the loop.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn dot_avx2(a: &[f32], b: &[f32]) -> f32 {
    use std::arch::x86_64::*;
    let n = a.len().min(b.len()) / 32 * 32;
    let mut sums = [_mm256_setzero_ps(); 4];
    for i in (0..n).step_by(32) {
        for k in 0..4 {
            // SAFETY: 8 numbers from there lie below the length of both.
            let (x, y) = unsafe {
                (_mm256_loadu_ps(a.as_ptr().add(i + 8 * k)), _mm256_loadu_ps(b.as_ptr().add(i + 8 * k)))
            };
            sums[k] = _mm256_fmadd_ps(x, y, sums[k]);
        }
    }
    let mut sum = 0.0;
    for part in sums {
        let mut numbers = [0.0_f32; 8];
        // SAFETY: there is room for eight.
        unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), part) };
        sum += numbers.iter().sum::<f32>();
    }
    for i in n..a.len().min(b.len()) {
        sum += a[i] * b[i];
    }
    sum
}

#[inline(never)]
fn int_hash(n: u64) -> u64 {
    (0..n).fold(1, |hash: u64, i| (hash ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(13))
}

#[inline(never)]
fn sum_of_squares(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number * number).sum()
}

#[inline(never)]
fn largest_byte(bytes: &[u8]) -> u8 {
    bytes.iter().copied().fold(0, u8::max)
}

fn main() {
    let millis = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(150);
    let (a, b, mut y) = (vec![1.0_f32; N], vec![2.0_f32; N], vec![0.5_f32; N]);
    let (doubles, bytes) = (vec![0.5_f64; N], vec![7_u8; N]);
    let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let mut kernels: Vec<Box<dyn FnMut()>> = vec![
        Box::new(|| {
            black_box(dot_scalar(black_box(&a), black_box(&b)));
        }),
        Box::new(|| saxpy_auto(1.0001, black_box(&a), black_box(&mut y))),
        Box::new(|| {
            black_box(int_hash(black_box(4000)));
        }),
        Box::new(|| {
            black_box(sum_of_squares(black_box(&doubles)));
        }),
        Box::new(|| {
            black_box(largest_byte(black_box(&bytes)));
        }),
    ];
    if has_avx2 {
        // SAFETY: the processor has what it is built for.
        kernels.push(Box::new(|| {
            black_box(unsafe { dot_avx2(black_box(&a), black_box(&b)) });
        }));
    } else {
        println!("skipped dot_avx2");
    }
    for kernel in &mut kernels {
        let (begin, mut used) = (cpu_time(), Duration::ZERO);
        while used < Duration::from_millis(millis) {
            (0..50).for_each(|_| kernel());
            used = cpu_time() - begin;
        }
    }
}

/// CPU time of this thread, as the kernel counts it.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|word| word.parse().ok());
    nanos.map_or_else(wall_time, Duration::from_nanos)
}

/// Where the kernel does not count.
fn wall_time() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
