//! What samples are worth in time, once all events of a recording are known. Perf's own files are read by the crate
//! that knows processes; they end here too, so that a recording tells the same times whichever way it comes.

use std::collections::HashMap;

use calor_model::{
    LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight, StackId, ThreadId, Warning,
};

use super::event::{self, EventKind};
use crate::imported;

/// One sample as perf tells it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Which of the events.
    pub event: usize,
    /// The call path, in the profile that the sample is for.
    pub stack: StackId,
    /// The thread, in the same profile.
    pub thread: ThreadId,
    /// When, by perf's clock.
    pub at_nanos: u64,
    /// How much the event counted since its last sample: nanoseconds for a clock.
    pub period: Option<u64>,
    /// The thread that a switch switches to.
    pub next_tid: Option<u64>,
}

/// Gives a profile its samples, with the time that each stands for, and its run. `events` are the names of the events
/// that have samples; `run` is what is known already; `content` is what was read, by which runs are told apart.
pub fn finish(samples: &[Sample], events: &[&str], mut run: Run, content: &[u8], profile: &mut Profile) {
    let times = || samples.iter().map(|sample| sample.at_nanos);
    run.duration_nanos = times().max().unwrap_or(0) - times().min().unwrap_or(0);
    weigh(samples, events, profile);
    imported::finish(profile, content, run);
}

/// Adds samples to a profile with the time that each stands for.
fn weigh(samples: &[Sample], events: &[&str], profile: &mut Profile) {
    let start = samples.iter().map(|sample| sample.at_nanos).min().unwrap_or(0);
    let kinds: Vec<EventKind> = events.iter().map(|event| event::kind(event)).collect();
    let running = (0..kinds.len()).filter(|&event| kinds[event] != EventKind::Switch);
    let chosen = running.min_by_key(|&event| kinds[event]);
    if let Some(chosen) = chosen {
        let of_event: Vec<&Sample> = samples.iter().filter(|sample| sample.event == chosen).collect();
        add_cpu(&of_event, events[chosen], start, profile);
    }
    if kinds.contains(&EventKind::Switch) {
        add_off_cpu(samples, &kinds, start, profile);
    }
    let is_left_out = |event: usize| Some(event) != chosen && kinds[event] != EventKind::Switch;
    let n_left_out = samples.iter().filter(|sample| is_left_out(sample.event)).count();
    if n_left_out > 0 {
        let left_out = (0..kinds.len()).filter(|&event| is_left_out(event));
        let names: Vec<&str> = left_out.map(|event| events[event]).take(8).collect();
        let message = format!(
            "samples of {} were left out: CPU time is taken from {}; record them alone to see them",
            names.join(", "),
            chosen.map_or("nothing", |chosen| events[chosen]),
        );
        profile.warn(Warning::counted("event_left_out", message, n_left_out as u64));
    }
}

fn add_cpu(samples: &[&Sample], event: &str, start: u64, profile: &mut Profile) {
    let is_clock =
        event::kind(event) == EventKind::Clock && samples.iter().all(|sample| sample.period.is_some());
    let mut usual = 0;
    if !is_clock {
        let message = format!(
            "{event} counts no time: each sample stands for as long as it usually took until the next, so times are \
             estimates"
        );
        profile.warn(Warning::new("time_estimated", message));
        let times = samples.iter().map(|sample| (sample.thread.index(), sample.at_nanos));
        usual = event::usual_distance_nanos(times);
    }
    for sample in samples {
        let nanos = sample.period.filter(|_| is_clock).unwrap_or(usual);
        add(profile, SampleKind::Cpu, sample, start, nanos);
    }
}

/// A thread that was switched from is off the CPU until it is switched to or seen running.
fn add_off_cpu(samples: &[Sample], kinds: &[EventKind], start: u64, profile: &mut Profile) {
    let mut order: Vec<&Sample> = samples.iter().collect();
    order.sort_by_key(|sample| sample.at_nanos);
    let mut waiting: HashMap<u64, &Sample> = HashMap::new();
    for sample in order {
        let tid = profile.threads.get(sample.thread).tid;
        for back in [Some(tid), sample.next_tid].into_iter().flatten() {
            if let Some(left) = waiting.remove(&back) {
                let nanos = sample.at_nanos - left.at_nanos;
                add(profile, SampleKind::OffCpu, left, start, nanos);
            }
        }
        // Thread 0 is what runs when nothing does; being switched from is no wait of the program.
        if kinds[sample.event] == EventKind::Switch && tid != 0 {
            waiting.insert(tid, sample);
        }
    }
    if !waiting.is_empty() {
        let message = "a thread was still waiting at the end; how long is not known and was left out";
        profile.warn(Warning::counted("waiting_at_end", message, waiting.len() as u64));
    }
}

fn add(profile: &mut Profile, kind: SampleKind, sample: &Sample, start: u64, nanos: u64) {
    let labels = LabelTable::none();
    let at_nanos = Some(sample.at_nanos - start);
    let key = SampleKey { kind, stack: sample.stack, thread: sample.thread, labels, at_nanos };
    profile.samples.add(key, SampleWeight { count: 1, nanos });
}

/// The thread that a switch switches to, from fields such as `next_comm=x next_pid=12` or `x:12 [120] S ==> y:13`.
pub(super) fn next_tid(fields: &str) -> Option<u64> {
    if let Some((_, rest)) = fields.split_once("next_pid=") {
        return rest.split_whitespace().next()?.parse().ok();
    }
    let (_, next) = fields.split_once("==> ")?;
    let (name_and_tid, _) = next.rsplit_once(" [").unwrap_or((next, ""));
    name_and_tid.rsplit_once(':')?.1.trim().parse().ok()
}
