//! How the events of a recording are opened for the first time: with less than was asked for where the kernel allows no
//! more, and with none where the heap is watched too, which needs no leave of the kernel's. And how the heap is.

use std::io;
use std::os::fd::RawFd;

use super::account::Account;
use super::options::{Options, Target};
use crate::counters::CounterSet;
use crate::cpu::counter_source::offered;
use crate::cpu::events::{Events, Least, Wanted};
use crate::error::RecordError;
use crate::heap::{HeapWatch, heap_ability};
use crate::perf::{Inherit, Refusal};

/// The heap of a program that is to be started, if it is asked for.
pub(super) fn heap_watch(target: &Target, options: &Options) -> Result<Option<HeapWatch>, RecordError> {
    let Some(way) = options.heap else { return Ok(None) };
    heap_ability().map_err(|why| RecordError::Option(why.to_owned()))?;
    match target {
        Target::Command(_) => {
            HeapWatch::new(way, options.heap_paths).map(Some).map_err(RecordError::System)
        }
        _ => Err(RecordError::Option(
            "the heap of a process that already runs cannot be watched: its blocks were allocated unseen, and \
             putting a library into it would stop it and may break it; start it with `calor record --heap -- CMD`, \
             or leave --heap out to sample its CPU"
                .to_owned(),
        )),
    }
}

/// No events, and why, where others than the samples are asked for; else the refusal.
pub(super) fn without(
    refused: RecordError,
    options: &Options,
    account: &mut Account,
) -> Result<Events, RecordError> {
    match refused {
        RecordError::Refused(refusal) if options.heap.is_some() && refusal != Refusal::Gone => {
            account.cpu_hidden(refusal);
            Ok(Events::none())
        }
        refused => Err(refused),
    }
}

/// Opens the events as asked, or with what is left of it where the kernel allows less, and says so.
pub(super) fn open(
    options: &Options,
    target: &Target,
    tids: &[i32],
    pid: i32,
    program: Option<RawFd>,
    account: &mut Account,
) -> Result<Events, RecordError> {
    if !options.cpu {
        return Ok(Events::none());
    }
    let starts_on_exec = matches!(target, Target::Command(_));
    let inherit = if *target == Target::Own { Inherit::Threads } else { Inherit::Processes };
    let mut wanted = Wanted {
        rate: options.rate,
        off_cpu: options.off_cpu,
        sees_kernel: true,
        kernel_chain: options.kernel,
        inherit,
        stack_bytes: options.stack_bytes,
        program,
        wakes_each: false,
        counters: CounterSet::default(),
    };
    let (counters, absent) = offered(options.counters, true, options.rate);
    wanted.counters = counters;
    let refused = |error: &io::Error| RecordError::Refused(Refusal::of(error, pid));
    match Events::open(wanted, tids, starts_on_exec, Least::Any) {
        Ok(events) => {
            account.counters_missing(absent, counters);
            return Ok(events);
        }
        Err(error) if !matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM)) => {
            return Err(refused(&error));
        }
        Err(_) => {}
    }
    // Ordinary users may watch their own programs, but not the kernel at work for them.
    (wanted.sees_kernel, wanted.kernel_chain, wanted.off_cpu) = (false, false, false);
    let (counters, absent) = offered(options.counters, false, options.rate);
    wanted.counters = counters;
    let events = Events::open(wanted, tids, starts_on_exec, Least::Any).map_err(|error| refused(&error))?;
    account.kernel_hidden(options);
    account.counters_missing(absent, counters);
    Ok(events)
}
