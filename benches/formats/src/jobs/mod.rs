//! The work of the cases, each measured in the process that does it.

pub(crate) mod browser;
pub(crate) mod collapse;
pub(crate) mod convert;
pub(crate) mod flame;
pub(crate) mod memory;
pub(crate) mod page;
pub(crate) mod report;

use calor_model::Profile;
use harness::Figures;
use harness::clock::process_cpu_nanos;
use harness::memory::{peak_bytes, resident_bytes};

/// Does the work once, as a command does it: with cold caches of its own and an empty heap. What it returns is still
/// there when the memory is looked at.
fn timed<T>(input: &[u8], work: impl FnOnce(&[u8]) -> Result<T, String>) -> Result<(Figures, T), String> {
    let resident = resident_bytes()?;
    let start = process_cpu_nanos();
    let result = work(input)?;
    let nanos = process_cpu_nanos() - start;
    let figures = Figures::default()
        .with("cpu_s", nanos as f64 / 1e9)
        .with("input_mb", input.len() as f64 / 1e6)
        .with("peak_mb", megabytes(peak_bytes()?) - megabytes(resident));
    Ok((figures, result))
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn output(figures: Figures, bytes: &[u8]) -> Figures {
    figures.with("output_mb", bytes.len() as f64 / 1e6)
}

/// Losing something must not look like speed.
fn complete(what: &str, expected: u64, found: u64) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("expected {expected} {what} in the result, found {found}")),
    }
}

fn n_samples(profile: &Profile) -> u64 {
    profile.samples.iter().map(|(_, weight)| weight.count).sum()
}

/// The sum of the weights of folded stacks.
fn folded_weight(text: &[u8]) -> Result<u64, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("folded stacks are not text: {error}"))?;
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let weight = line.rsplit_once(' ').and_then(|(_, weight)| weight.parse::<u64>().ok());
            weight.ok_or_else(|| format!("expected a weight at the end of '{line}'"))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_folded_stacks_is_their_sum_and_nonsense_is_named() {
        assert_eq!(folded_weight(b"# from perf\nmain;run 3\nmain;run it 4\n"), Ok(7));
        assert!(folded_weight(b"main;run\n").unwrap_err().contains("'main;run'"));
    }
}
