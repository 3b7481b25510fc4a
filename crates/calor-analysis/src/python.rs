//! Python in a few figures: how much of it was sampled, and who held or waited for its global interpreter lock. Recorders
//! say so by a label of each sample.

use calor_model::{FrameKind, NOT_VERIFIED, Profile, SampleKind};

use crate::{Insight, ThreadSummary};

/// The label that recorders set.
const LABEL: &str = "gil";
/// Waiting that takes this share of the time in which threads could have run costs more than a core in ten.
const CONTENDED_SHARE: f64 = 0.10;
/// Less is over before anybody notices.
const LEAST_WAIT_NANOS: u64 = 10_000_000;

/// What a thread had to do with the global interpreter lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GilState {
    Held,
    Waiting,
    /// Neither: it ran code that needs no lock.
    Free,
}

/// Python of the chosen threads.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PythonSummary {
    /// Samples of threads while they ran Python, or what Python called.
    pub samples: u64,
    /// Those of them for which it is known how the thread stood to the global interpreter lock.
    pub lock_samples: u64,
    /// The share of `lock_samples` in which the thread held that lock; `None` when there are none.
    pub held_share: Option<f64>,
    /// How long threads waited for that lock, all together; `None` unless waiting was recorded.
    pub gil_wait_nanos: Option<u64>,
    /// Samples whose Python functions do not agree with the compiled ones beside them.
    pub unverified: u64,
    /// Waits of which the same is true; recorders count both in one warning.
    pub unverified_waits: u64,
}

impl PythonSummary {
    /// `warned` is how many samples the recorder says it could not verify.
    pub(crate) fn new(
        profile: &Profile,
        threads: &[ThreadSummary],
        chosen: &[bool],
        warned: u64,
    ) -> Option<Self> {
        let sum = |figure: fn(&ThreadSummary) -> Option<u64>| {
            threads.iter().filter_map(figure).reduce(u64::saturating_add)
        };
        let labelled = sum(|thread| thread.gil_samples).filter(|samples| *samples > 0);
        let held_share =
            labelled.map(|samples| sum(|thread| thread.gil_held).unwrap_or(0) as f64 / samples as f64);
        let gil_wait_nanos = sum(|thread| thread.gil_wait_nanos);
        let Counts { samples, unverified, unverified_waits } = counts(profile, chosen);
        // Other views, and other files, may not have the frames that tell.
        let has_frames = unverified > 0 || unverified_waits > 0;
        (samples > 0 || gil_wait_nanos.is_some()).then_some(Self {
            samples,
            lock_samples: labelled.unwrap_or(0),
            held_share,
            gil_wait_nanos,
            unverified: if has_frames { unverified } else { warned },
            unverified_waits,
        })
    }
}

/// How many samples and waits are of Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    /// CPU and wall samples with Python on their path, or of a thread that is known to run it.
    samples: u64,
    /// Those of them with Python functions that the recorder could not verify.
    unverified: u64,
    /// Waits with such functions.
    unverified_waits: u64,
}

fn counts(profile: &Profile, chosen: &[bool]) -> Counts {
    let not_verified = profile.strings.find(NOT_VERIFIED);
    // By path: whether Python is on it, and whether some is not verified.
    let mut of_path: Vec<(bool, bool)> = Vec::with_capacity(profile.stacks.len());
    for (_, stack) in profile.stacks.iter() {
        let (is_below, is_below_unverified) =
            stack.parent.map_or((false, false), |parent| of_path[parent.index()]);
        let frame = profile.frames.get(stack.frame);
        let is_unverified = frame.kind == FrameKind::Synthetic && Some(frame.name) == not_verified;
        let is_python = frame.kind == FrameKind::Python || is_unverified;
        of_path.push((is_below || is_python, is_below_unverified || is_unverified));
    }
    let gil = gil_states(profile);
    let mut counts = Counts::default();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| chosen[key.thread.index()]) {
        let (is_python, is_unverified) = of_path[key.stack.index()];
        let is_wait = key.kind == SampleKind::OffCpu;
        if !is_wait && (is_python || gil[key.labels.index()].is_some()) {
            counts.samples = counts.samples.saturating_add(weight.count);
        }
        if is_unverified {
            let sum = if is_wait { &mut counts.unverified_waits } else { &mut counts.unverified };
            *sum = sum.saturating_add(weight.count);
        }
    }
    counts
}

/// By set of labels: what it says of the lock.
pub(crate) fn gil_states(profile: &Profile) -> Vec<Option<GilState>> {
    let Some(label) = profile.strings.find(LABEL) else { return vec![None; profile.labels.len()] };
    let state = |set: &[_]| {
        let (_, value) = set.iter().find(|(key, _)| *key == label)?;
        match profile.strings.get(*value) {
            "held" => Some(GilState::Held),
            "waiting" => Some(GilState::Waiting),
            "free" => Some(GilState::Free),
            _ => None,
        }
    };
    profile.labels.iter().map(|(_, set)| state(set)).collect()
}

/// Threads that could have run and waited for the lock instead.
pub(crate) fn gil_contention(threads: &[ThreadSummary]) -> Option<Insight> {
    let waiting = || threads.iter().filter(|thread| thread.gil_wait_nanos.is_some_and(|nanos| nanos > 0));
    let sum =
        |figure: fn(&ThreadSummary) -> Option<u64>| waiting().filter_map(figure).fold(0, u64::saturating_add);
    let wait_nanos = sum(|thread| thread.gil_wait_nanos);
    let share = wait_nanos as f64 / wait_nanos.saturating_add(sum(|thread| thread.cpu_nanos)).max(1) as f64;
    (wait_nanos >= LEAST_WAIT_NANOS && share >= CONTENDED_SHARE).then(|| Insight::GilContention {
        n_threads: waiting().count(),
        wait_nanos,
        share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallTree, Summary, ThreadChoice, TreeOptions};
    use calor_model::{SampleKey, SampleWeight, Warning};

    /// Rows of thread, kind, what is known of the lock, number of samples and their milliseconds.
    fn summary(rows: &[(&str, SampleKind, &str, u64, u64)], threads: &ThreadChoice) -> Summary {
        let mut profile = Profile::default();
        for &(name, kind, state, count, millis) in rows {
            let thread = profile.intern_thread(1, 0, name);
            let kind_of_frame = if name == "native" { FrameKind::Native } else { FrameKind::Python };
            let stack = profile.intern_named_path(&["work"], kind_of_frame).expect("a path has a frame");
            let pair = (profile.strings.intern(LABEL), profile.strings.intern(state));
            let labels =
                profile.labels.intern(if state.is_empty() { &[] } else { std::slice::from_ref(&pair) });
            let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count, nanos: millis * 1_000_000 });
        }
        profile.warn(Warning::counted("python_unverified", "frames changed while they were read", 3));
        Summary::new(&CallTree::of_scopes(&profile, &TreeOptions::default()), threads)
    }

    const CPU: SampleKind = SampleKind::Cpu;
    const OFF_CPU: SampleKind = SampleKind::OffCpu;

    #[test]
    fn samples_of_python_threads_tell_how_often_the_lock_was_held() {
        let rows = [
            ("main", CPU, "held", 60, 60),
            ("main", CPU, "free", 40, 40),
            ("pool", CPU, "held", 10, 10),
            ("pool", OFF_CPU, "waiting", 5, 400),
            ("native", CPU, "", 7, 7),
            ("early", CPU, "", 9, 9),
            ("main", CPU, "", 30, 30),
        ];
        let whole = summary(&rows, &ThreadChoice::All);
        let python = whole.python.unwrap();
        // What is not known is neither held nor free.
        assert_eq!((python.samples, python.lock_samples, python.unverified), (149, 110, 3));
        assert_eq!((python.held_share, python.gil_wait_nanos), (Some(70.0 / 110.0), Some(400_000_000)));
        let shares: Vec<_> = whole.threads.iter().map(ThreadSummary::gil_held_share).collect();
        assert_eq!(shares, [Some(0.6), Some(1.0), None, None]);
        let main = summary(&rows, &ThreadChoice::Named("main".to_owned())).python.unwrap();
        assert_eq!((main.samples, main.held_share), (130, Some(0.6)));
    }

    #[test]
    fn samples_with_functions_that_could_not_be_verified_are_counted() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for (name, kind_of_frame, kind, count) in [
            (NOT_VERIFIED, FrameKind::Synthetic, CPU, 4),
            (NOT_VERIFIED, FrameKind::Synthetic, OFF_CPU, 2),
            ("work", FrameKind::Python, CPU, 6),
            ("work", FrameKind::Python, OFF_CPU, 5),
            ("main", FrameKind::Native, CPU, 9),
        ] {
            let stack = profile.intern_named_path(&[name], kind_of_frame).expect("a path has a frame");
            let labels = calor_model::LabelTable::none();
            let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count, nanos: count });
        }
        let expected = Counts { samples: 10, unverified: 4, unverified_waits: 2 };
        assert_eq!(counts(&profile, &[true]), expected);
        assert_eq!(counts(&profile, &[false]), Counts::default());
        // The warning counts both, which the summary does not add to what it found.
        profile.warn(Warning::counted("python_unverified", "frames changed while they were read", 6));
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let python = Summary::new(&tree, &ThreadChoice::All).python.unwrap();
        assert_eq!((python.unverified, python.unverified_waits), (4, 2));
    }

    #[test]
    fn without_python_there_is_nothing_to_say_and_without_labels_the_lock_is_not_known() {
        assert_eq!(summary(&[("native", CPU, "", 7, 7)], &ThreadChoice::All).python, None);
        let python = summary(&[("main", CPU, "", 7, 7)], &ThreadChoice::All).python.unwrap();
        assert_eq!((python.samples, python.held_share, python.gil_wait_nanos), (7, None, None));
    }

    #[test]
    fn waiting_for_the_lock_is_named_when_it_takes_a_tenth_of_the_time() {
        let found = |wait_millis| {
            let rows = [
                ("main", CPU, "held", 900, 900),
                ("pool", CPU, "held", 300, 300),
                ("pool", OFF_CPU, "waiting", 4, wait_millis),
                ("pool", OFF_CPU, "free", 9, 5_000),
            ];
            gil_contention(&summary(&rows, &ThreadChoice::All).threads)
        };
        let expected = Insight::GilContention { n_threads: 1, wait_nanos: 100_000_000, share: 0.25 };
        assert_eq!(found(100), Some(expected));
        assert_eq!(found(20), None);
    }
}
