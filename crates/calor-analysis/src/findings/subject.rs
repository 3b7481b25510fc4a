//! What a rule of a user is asked of: each function, scope, operation and so on, with the figures that it may name. The
//! names are a promise: rules of users rest on them.

use calor_model::StackId;

use super::expression::{Kind, Value};
use super::{Facts, FunctionFacts, Need, Place, ScopeFacts, Share};

/// What a rule looks at, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    Function,
    Line,
    Scope,
    Operation,
    Heap,
    Wait,
    Program,
}

/// One thing to ask a rule about.
pub(super) struct Asked {
    /// Values of the figures of [`Subject::figures`], in their order.
    pub(super) values: Vec<Option<Value>>,
    pub(super) place: Place,
    /// The part of the whole that it takes: of the time, or of the heap at its peak.
    pub(super) share: Share,
    /// The same with what it calls.
    pub(super) total: Share,
}

use Kind::{Number, Text, Truth};

/// Figures of the whole program, which every rule may name.
const PROGRAM: [(&str, Kind); 6] = [
    ("wall_ns", Number),
    ("cpu_ns", Number),
    ("busy_ns", Number),
    ("idle_share", Number),
    ("parallelism", Number),
    ("cores", Number),
];

/// Figures of the place, which every rule but one about the whole program may name.
const PLACE: [(&str, Kind); 3] = [("name", Text), ("file", Text), ("line", Number)];

const FUNCTION: [(&str, Kind); 6] = [
    ("owner", Text),
    ("share", Number),
    ("share_low", Number),
    ("total_share", Number),
    ("samples", Number),
    ("total_samples", Number),
];

const LINE: [(&str, Kind); 4] =
    [("share", Number), ("interpreter_share", Number), ("samples", Number), ("interpreter_samples", Number)];

const SCOPE: [(&str, Kind); 18] = [
    ("share", Number),
    ("total_share", Number),
    ("calls", Number),
    ("calls_per_parent", Number),
    ("total_ns", Number),
    ("self_ns", Number),
    ("self_ns_per_call", Number),
    ("mean_ns", Number),
    ("p50_ns", Number),
    ("p95_ns", Number),
    ("p99_ns", Number),
    ("max_ns", Number),
    ("threads", Number),
    ("elements", Number),
    ("bytes", Number),
    ("flops", Number),
    ("allocated_bytes", Number),
    ("allocated_count", Number),
];

const OPERATION: [(&str, Kind); 14] = [
    ("op", Text),
    ("library", Text),
    ("shape", Text),
    ("dtype", Text),
    ("contiguous", Truth),
    ("share", Number),
    ("calls", Number),
    ("total_ns", Number),
    ("ns_per_call", Number),
    ("elements_per_call", Number),
    ("bytes", Number),
    ("flops", Number),
    ("bytes_per_s", Number),
    ("flops_per_s", Number),
];

const HEAP: [(&str, Kind); 9] = [
    ("share", Number),
    ("allocated_bytes", Number),
    ("allocated_count", Number),
    ("live_bytes", Number),
    ("live_count", Number),
    ("peak_bytes", Number),
    ("temporary_bytes", Number),
    ("temporary_count", Number),
    ("lifetime_ns", Number),
];

const WAIT: [(&str, Kind); 7] = [
    ("reason", Text),
    ("call", Text),
    ("share", Number),
    ("blocked_ns", Number),
    ("count", Number),
    ("mean_ns", Number),
    ("threads", Number),
];

impl Subject {
    const ALL: [(&'static str, Self); 7] = [
        ("function", Self::Function),
        ("line", Self::Line),
        ("scope", Self::Scope),
        ("operation", Self::Operation),
        ("heap place", Self::Heap),
        ("wait", Self::Wait),
        ("program", Self::Program),
    ];

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, subject)| *subject)
    }

    pub(super) fn words() -> String {
        Self::ALL.map(|(word, _)| word).join(", ")
    }

    /// What has to be recorded for it.
    pub(super) fn need(self) -> Option<Need> {
        match self {
            Self::Function => Some(Need::CpuSamples),
            Self::Line => Some(Need::Python),
            Self::Scope => Some(Need::Scopes),
            Self::Operation => Some(Need::Operations),
            Self::Heap => Some(Need::Heap),
            Self::Wait => Some(Need::Waits),
            Self::Program => None,
        }
    }

    /// The figures that a rule may name.
    pub(super) fn figures(self) -> Vec<(&'static str, Kind)> {
        let own: &[(&str, Kind)] = match self {
            Self::Function => &FUNCTION,
            Self::Line => &LINE,
            Self::Scope => &SCOPE,
            Self::Operation => &OPERATION,
            Self::Heap => &HEAP,
            Self::Wait => &WAIT,
            Self::Program => return PROGRAM.to_vec(),
        };
        PROGRAM.into_iter().chain(PLACE).chain(own.iter().copied()).collect()
    }

    /// All there are in a profile.
    pub(super) fn asked(self, facts: &Facts<'_>) -> Vec<Asked> {
        let whole = program(facts);
        let with_callees = |stack: StackId, [share, total]: [Share; 2], own: Vec<Option<Value>>| {
            let place = facts.place(stack);
            let values = whole.iter().cloned().chain(of_place(&place)).chain(own).collect();
            // What happens in a library is changed by who calls it.
            let place = if place.is_programs { place } else { facts.program_place(stack) };
            Asked { values, place, share, total }
        };
        let asked = |stack, share, own| with_callees(stack, [share; 2], own);
        match self {
            Self::Function => {
                let one = |row: &FunctionFacts| {
                    with_callees(row.stack, [row.self_share, row.total_share], function(row))
                };
                facts.listed_functions().iter().map(one).collect()
            }
            Self::Line => {
                facts.python_lines().iter().map(|row| asked(row.stack, row.share, line(row))).collect()
            }
            Self::Scope => {
                let one =
                    |row: &ScopeFacts| with_callees(row.stack, [row.self_share, row.total_share], scope(row));
                facts.scopes().iter().map(one).collect()
            }
            Self::Operation => {
                let stack = |row: &super::Operation<'_>| row.line.unwrap_or(row.stack);
                facts.operations().iter().map(|row| asked(stack(row), row.share, operation(row))).collect()
            }
            Self::Heap => facts.heap().map_or_else(Vec::new, |heap| {
                let place = |row: &super::HeapPlace| {
                    asked(row.stack, heap.share_of_peak(&row.site), heap_place(heap, row))
                };
                heap.places.iter().map(place).collect()
            }),
            Self::Wait => facts.waits().iter().map(|row| asked(row.site, row.share, wait(row))).collect(),
            Self::Program => {
                let [share, total] = [Share::exact(1.0); 2];
                vec![Asked { values: whole, place: Place::whole_program(), share, total }]
            }
        }
    }
}

fn number(value: f64) -> Option<Value> {
    value.is_finite().then_some(Value::Number(value))
}

fn count(value: u64) -> Option<Value> {
    number(value as f64)
}

fn text(value: &str) -> Option<Value> {
    Some(Value::Text(value.to_owned()))
}

/// A figure that is 0 where nobody told it.
fn told(value: u64) -> Option<Value> {
    (value > 0).then_some(Value::Number(value as f64))
}

fn program(facts: &Facts<'_>) -> Vec<Option<Value>> {
    let whole = facts.whole();
    let has_samples = whole.cpu_nanos > 0;
    vec![
        told(whole.nanos),
        told(whole.cpu_nanos),
        told(whole.busy_nanos),
        whole.idle_share().and_then(number),
        has_samples.then(|| Value::Number(whole.parallelism())),
        facts.cores().and_then(|cores| number(f64::from(cores))),
    ]
}

fn of_place(place: &Place) -> [Option<Value>; 3] {
    [
        text(&place.function),
        place.file.as_deref().and_then(text),
        place.line.and_then(|line| number(f64::from(line))),
    ]
}

fn function(row: &FunctionFacts) -> Vec<Option<Value>> {
    vec![
        text(row.owner.word()),
        number(row.self_share.estimate),
        number(row.self_share.low),
        number(row.total_share.estimate),
        count(row.samples),
        count(row.total_samples),
    ]
}

fn line(row: &super::LineFacts) -> Vec<Option<Value>> {
    vec![
        number(row.share.estimate),
        number(row.interpreter_share.estimate),
        count(row.samples),
        count(row.interpreter_samples),
    ]
}

fn scope(row: &ScopeFacts) -> Vec<Option<Value>> {
    let timed = &row.stats.timed;
    let memory = row.stats.memory.as_ref();
    vec![
        number(row.self_share.estimate),
        number(row.total_share.estimate),
        count(row.calls),
        row.parent_calls.and_then(|calls| number(row.calls as f64 / calls as f64)),
        count(row.total_nanos),
        count(row.self_nanos),
        row.self_nanos_per_call().and_then(number),
        row.stats.mean_nanos().and_then(number),
        timed.quantile_nanos(0.5).and_then(number),
        timed.quantile_nanos(0.95).and_then(number),
        timed.quantile_nanos(0.99).and_then(number),
        (timed.count > 0).then_some(Value::Number(timed.max_nanos as f64)),
        count(row.n_threads as u64),
        told(row.stats.work.elements),
        told(row.stats.work.bytes),
        told(row.stats.work.flops),
        memory.and_then(|memory| count(memory.allocated_bytes)),
        memory.and_then(|memory| count(memory.allocated_count)),
    ]
}

fn operation(row: &super::Operation<'_>) -> Vec<Option<Value>> {
    vec![
        text(row.name),
        text(row.library),
        row.shape.and_then(text),
        row.dtype.and_then(text),
        row.is_contiguous.map(Value::Truth),
        number(row.share.estimate),
        count(row.calls),
        count(row.total_nanos),
        number(row.nanos_per_call()),
        number(row.elements_per_call()),
        told(row.stats.work.bytes),
        told(row.stats.work.flops),
        row.bytes_per_second().and_then(number),
        row.flops_per_second().and_then(number),
    ]
}

fn heap_place(heap: &super::HeapFacts, row: &super::HeapPlace) -> Vec<Option<Value>> {
    let site = &row.site;
    let knows_temporary = heap.totals.knows_temporary();
    vec![
        number(heap.share_of_peak(site).estimate),
        count(site.allocated_bytes),
        count(site.allocated_count),
        count(site.live_bytes()),
        count(site.live_count()),
        count(site.peak_bytes),
        count(site.temporary_bytes).filter(|_| knows_temporary),
        count(site.temporary_count).filter(|_| knows_temporary),
        heap.lifetimes.get(&row.stack).copied().and_then(count),
    ]
}

fn wait(row: &super::WaitFacts<'_>) -> Vec<Option<Value>> {
    vec![
        text(row.wait.cause.reason.word()),
        row.wait.cause.call.and_then(text),
        number(row.share.estimate),
        count(row.wait.blocked_nanos),
        count(row.wait.count),
        row.wait.mean_nanos().and_then(number),
        count(row.wait.threads.len() as u64),
    ]
}

#[cfg(test)]
mod tests {
    use calor_model::{HeapSite, Work};

    use super::*;
    use crate::findings::draft::Draft;

    #[test]
    fn every_figure_of_every_subject_has_a_value_of_its_kind_or_none() {
        let line = "py:train@train.py:12";
        let profile = Draft::new()
            .seconds(1.0)
            .cores(2)
            .cpu(&[line, "_PyEval_EvalFrameDefault!python3.11"], 400)
            .scope(&["run"], 1, 900)
            .operation(&[line, "add"], &[("shape", "7"), ("contiguous", "false")], 1, 100, Work::default())
            .heap(
                &["app::main@src/main.rs:3"],
                HeapSite { allocated_bytes: 1, peak_bytes: 1, ..HeapSite::default() },
            )
            .wait_on("main", &["app::main@src/main.rs:5", "read!libc.so.6"], 1, 100)
            .profile();
        let facts = Facts::new(&profile, None);
        for (word, subject) in Subject::ALL {
            assert_eq!(Subject::of_word(word), Some(subject));
            let (figures, asked) = (subject.figures(), subject.asked(&facts));
            assert!(!asked.is_empty(), "{word}");
            for one in asked {
                assert_eq!(one.values.len(), figures.len(), "{word}");
                for ((name, kind), value) in figures.iter().zip(&one.values) {
                    let fits = match value {
                        None => true,
                        Some(Value::Number(_)) => *kind == Number,
                        Some(Value::Text(_)) => *kind == Text,
                        Some(Value::Truth(_)) => *kind == Truth,
                    };
                    assert!(fits, "{word}: {name}");
                }
            }
        }
        assert_eq!(Subject::of_word("thing"), None);
    }
}
