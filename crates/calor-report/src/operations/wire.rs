//! Operations and scopes as programs read them. The fields are a promise; what was not measured is null, never 0.

use calor_analysis::{
    Bound, OperationRow, SampledFunction, ScopeCalls, ScopeSum, ScopeSumKind, shapes, spread_of_calls,
};
use calor_model::{DurationStats, Profile, ScopeStats};
use serde::Serialize;

use super::calls::{Times, millis};
use super::labelled::{self, Labelled, Labels};
use super::work::Work;

/// One operation at one line, on operands of one shape and type.
#[derive(Serialize)]
pub(crate) struct Operation<'r> {
    pub(super) operation: &'r str,
    pub(super) library: &'r str,
    pub(super) count: u64,
    pub(super) total_ns: u64,
    /// Time of the kernels and copies that it had GPUs do; absent where it had them do nothing, or nobody recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gpu_ns: Option<u64>,
    pub(super) mean_ns: Option<u64>,
    pub(super) min_ns: Option<u64>,
    pub(super) max_ns: Option<u64>,
    pub(super) stddev_ns: Option<u64>,
    pub(super) p95_ns: Option<u64>,
    pub(super) backend: &'r str,
    pub(super) share: Option<f64>,
    pub(super) bytes: Option<u64>,
    pub(super) flops: Option<u64>,
    pub(super) bytes_per_s: Option<f64>,
    pub(super) flops_per_s: Option<f64>,
    pub(super) roof_share: Option<f64>,
    #[serde(flatten)]
    pub(super) memory: Option<Memory>,
    pub(super) bound: Option<&'static str>,
    pub(super) shapes: Vec<Vec<u64>>,
    /// How shapes were put together, where there were too many: `rounded` or `various`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shapes_are: Option<&'r str>,
    pub(super) dtypes: Vec<&'r str>,
    pub(super) result_dtype: Option<&'r str>,
    /// Of PyTorch: where the operands were.
    pub(super) device: Option<&'r str>,
    pub(super) file: Option<&'r str>,
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<&'r str>,
    /// Whether all calls were inside another operation, so that its time is in that one's, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_nested: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_estimated: bool,
}

/// One function by its samples.
#[derive(Serialize)]
pub(super) struct Sampled<'r> {
    name: &'r str,
    samples: Option<u64>,
    total_ns: u64,
    self_ns: u64,
    /// Self time as a part of that of all samples.
    share: Option<f64>,
    file: Option<&'r str>,
    line: Option<u32>,
}

impl<'r> Sampled<'r> {
    pub(super) fn new(function: &'r SampledFunction) -> Self {
        Self {
            name: &function.name,
            samples: function.samples,
            total_ns: function.total_nanos,
            self_ns: function.self_nanos,
            share: function.share,
            file: function.file.as_deref(),
            line: function.line,
        }
    }
}

/// All scopes of one name.
#[derive(Serialize)]
pub(super) struct Scope<'r> {
    pub(super) kind: &'static str,
    pub(super) self_time_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gpu_time_ms: Option<f64>,
    #[serde(flatten)]
    pub(super) times: Times,
    pub(super) share: Option<f64>,
    /// Where all scopes of the name have the same labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<Labels<'r>>,
    /// Where they have several sets of labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) by_labels: Vec<Labelled<'r>>,
    #[serde(flatten)]
    pub(super) work: Work<'r>,
    #[serde(flatten)]
    pub(super) memory: Option<Memory>,
    /// Of coroutines and generators: how often they ran on, and how long they took from their first step to their end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) life_mean_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) life_p95_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) life_max_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_estimated: bool,
}

/// A traced function.
#[derive(Serialize)]
pub(super) struct Function<'r> {
    name: &'r str,
    count: u64,
    total_ns: u64,
    self_ns: u64,
    mean_ns: Option<u64>,
    p95_ns: Option<u64>,
    share: Option<f64>,
    #[serde(flatten)]
    memory: Option<Memory>,
    file: Option<&'r str>,
    line: Option<u32>,
}

/// What was allocated within; absent where memory was not recorded.
#[derive(Serialize)]
pub(super) struct Memory {
    allocated_bytes: u64,
    allocations: u64,
    freed_bytes: u64,
    /// The most that one call held.
    peak_bytes: u64,
}

impl Memory {
    pub(super) fn of(stats: &ScopeStats) -> Option<Self> {
        stats.memory.map(|memory| Self {
            allocated_bytes: memory.allocated_bytes,
            allocations: memory.allocated_count,
            freed_bytes: memory.freed_bytes,
            peak_bytes: memory.peak_bytes,
        })
    }
}

impl<'r> Operation<'r> {
    pub(crate) fn new(row: &'r OperationRow<'_>) -> Self {
        let (stats, timed) = (&row.stats, &row.stats.timed);
        let told = |amount: u64| Some(amount).filter(|amount| *amount > 0);
        Self {
            operation: row.name,
            library: row.library,
            count: stats.calls,
            total_ns: row.total_nanos,
            gpu_ns: row.gpu_nanos,
            mean_ns: stats.mean_nanos().map(whole),
            min_ns: is_timed(timed).then_some(timed.min_nanos),
            max_ns: is_timed(timed).then_some(timed.max_nanos),
            stddev_ns: spread_of_calls(timed).map(whole),
            p95_ns: timed.quantile_nanos(0.95).map(whole),
            backend: row.backend,
            share: row.share,
            bytes: told(stats.work.bytes),
            flops: told(stats.work.flops),
            bytes_per_s: row.bytes_per_second(),
            flops_per_s: row.flops_per_second(),
            roof_share: row.roof_share(),
            memory: Memory::of(stats),
            bound: row.roof.as_ref().and_then(|roof| roof.bound).map(Bound::word),
            shapes: row.shape.map(shapes).unwrap_or_default(),
            shapes_are: row.grain,
            dtypes: row.dtypes(),
            result_dtype: row.result_dtype(),
            device: row.device,
            file: row.file,
            line: row.line,
            context: row.context,
            parent: row.parent,
            is_nested: row.is_nested,
            is_estimated: stats.is_estimated(),
        }
    }
}

impl<'r> Scope<'r> {
    pub(super) fn new(profile: &'r Profile, sum: &ScopeSum<'r>) -> Self {
        let calls = ScopeCalls::of(&sum.stats, sum.total_nanos);
        Self {
            kind: word(sum.kind),
            self_time_ms: millis(sum.self_nanos as f64),
            gpu_time_ms: sum.gpu_nanos.map(|nanos| millis(nanos as f64)),
            times: Times::of(&calls, sum.total_nanos),
            share: sum.share,
            labels: labelled::common(sum),
            by_labels: labelled::list(profile, sum),
            work: Work::of(profile, &sum.stats, sum.total_nanos),
            memory: Memory::of(&sum.stats),
            steps: sum.stats.future.as_ref().map(|_| sum.stats.calls),
            life_mean_ms: calls.life_mean_nanos().map(millis),
            life_p95_ms: calls.lives.and_then(|lives| lives.quantile_nanos(0.95)).map(millis),
            life_max_ms: calls.lives.map(|lives| millis(lives.max_nanos as f64)),
            file: sum.file,
            line: sum.line,
            is_estimated: sum.is_estimated,
        }
    }
}

impl<'r> Function<'r> {
    pub(super) fn new(sum: &ScopeSum<'r>) -> Self {
        Self {
            name: sum.name,
            count: sum.stats.calls,
            total_ns: sum.total_nanos,
            self_ns: sum.self_nanos,
            mean_ns: sum.stats.mean_nanos().map(whole),
            p95_ns: sum.stats.timed.quantile_nanos(0.95).map(whole),
            share: sum.share,
            memory: Memory::of(&sum.stats),
            file: sum.file,
            line: sum.line,
        }
    }
}

/// What a name is the name of, in a word.
pub(super) fn word(kind: ScopeSumKind) -> &'static str {
    match kind {
        ScopeSumKind::Context => "context",
        ScopeSumKind::Scope => "scope",
        ScopeSumKind::Function => "function",
    }
}

pub(super) fn whole(nanos: f64) -> u64 {
    nanos.round().max(0.0) as u64
}

fn is_timed(timed: &DurationStats) -> bool {
    timed.count > 0
}
