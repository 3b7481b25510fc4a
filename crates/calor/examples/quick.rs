//! Cost check.
#![allow(unsafe_code)]
use std::time::Instant;
fn cpu() -> f64 { let t = libc_time(); t as f64 }
fn libc_time() -> u128 { Instant::now().duration_since(*START.get_or_init(Instant::now)).as_nanos() }
static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
#[inline(never)] fn flat(n: u64) { for i in 0..n { calor::scope!("flat"); std::hint::black_box(i); } }
#[inline(never)] fn empty(n: u64) { for i in 0..n { std::hint::black_box(i); } }
#[inline(never)] fn tsc(n: u64) { for i in 0..n { unsafe { let a = std::arch::x86_64::_rdtsc(); std::hint::black_box(i); let b = std::arch::x86_64::_rdtsc(); std::hint::black_box(b - a); } } }
#[inline(never)] fn nest(n: u64) { for i in 0..n { calor::scope!("a"); { calor::scope!("b"); { calor::scope!("c"); { calor::scope!("d"); { calor::scope!("e"); { calor::scope!("f"); { calor::scope!("g"); { calor::scope!("h"); std::hint::black_box(i); }}}}}}} } }
fn best(name: &str, per: f64, f: impl Fn()) { let mut v: Vec<f64> = (0..40).map(|_| { let a = cpu(); f(); (cpu() - a) / per }).collect(); v.sort_by(f64::total_cmp); println!("{name:20} best {:.2} median {:.2}", v[0], v[20]); }
fn main() {
    let n = 50_000;
    for _ in 0..2 {
    calor::disable();
    best("tsc", n as f64, || tsc(n));
    best("empty", n as f64, || empty(n));
    best("off nest", n as f64 , || nest(n / 8));
    best("off", n as f64, || flat(n));
    calor::enable_with(&calor::Options::new());
    best("flat", n as f64, || flat(n));
    best("nest", n as f64 , || nest(n / 8));
    calor::enable_with(&calor::Options::new().timeline(true));
    best("flat tl", n as f64, || flat(n));
    best("nest tl", n as f64 , || nest(n / 8));
    calor::enable_with(&calor::Options::new().time_one_in(16));
    best("flat 1/16", n as f64, || flat(n));
    best("nest 1/16", n as f64 , || nest(n / 8));
    }
    calor::enable_with(&calor::Options::new());
    let t = Instant::now();
    let p = calor::snapshot();
    println!("snapshot {:?}", t.elapsed());
    for (k, s) in p.scopes.iter() { println!("{:?} {} {} {:?} {:?} {:?} ~{:?}", p.path_names(k.stack), s.calls, s.total_nanos, s.timed.mean_nanos(), s.timed.quantile_nanos(0.5), s.timed.stddev_nanos(), s.total_variance.sqrt()); }
    println!("{:?} {:?}", p.runs, p.warnings);
}
