//! What a forecast takes from one run: a few figures, so that a profile can be let go before the next is read.

use std::collections::BTreeMap;

use calor_model::{HeapMode, Profile, RSS, Recorder, SampleKind};

use crate::{CallTree, TreeOptions, amdahl, short_name};

/// A peak of fewer samples of the heap may be off by half, and one of none is not seen.
const LEAST_SAMPLES: u64 = 16;
/// A counted peak is known to half a kilobyte for each thread, which is a few hundredths of this.
const LEAST_COUNTED: u64 = 16 << 10;

/// One run at one size.
#[derive(Clone, PartialEq, Debug)]
pub struct SizedRun {
    /// The size.
    pub size: f64,
    /// How long it took.
    pub wall_nanos: u64,
    /// Its CPU time, where it was measured.
    pub cpu_nanos: Option<u64>,
    /// The most memory that it held: of the heap if that was watched, otherwise in the machine's memory.
    pub peak_bytes: Option<u64>,
    /// Whether the peak is counted exactly.
    pub is_peak_exact: bool,
    /// Whether the heap was sampled too seldom for its peak, which is then left out.
    pub is_peak_unsure: bool,
    /// The command, without its numbers.
    pub(super) command: Option<String>,
    /// Time in each scope or function and what it calls, over all threads.
    pub(super) scopes: BTreeMap<String, u64>,
    /// Whether those are functions of samples: the program has no scopes.
    pub(super) is_of_functions: bool,
}

impl SizedRun {
    /// The figures of a profile.
    #[must_use]
    pub fn new(size: f64, profile: &Profile) -> Self {
        let heap = profile.heap.summary;
        let rss = profile.heap_points(RSS).iter().map(|point| point.value).fold(0.0, f64::max);
        let in_memory = (rss > 0.0).then_some(rss as u64);
        // Calor's own recorders count the peak from all blocks, also where they sample who holds them.
        let is_counted = profile.runs.iter().any(|run| run.recorders.contains(&Recorder::Heap));
        let is_peak_unsure = heap.is_some_and(|heap| {
            let least =
                |step: u64| if is_counted { LEAST_COUNTED } else { LEAST_SAMPLES.saturating_mul(step) };
            heap.sampling_bytes.is_some_and(|step| heap.peak_bytes < least(step))
        });
        let heap = heap.filter(|_| !is_peak_unsure);
        let (scopes, is_of_functions) = scopes(profile);
        Self {
            size,
            wall_nanos: profile.duration_nanos(),
            cpu_nanos: profile
                .runs
                .iter()
                .map(|run| run.cpu_nanos)
                .sum::<Option<u64>>()
                .filter(|nanos| *nanos > 0),
            peak_bytes: heap.map(|heap| heap.peak_bytes).filter(|bytes| *bytes > 0).or(in_memory),
            is_peak_exact: heap.is_some_and(|heap| heap.mode == HeapMode::Exact),
            is_peak_unsure,
            command: profile.runs.first().and_then(|run| run.command.as_deref()).map(without_numbers),
            scopes,
            is_of_functions,
        }
    }
}

/// Times of scopes, or of functions where there are none.
fn scopes(profile: &Profile) -> (BTreeMap<String, u64>, bool) {
    let options = TreeOptions::default();
    let scopes = CallTree::of_scopes(profile, &options);
    let is_of_functions = scopes.recorded_nanos() == 0;
    let tree = match is_of_functions {
        true => CallTree::of_samples(profile, SampleKind::Cpu, &options),
        false => scopes,
    };
    let mut totals = BTreeMap::new();
    for scope in amdahl(&tree) {
        let frame = profile.frames.get(scope.frame);
        let name = short_name(frame.kind, profile.strings.get(frame.name)).into_owned();
        if !(is_of_functions && is_start(&name)) {
            *totals.entry(name).or_insert(0) += scope.total_nanos;
        }
    }
    (totals, is_of_functions)
}

/// Whether a function only starts the program, or a thread: it has all of the time, and says nothing.
fn is_start(name: &str) -> bool {
    const STARTS: [&str; 5] = ["_start", "start_thread", "clone", "clone3", "thread_start"];
    STARTS.contains(&name) || name.starts_with("__libc_start_")
}

/// A command whose sizes are left out, so that runs of one program at several sizes have the same.
fn without_numbers(command: &str) -> String {
    let mut text = String::new();
    for letter in command.chars() {
        match letter {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use calor_model::{HeapSummary, Run};

    use super::*;

    #[test]
    fn a_peak_of_few_samples_is_not_known() {
        let run = |peak_bytes: u64, sampling_bytes: Option<u64>, recorder: Option<Recorder>| {
            let run = Run { recorders: recorder.into_iter().collect(), ..Run::default() };
            let mut profile = Profile { runs: vec![run], ..Profile::default() };
            let mode = if sampling_bytes.is_none() { HeapMode::Exact } else { HeapMode::Sampled };
            profile.heap.summary =
                Some(HeapSummary { sampling_bytes, ..HeapSummary::new(mode, peak_bytes, None) });
            let run = SizedRun::new(1.0, &profile);
            (run.peak_bytes, run.is_peak_unsure)
        };
        assert_eq!(run(40_000, Some(512 << 10), None), (None, true));
        assert_eq!(run(8 << 20, Some(512 << 10), None), (Some(8 << 20), false));
        assert_eq!(run(40_000, None, None), (Some(40_000), false));
        assert_eq!(run(40_000, Some(512 << 10), Some(Recorder::Heap)), (Some(40_000), false));
        assert_eq!(run(1_000, Some(512 << 10), Some(Recorder::Heap)), (None, true));
    }

    #[test]
    fn functions_that_only_start_the_program_are_left_out() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let path = ["_start", "__libc_start_main_impl", "main", "grow"];
        let stack = profile.intern_named_path(&path, calor_model::FrameKind::Native).expect("it has frames");
        let key = calor_model::SampleKey {
            stack,
            thread,
            kind: SampleKind::Cpu,
            labels: calor_model::LabelTable::none(),
            at_nanos: None,
        };
        profile.samples.add(key, calor_model::SampleWeight { count: 10, nanos: 1_000 });
        let run = SizedRun::new(1.0, &profile);
        assert!(run.is_of_functions);
        assert_eq!(run.scopes.keys().collect::<Vec<_>>(), ["grow", "main"]);
    }

    #[test]
    fn commands_are_the_same_at_any_size() {
        assert_eq!(without_numbers("./grow quad 20000"), without_numbers("./grow quad 5"));
        assert_ne!(without_numbers("./grow quad 20000"), without_numbers("./grow sort 20000"));
    }
}
