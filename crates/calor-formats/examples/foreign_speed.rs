//! How fast the text formats are read and written: 100 MB of each, made up to look like what tools write, five times.
//! Prints the best CPU time, which other programs on the machine do not change; wall time where that is not known.
//!
//! Run with `cargo run --release -p calor-formats --features all --example foreign_speed`.

use std::fmt::Write;
use std::time::Instant;

use calor_formats::{Format, WriteOptions, read, write};

const BYTES: usize = 100_000_000;
const N_FUNCTIONS: u64 = 5_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, text) in [
        ("folded", folded()),
        ("perf-script", perf_script()),
        ("speedscope, samples", sampled()),
        ("speedscope, events", evented()),
    ] {
        let mut profile = read(text.as_bytes())?;
        let seconds = best_of(5, || {
            profile = read(text.as_bytes())?;
            Ok(())
        })?;
        println!("read {name}: {seconds:.2} s, {:.0} MB/s", text.len() as f64 / 1e6 / seconds);
        for format in [Format::Folded, Format::Speedscope, Format::Csv] {
            let mut out = Vec::new();
            let seconds = best_of(3, || {
                out.clear();
                Ok(write(&profile, format, &WriteOptions::default(), &mut out)?)
            })?;
            println!("  write {format}: {seconds:.2} s, {:.1} MB", out.len() as f64 / 1e6);
        }
    }
    Ok(())
}

fn best_of(
    n: usize,
    mut run: impl FnMut() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..n {
        let (start, start_cpu) = (Instant::now(), cpu_seconds());
        run()?;
        let cpu = cpu_seconds().zip(start_cpu).map(|(end, start)| end - start);
        best = best.min(cpu.unwrap_or(start.elapsed().as_secs_f64()));
    }
    Ok(best)
}

/// What this thread has used, as Linux tells it.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}

/// Numbers that look random and are the same each time (the generator SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }

    /// 20,000 call paths of 5 to 40 functions: samples of a real program find the same ones again and again.
    fn paths(&mut self) -> Vec<Vec<u64>> {
        let mut path = || {
            let (root, depth) = (self.below(8), 5 + self.below(36));
            (0..depth)
                .map(|level| (root * 37 + level * 101 + self.below(1 + level / 12)) % N_FUNCTIONS)
                .collect()
        };
        (0..20_000).map(|_| path()).collect()
    }
}

fn folded() -> String {
    let mut numbers = Numbers(1);
    let paths = numbers.paths();
    let mut text = String::with_capacity(BYTES + 4096);
    while text.len() < BYTES {
        for function in &paths[numbers.below(20_000) as usize] {
            let _ = write!(text, "module{}::function_{function};", function % 40);
        }
        let _ = writeln!(text, "leaf_{} {}", numbers.below(500), numbers.below(1000));
    }
    text
}

fn perf_script() -> String {
    let mut numbers = Numbers(2);
    let paths = numbers.paths();
    let mut text = String::with_capacity(BYTES + 4096);
    let mut at_micros = 0;
    while text.len() < BYTES {
        at_micros += numbers.below(2000);
        let (seconds, micros) = (at_micros / 1_000_000, at_micros % 1_000_000);
        let thread = numbers.below(16);
        let _ = writeln!(
            text,
            "worker {thread} 1000/{} [00{}] {seconds}.{micros:06}: 1000000 cpu-clock:ppp: ",
            1001 + thread,
            thread % 8
        );
        for function in paths[numbers.below(20_000) as usize].iter().rev() {
            let offset = numbers.below(512);
            let _ = writeln!(
                text,
                "\t{:>16x} module{}::function_{function}+{offset:#x} (/usr/lib/libmodel{}.so)",
                0x1000 + function * 512 + offset,
                function % 40,
                function % 7
            );
        }
        text.push('\n');
    }
    text
}

fn document(profile: &str) -> String {
    let mut text =
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":["
            .to_owned();
    for function in 0..N_FUNCTIONS {
        let comma = if function == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"name\":\"function_{function}\",\"file\":\"model.rs\",\"line\":{function}}}"
        );
    }
    text.push_str(
        "]},\"profiles\":[{\"name\":\"main\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":1,",
    );
    text.push_str(profile);
    text.push_str("}]}");
    text
}

fn sampled() -> String {
    let mut numbers = Numbers(3);
    let paths = numbers.paths();
    let mut profile = "\"type\":\"sampled\",\"samples\":[[0]".to_owned();
    let mut n_samples = 1;
    while profile.len() < BYTES {
        let path: Vec<String> = paths[numbers.below(20_000) as usize].iter().map(u64::to_string).collect();
        let _ = write!(profile, ",[{}]", path.join(","));
        n_samples += 1;
    }
    let _ = write!(profile, "],\"weights\":[{}]", vec!["1000"; n_samples].join(","));
    document(&profile)
}

fn evented() -> String {
    let mut numbers = Numbers(4);
    let mut profile = "\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"at\":0,\"frame\":0}".to_owned();
    let mut open = vec![0];
    let mut at = 0;
    while profile.len() < BYTES || !open.is_empty() {
        at += numbers.below(100);
        let opens = profile.len() < BYTES && open.len() < 12 && (open.len() < 3 || numbers.below(2) == 0);
        let frame = if opens {
            (open.len() as u64 * 101 + numbers.below(2)) % N_FUNCTIONS
        } else {
            open.pop().unwrap_or(0)
        };
        if opens {
            open.push(frame);
        }
        let kind = if opens { 'O' } else { 'C' };
        let _ = write!(profile, ",{{\"type\":\"{kind}\",\"at\":{at},\"frame\":{frame}}}");
    }
    profile.push(']');
    document(&profile)
}
