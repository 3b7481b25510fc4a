//! Runs that valgrind counts.

use anyhow::Result;
use calor_analysis::Spread;
use calor_model::Warning;
use calor_record::counters::simulation::{Events, Simulated, Valgrind};
use calor_record::counters::{Counted, Counting, Unit};

use super::Arguments;
use super::cost::{Cost, plain};
use super::counted::explained;
use super::outcome::{Function, Outcome, Row, Simulation, Source};
use super::repeat::{Ran, repeat};
use crate::news;

/// A run and what it left.
struct Run {
    counted: Counted,
    found: Simulated,
}

impl Ran for Run {
    fn status(&self) -> std::process::ExitStatus {
        self.counted.status
    }

    fn was_interrupted(&self) -> bool {
        self.counted.was_interrupted
    }
}

pub(super) fn outcome(arguments: &Arguments) -> Result<Outcome> {
    let valgrind = Valgrind::find()?;
    let mut counting = Counting::new(Vec::new()).map_err(explained)?;
    let plain = plain(arguments, &mut counting)?;
    news::say(format_args!(
        "simulating by {}: expect a second to start, and up to 100 times the {} of a plain run",
        valgrind.version,
        calor_analysis::quantity::duration(plain.elapsed.as_nanos() as f64)
    ));
    let runs = repeat(arguments.warmup, arguments.runs, || {
        let simulation = valgrind.prepare(&arguments.command)?;
        let counted = counting.run(&simulation.command, arguments.streams()).map_err(explained)?;
        let found = simulation.read(counted.status)?;
        Ok(Run { counted, found })
    })?;
    let mut warnings = runs.warnings;
    warnings.extend(limits(&runs.counted));
    warnings.extend(plain.warning);
    let ends_alike = runs.counted.first().is_some_and(|run| run.counted.status == plain.status);
    let mean =
        Spread::of(&runs.counted.iter().map(|run| run.counted.elapsed.as_secs_f64()).collect::<Vec<_>>());
    let cost = mean
        .filter(|_| ends_alike)
        .map(|mean| Cost { plain: plain.elapsed, simulated: std::time::Duration::from_secs_f64(mean.mean) });
    if cost.is_none() {
        let message =
            "the run without simulation ended otherwise than the one with it, so that the cost is not known";
        warnings.push(Warning::new("cost_unknown", message));
    }
    if runs.counted.len() == 1 {
        let message = "one run has no spread: ask for several with -r, such as -r 3";
        warnings.push(Warning::new("one_run", message));
    }
    let last = runs.counted.last();
    Ok(Outcome {
        command: arguments.shown_command(),
        runs: runs.counted.len(),
        warmup: arguments.warmup,
        rows: rows(&runs.counted),
        simulation: Some(Simulation {
            tool: format!("{} cachegrind", valgrind.version),
            caches: last.map(|run| run.found.caches.clone()).unwrap_or_default(),
            cost,
            functions: last.map(|run| functions(&run.found, arguments.top)).unwrap_or_default(),
        }),
        absences: Vec::new(),
        warnings,
        exit_code: runs.exit_code,
    })
}

/// The counts by the names that a processor's counters have; what cachegrind calls LL is what those call the cache.
fn named(events: &Events) -> [(&'static str, u64); 10] {
    [
        ("instructions", events.instructions),
        ("branches", events.branches),
        ("branch-misses", events.branch_misses),
        ("L1-icache-load-misses", events.l1_instruction_misses),
        ("L1-dcache-loads", events.data_reads),
        ("L1-dcache-load-misses", events.l1_read_misses),
        ("L1-dcache-stores", events.data_writes),
        ("L1-dcache-store-misses", events.l1_write_misses),
        ("cache-references", events.l1_instruction_misses + events.l1_read_misses + events.l1_write_misses),
        ("cache-misses", events.last_level_read_misses + events.last_level_write_misses),
    ]
}

/// Whether a simulation counts this.
pub(super) fn has(counter: &str) -> bool {
    named(&Events::default()).iter().any(|(name, _)| *name == counter)
}

fn rows(runs: &[Run]) -> Vec<Row> {
    let all: Vec<[(&str, u64); 10]> = runs.iter().map(|run| named(&run.found.totals)).collect();
    let row = |(at, (name, _)): (usize, (&str, u64))| Row {
        name: name.to_owned(),
        source: Source::Simulated,
        unit: Unit::Count,
        spread: Spread::of(&all.iter().map(|run| run[at].1 as f64).collect::<Vec<_>>()),
        counted_share: 1.0,
    };
    named(&Events::default()).into_iter().enumerate().map(row).collect()
}

fn functions(found: &Simulated, top: usize) -> Vec<Function> {
    let all = found.totals.instructions.max(1) as f64;
    let functions = found.functions.iter().take(top);
    functions
        .map(|function| Function {
            name: function.name.clone(),
            file: function.file.clone(),
            share: function.counts.instructions as f64 / all,
            counters: named(&function.counts).to_vec(),
        })
        .collect()
}

/// What a reader has to know before relying on it.
fn limits(runs: &[Run]) -> Vec<Warning> {
    let mut warnings = vec![Warning::new(
        "simulated",
        "simulated, not measured: instructions are counted one by one, each round of a \
         repeating one (`rep movsb`) as another; misses are those of a model without prefetching; \
         threads ran one at a time; AVX-512 was hidden from the program, which may have chosen other code than \
         without valgrind; what the kernel did is not in it",
    )];
    let n_copies: usize = runs.iter().map(|run| run.found.n_copies).sum();
    if n_copies > 0 {
        let message = "processes that went on as a copy of another one (fork without exec): what that had counted by \
                       then is counted again with each";
        warnings.push(Warning::counted("copies_counted_again", message, n_copies as u64));
    }
    warnings
}
