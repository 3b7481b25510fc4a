//! Counters as sources of samples: which of them can be had here, and what makes each fire.

use calor_model::Warning;

use crate::counters::{Absence, Counter, CounterSet};
use crate::perf::{Event, EventOptions, Source};
use crate::process;

/// Which of some counters can be sampled here, found by trying them on the calling thread, and why the others cannot.
pub(crate) fn offered(wanted: CounterSet, sees_kernel: bool, rate: u32) -> (CounterSet, Vec<Warning>) {
    let mut offered = wanted;
    let mut absent: Vec<(Absence, Vec<String>)> = Vec::new();
    for (number, counter) in wanted.iter() {
        let Err(absence) = attempt(&counter, sees_kernel, rate) else { continue };
        offered = offered.without(number);
        match absent.iter_mut().find(|(known, _)| *known == absence) {
            Some((_, names)) => names.push(counter.name().to_owned()),
            None => absent.push((absence, vec![counter.name().to_owned()])),
        }
    }
    let warnings = absent.into_iter().map(|(absence, names)| {
        let message = format!("not available {}: {}", absence.what(), names.join(", "));
        Warning::new(absence.code(), message)
    });
    (offered, warnings.collect())
}

fn attempt(counter: &Counter, sees_kernel: bool, rate: u32) -> Result<(), Absence> {
    if !sees_kernel && counter.is_of_scheduler() {
        return Err(Absence::KernelHidden);
    }
    let source = source(counter, rate).ok_or(Absence::NotOffered)?;
    let options = EventOptions { sees_kernel, ..EventOptions::attempt(source) };
    match Event::open(&options, process::own_tid(), -1) {
        Ok(_) => Ok(()),
        Err(error) => Err(Absence::of(&error, process::own_pid(), counter.source())),
    }
}

/// What makes a counter's event fire.
pub(super) fn source(counter: &Counter, rate: u32) -> Option<Source> {
    let (kind, config) = counter.event_number()?;
    Some(Source::Counter { kind, config, hz: CounterSet::hz(counter.source(), rate) })
}
