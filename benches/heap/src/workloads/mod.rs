//! What the programs do, and the line in which they tell what it cost them.

mod churn;
mod live;
mod numbers;
mod numeric;

use harness::clock::{monotonic_nanos, process_cpu_nanos};
use harness::watched::TRUTH;
use harness::{Figures, memory};

/// What is done around the work of each thread; it has to do the work.
pub type Around = fn(&mut dyn FnMut());

/// Nothing is.
pub const ALONE: Around = |work| work();

/// A part of the program that is measured, until it is done.
struct Part {
    begin_nanos: u64,
    begin_cpu_nanos: u64,
    begin_bytes: u64,
}

impl Part {
    fn begin() -> Result<Self, String> {
        Ok(Self {
            begin_bytes: memory::resident_bytes()?,
            begin_nanos: monotonic_nanos(),
            begin_cpu_nanos: process_cpu_nanos(),
        })
    }

    /// `check` is something that comes out of the work alone, the same whoever watches.
    fn end(self, check: u64) -> Result<Figures, String> {
        let (cpu, end) = (process_cpu_nanos(), monotonic_nanos());
        Ok(Figures::default()
            .with("part_cpu_s", (cpu - self.begin_cpu_nanos) as f64 / 1e9)
            .with("part_wall_s", (end - self.begin_nanos) as f64 / 1e9)
            .with("grown_bytes", memory::resident_bytes()? as f64 - self.begin_bytes as f64)
            .with("peak_bytes", memory::peak_bytes()? as f64)
            // As many bits as a figure can hold.
            .with("check", (check >> 12) as f64))
    }
}

/// What comes out of some work, done with something around it.
fn done(around: Around, mut work: impl FnMut() -> u64) -> u64 {
    let mut check = 0;
    around(&mut || check = work());
    check
}

/// Does what the arguments say, the name of a workload and a number of turns, and prints the line.
pub fn run(mut arguments: impl Iterator<Item = String>, around: Around) -> Result<(), String> {
    let (name, n_turns) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let n_turns = n_turns.parse().map_err(|_| format!("expected a number of turns, found '{n_turns}'"))?;
    let truth = match name.as_str() {
        "churn" => churn::run(n_turns, 2, around),
        "churn1" => churn::run(n_turns, 1, around),
        "numeric" => numeric::run(n_turns, around),
        "live" => live::run(n_turns, around),
        _ => Err(format!("expected churn, churn1, numeric or live, found '{name}'")),
    }?;
    println!("{TRUTH}{}", truth.with("end_ns", monotonic_nanos() as f64));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_does_the_same_every_time_and_another_number_of_turns_something_else() {
        for (name, of) in [
            ("churn", (|n| churn::run(n, 2, ALONE)) as fn(usize) -> Result<Figures, String>),
            ("churn1", |n| churn::run(n, 1, ALONE)),
            ("numeric", |n| numeric::run(n, ALONE)),
            ("live", |n| live::run(n, ALONE)),
        ] {
            let check = |n| of(n).unwrap().get("check");
            assert_eq!(check(5), check(5), "{name}");
            assert_ne!(check(5), check(7), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_arguments_is_named() {
        let error = |line: &str| run(line.split_whitespace().map(str::to_owned), ALONE).unwrap_err();
        assert!(error("churn many").contains("'many'"));
        assert!(error("chrun 3").contains("'chrun'"));
    }
}
