//! The models of a run, which are read again where models of several runs are compared.

use std::collections::BTreeMap;

use calor_analysis::workload::{ModelOperation, ModelPhase, ModelRun};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model, and what its inferences took.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Model {
    /// What it is called.
    pub name: String,
    /// Its sizes by name, such as `parameters`, `width` and `layers`.
    pub sizes: BTreeMap<String, u64>,
    /// Inferences.
    pub inferences: u64,
    /// Tokens that they wrote.
    pub tokens: u64,
    /// Tokens that they began with, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// What all of them took, on the wall.
    pub total_ns: u64,
    /// The part of that in which they ran, where one thread does all of an inference and says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Reading prompts: a call for each inference, which ends with the first token.
    pub prefill: Option<Phase>,
    /// Writing the other tokens: a call for each.
    pub decode: Option<Phase>,
    /// How much inferences differ: a tenth of them take less than the first, a tenth more than the second, as parts of the median.
    /// Of few it is the shortest and the longest.
    #[serde(default)]
    pub spread: Option<[f64; 2]>,
    /// Bytes allocated inside, where an allocator counted.
    pub allocated_bytes: Option<u64>,
    /// Where the time goes, longest first.
    pub operations: Vec<OperationTime>,
}

/// A part of all inferences.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Phase {
    /// How often.
    pub calls: u64,
    /// All of them.
    pub total_ns: u64,
    /// Percentiles of a call.
    pub p50_ns: Option<f64>,
    /// The same.
    pub p95_ns: Option<f64>,
    /// The same.
    pub p99_ns: Option<f64>,
    /// Floating-point operations that scopes report.
    pub flops: u64,
    /// Bytes that scopes report.
    pub bytes: u64,
}

/// An operation of the forward pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperationTime {
    /// What it is called.
    pub name: String,
    /// How often.
    pub calls: u64,
    /// What it took itself, without what it calls.
    pub own_ns: u64,
    /// Floating-point operations that scopes report.
    pub flops: u64,
    /// Bytes that scopes report.
    pub bytes: u64,
}

impl From<&ModelRun> for Model {
    fn from(run: &ModelRun) -> Self {
        let phase = |phase: &ModelPhase| {
            let ModelPhase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes } = *phase;
            Phase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes }
        };
        let operation = |operation: &ModelOperation| {
            let ModelOperation { name, calls, own_ns, flops, bytes } = operation.clone();
            OperationTime { name, calls, own_ns, flops, bytes }
        };
        Self {
            name: run.name.clone(),
            sizes: run.sizes.clone(),
            inferences: run.inferences,
            tokens: run.tokens,
            prompt_tokens: run.prompt_tokens,
            total_ns: run.total_ns,
            cpu_ns: run.cpu_ns,
            prefill: run.prefill.as_ref().map(phase),
            decode: run.decode.as_ref().map(phase),
            spread: run.spread,
            allocated_bytes: run.allocated_bytes,
            operations: run.operations.iter().map(operation).collect(),
        }
    }
}

impl From<Model> for ModelRun {
    fn from(entry: Model) -> Self {
        let phase = |Phase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes }| ModelPhase {
            calls,
            total_ns,
            p50_ns,
            p95_ns,
            p99_ns,
            flops,
            bytes,
        };
        let operation = |OperationTime { name, calls, own_ns, flops, bytes }| ModelOperation {
            name,
            calls,
            own_ns,
            flops,
            bytes,
        };
        Self {
            name: entry.name,
            sizes: entry.sizes,
            inferences: entry.inferences,
            tokens: entry.tokens,
            prompt_tokens: entry.prompt_tokens,
            total_ns: entry.total_ns,
            cpu_ns: entry.cpu_ns,
            prefill: entry.prefill.map(phase),
            decode: entry.decode.map(phase),
            spread: entry.spread,
            allocated_bytes: entry.allocated_bytes,
            operations: entry.operations.into_iter().map(operation).collect(),
        }
    }
}
