//! Runs that are counted by the processor and the kernel.

use anyhow::{Error, Result};
use calor_analysis::Spread;
use calor_model::Warning;
use calor_record::RecordError;
use calor_record::counters::{Absence, Amount, Counted, Counter, CounterSource, Counting};

use super::Arguments;
use super::absent::Absent;
use super::outcome::{Outcome, Row, Source};
use super::repeat::{Ran, repeat};
use crate::launch;

/// Counted for less than this of the time, a value is an estimate and says so.
const WHOLE: f64 = 0.995;

impl Ran for Counted {
    fn status(&self) -> std::process::ExitStatus {
        self.status
    }

    fn was_interrupted(&self) -> bool {
        self.was_interrupted
    }
}

pub(super) fn outcome(arguments: &Arguments) -> Result<Outcome> {
    let mut counting = Counting::new(counters(&arguments.events)).map_err(explained)?;
    let streams = arguments.streams();
    let runs = repeat(arguments.warmup, arguments.runs, || {
        counting.run(&arguments.command, streams).map_err(explained)
    })?;
    let mut absent = Absent::default();
    let mut warnings = runs.warnings;
    let rows: Vec<Row> = counting
        .counters()
        .iter()
        .enumerate()
        .map(|(at, counter)| {
            let amounts = runs.counted.iter().map(|run| run.amounts[at]);
            row(counter, amounts, &mut absent, &mut warnings)
        })
        .collect();
    warnings.extend(absent.warnings());
    let has_hardware = rows.iter().any(|row| row.source == Source::Hardware && row.spread.is_some());
    if has_hardware && runs.counted.iter().any(|run| run.is_user_only) {
        warnings.push(Warning::new(
            "user_only",
            "events of the processor are those of the program's own code: the kernel's part is hidden from this user; \
             run `sudo sysctl kernel.perf_event_paranoid=1` to count it",
        ));
    }
    warnings.extend(shared(&rows));
    if runs.counted.len() == 1 {
        let message = "one run has no spread: ask for several with -r, such as -r 10";
        warnings.push(Warning::new("one_run", message));
    }
    Ok(Outcome {
        command: arguments.shown_command(),
        runs: runs.counted.len(),
        warmup: arguments.warmup,
        rows,
        simulation: None,
        absences: absent.lines(),
        warnings,
        exit_code: runs.exit_code,
    })
}

/// What is asked for, with the time it takes, which everything else is seen against.
fn counters(asked: &[Counter]) -> Vec<Counter> {
    if asked.is_empty() {
        return Counter::usual();
    }
    let mut counters: Vec<Counter> = Counter::named("elapsed").into_iter().collect();
    for counter in asked {
        if !counters.contains(counter) {
            counters.push(counter.clone());
        }
    }
    counters
}

fn row(
    counter: &Counter,
    amounts: impl Iterator<Item = Result<Amount, Absence>>,
    absent: &mut Absent,
    warnings: &mut Vec<Warning>,
) -> Row {
    let (mut values, mut shares, mut lacks) = (Vec::new(), Vec::new(), Vec::new());
    for amount in amounts {
        match amount {
            Ok(amount) => {
                values.push(amount.value as f64);
                shares.push(amount.counted_share);
            }
            Err(absence) => lacks.push(absence),
        }
    }
    match lacks.first() {
        Some(absence) if values.is_empty() => absent.add(*absence, counter.name()),
        Some(absence) => {
            let message =
                format!("{} is of the other runs alone, in these {}", counter.name(), absence.what());
            warnings.push(Warning::counted(absence.code(), message, lacks.len() as u64));
        }
        None => {}
    }
    Row {
        name: counter.name().to_owned(),
        source: match counter.source() {
            CounterSource::Hardware => Source::Hardware,
            _ => Source::Software,
        },
        unit: counter.unit(),
        spread: Spread::of(&values),
        counted_share: Spread::of(&shares).map_or(1.0, |spread| spread.mean),
    }
}

/// Says which values are estimates.
fn shared(rows: &[Row]) -> Option<Warning> {
    let names: Vec<&str> =
        rows.iter().filter(|row| row.counted_share < WHOLE).map(|row| row.name.as_str()).collect();
    let message = "the processor has too few counters for all at once, so these were counted in turns and scaled to \
                   the whole time; count fewer with -e to have them exact";
    (!names.is_empty()).then(|| Warning::new("multiplexed", format!("{message}: {}", names.join(", "))))
}

pub(super) fn explained(error: RecordError) -> Error {
    launch::failed(error, "calor stat")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(value: u64, counted_share: f64) -> Amount {
        Amount { value, counted_share }
    }

    #[test]
    fn what_was_counted_in_turns_is_an_estimate_and_says_so() {
        let (mut absent, mut warnings) = (Absent::default(), Vec::new());
        let counter = Counter::named("cache-misses").unwrap();
        let amounts = [Ok(amount(10, 1.0)), Ok(amount(30, 0.5))];
        let row = row(&counter, amounts.into_iter(), &mut absent, &mut warnings);
        assert_eq!((row.counted_share, row.spread.clone().unwrap().mean), (0.75, 20.0));
        assert!(warnings.is_empty() && absent.lines().is_empty());
        let warning = shared(&[row]).unwrap();
        assert!(warning.code == "multiplexed" && warning.message.ends_with(": cache-misses"), "{warning:?}");
    }

    #[test]
    fn a_counter_that_some_runs_lack_is_of_the_others() {
        let (mut absent, mut warnings) = (Absent::default(), Vec::new());
        let counter = Counter::named("cycles").unwrap();
        let amounts = [Err(Absence::NeverCounted), Ok(amount(8, 1.0))];
        let found = row(&counter, amounts.into_iter(), &mut absent, &mut warnings);
        assert_eq!(found.spread.unwrap().n, 1);
        assert_eq!((warnings[0].code.as_str(), warnings[0].count), ("never_counted", Some(1)));
        let nowhere = row(&counter, [Err(Absence::NotOffered)].into_iter(), &mut absent, &mut warnings);
        assert!(nowhere.spread.is_none() && absent.lines()[0].contains("cycles"));
    }

    #[test]
    fn the_time_is_always_among_the_counters() {
        let asked = ["cycles", "cycles", "elapsed"].map(|name| Counter::named(name).unwrap());
        let names: Vec<String> = counters(&asked).iter().map(|counter| counter.name().to_owned()).collect();
        assert_eq!(names, ["elapsed", "cycles"]);
    }
}
