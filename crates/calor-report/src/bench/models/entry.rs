//! The models of a run as `bench/1` has them, which are read again where models of several runs are compared.

use std::collections::BTreeMap;

use calor_analysis::workload::{ModelOperation, ModelPhase, ModelRun};
use serde::{Deserialize, Serialize};

/// A model, and what its inferences took.
#[derive(Serialize, Deserialize)]
pub struct ModelEntry {
    name: String,
    sizes: BTreeMap<String, u64>,
    inferences: u64,
    tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_tokens: Option<u64>,
    total_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpu_ns: Option<u64>,
    prefill: Option<Phase>,
    decode: Option<Phase>,
    #[serde(default)]
    spread: Option<[f64; 2]>,
    allocated_bytes: Option<u64>,
    operations: Vec<Operation>,
}

#[derive(Serialize, Deserialize)]
struct Phase {
    calls: u64,
    total_ns: u64,
    p50_ns: Option<f64>,
    p95_ns: Option<f64>,
    p99_ns: Option<f64>,
    flops: u64,
    bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Operation {
    name: String,
    calls: u64,
    own_ns: u64,
    flops: u64,
    bytes: u64,
}

impl From<&ModelRun> for ModelEntry {
    fn from(run: &ModelRun) -> Self {
        let phase = |phase: &ModelPhase| {
            let ModelPhase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes } = *phase;
            Phase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes }
        };
        let operation = |operation: &ModelOperation| {
            let ModelOperation { name, calls, own_ns, flops, bytes } = operation.clone();
            Operation { name, calls, own_ns, flops, bytes }
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

impl From<ModelEntry> for ModelRun {
    fn from(entry: ModelEntry) -> Self {
        let phase = |Phase { calls, total_ns, p50_ns, p95_ns, p99_ns, flops, bytes }| ModelPhase {
            calls,
            total_ns,
            p50_ns,
            p95_ns,
            p99_ns,
            flops,
            bytes,
        };
        let operation = |Operation { name, calls, own_ns, flops, bytes }| ModelOperation {
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
