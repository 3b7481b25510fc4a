//! `operation VARIANT N CALLS`: one operation, `out = 2 * a + b`, in several implementations of which one is good and each
//! other has one thing wrong with it. All print the same.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Mutex;

type Operation = fn(&[f32], &[f32], &mut [f32]);

/// Below this the slow path of `dispatch` is taken.
const THRESHOLD: usize = 40_000;
/// Elements of a row of `strided`, which goes down the columns.
const ROW: usize = 128;
/// Elements for which `lock` takes its lock once.
const CHUNK: usize = 16;

static DONE: Mutex<u64> = Mutex::new(0);

#[inline(never)]
fn good(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = 2.0 * a + b;
    }
}

/// Whether it was left early: a loop that can be is not made into one of vectors.
#[inline(never)]
fn checked(a: &[f32], b: &[f32], out: &mut [f32]) -> bool {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        let value = 2.0 * a + b;
        if value == f32::INFINITY {
            return true;
        }
        *out = value;
    }
    false
}

fn scalar(a: &[f32], b: &[f32], out: &mut [f32]) {
    black_box(checked(a, b, out));
}

#[inline(never)]
fn copy(a: &[f32], b: &[f32], out: &mut [f32]) {
    let own = black_box(a.to_vec());
    good(&own, b, out);
}

#[inline(never)]
fn extra_pass(a: &[f32], b: &[f32], out: &mut [f32]) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = 2.0 * a;
    }
    let out = black_box(out);
    for (out, b) in out.iter_mut().zip(b) {
        *out += b;
    }
}

/// Looks up what to call by a name that it puts together each time.
#[inline(never)]
fn overhead(a: &[f32], b: &[f32], out: &mut [f32]) {
    let mut known: BTreeMap<String, Operation> = BTreeMap::new();
    for bits in [8, 16, 32, 64] {
        known.insert(format!("add_f{bits}_x{}", black_box(bits) * 2), good);
    }
    let found = known.get(&format!("add_f{}_x64", black_box(32))).copied().unwrap_or(good);
    found(a, b, out);
}

#[inline(never)]
fn dispatch(a: &[f32], b: &[f32], out: &mut [f32]) {
    if a.len() < THRESHOLD {
        scalar(a, b, out);
    } else {
        good(a, b, out);
    }
}

#[inline(never)]
fn strided(a: &[f32], b: &[f32], out: &mut [f32]) {
    let row = black_box(ROW.min(a.len()));
    for column in 0..row {
        let mut at = column;
        while at < a.len() {
            out[at] = 2.0 * a[at] + b[at];
            at += row;
        }
    }
}

#[inline(never)]
fn upcast(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = (2.0 * f64::from(*a) + f64::from(*b)) as f32;
    }
}

#[inline(never)]
fn lock(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((out, a), b) in out.chunks_mut(CHUNK).zip(a.chunks(CHUNK)).zip(b.chunks(CHUNK)) {
        *DONE.lock().unwrap() += 1;
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = 2.0 * a + b;
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [variant, n, calls] = &words[..] else { panic!("usage: operation VARIANT N CALLS") };
    let (n, calls): (usize, u64) = (n.parse().unwrap(), calls.parse().unwrap());
    let operation: Operation = match variant.as_str() {
        "good" => good,
        "scalar" => scalar,
        "copy" => copy,
        "extra_pass" => extra_pass,
        "overhead" => overhead,
        "dispatch" => dispatch,
        "strided" => strided,
        "upcast" => upcast,
        "lock" => lock,
        other => panic!("there is no variant {other}"),
    };
    let a: Vec<f32> = (0..n).map(|at| (at % 61) as f32).collect();
    let b: Vec<f32> = (0..n).map(|at| (at % 17) as f32).collect();
    let mut out = vec![0.0; n];
    for _ in 0..calls {
        black_box(operation)(black_box(&a), black_box(&b), black_box(&mut out));
    }
    let sum: f64 = out.iter().map(|value| f64::from(*value)).sum();
    println!("{sum}");
}
