//! The fields of a report that a profile can be made of. What is not there is left out of the profile.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) schema: String,
    #[serde(default)]
    pub(super) warnings: Vec<Warning>,
    pub(super) run: Option<Run>,
    #[serde(default)]
    pub(super) hot_paths: Vec<HotPath>,
    #[serde(default)]
    pub(super) off_cpu: Vec<Waiting>,
    #[serde(default)]
    pub(super) threads: Vec<Thread>,
    #[serde(default)]
    pub(super) allocators: Vec<Allocator>,
    pub(super) heap: Option<Heap>,
    pub(super) gpu: Option<Gpu>,
}

#[derive(Deserialize)]
pub(super) struct Warning {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) count: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Run {
    pub(super) command: Option<String>,
    pub(super) started_at: Option<String>,
    #[serde(default)]
    pub(super) duration_ns: u64,
    pub(super) cpu_ns: Option<u64>,
    pub(super) host: Option<Host>,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    pub(super) commit: Option<String>,
    #[serde(default)]
    pub(super) recorders: Vec<String>,
    pub(super) overhead: Option<Overhead>,
    pub(super) canary: Option<Canary>,
}

#[derive(Deserialize)]
pub(super) struct Canary {
    pub(super) first_ns: Option<u64>,
    pub(super) last_ns: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Host {
    pub(super) name: Option<String>,
    pub(super) os: Option<String>,
    pub(super) kernel: Option<String>,
    pub(super) arch: Option<String>,
    pub(super) cpu: Option<String>,
    #[serde(default)]
    pub(super) cpu_features: Vec<String>,
    pub(super) cores: Option<u32>,
    pub(super) memory_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Overhead {
    pub(super) own_cpu_ns: Option<u64>,
    pub(super) per_scope_ps: Option<u64>,
    pub(super) inside_scope_ps: Option<u64>,
    pub(super) memory_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct HotPath {
    pub(super) path: Vec<String>,
    pub(super) module: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) kind: String,
    pub(super) calls: Option<u64>,
    pub(super) samples: Option<u64>,
    pub(super) total_ns: u64,
    pub(super) self_ns: u64,
    pub(super) min_ns: Option<u64>,
    pub(super) max_ns: Option<u64>,
    pub(super) stddev_ns: Option<f64>,
    pub(super) p50_ns: Option<f64>,
    pub(super) p95_ns: Option<f64>,
    pub(super) p99_ns: Option<f64>,
    pub(super) flops: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) flops_per_s: Option<f64>,
    pub(super) bytes_per_s: Option<f64>,
    pub(super) open_calls: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct Waiting {
    pub(super) path: Vec<String>,
    pub(super) blocked_ns: u64,
    #[serde(default)]
    pub(super) count: u64,
}

#[derive(Deserialize)]
pub(super) struct Thread {
    pub(super) tid: Option<u64>,
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct Allocator {
    pub(super) path: Vec<String>,
    pub(super) allocated_bytes: u64,
    #[serde(default)]
    pub(super) allocated_count: u64,
    pub(super) live_bytes: Option<u64>,
    pub(super) peak_bytes: Option<u64>,
    pub(super) temporary_count: Option<u64>,
    pub(super) live_count: Option<u64>,
    pub(super) peak_count: Option<u64>,
    pub(super) temporary_bytes: Option<u64>,
    pub(super) samples: Option<u64>,
    pub(super) interval: Option<[u64; 2]>,
    pub(super) live_interval: Option<[u64; 2]>,
    pub(super) peak_interval: Option<[u64; 2]>,
}

#[derive(Deserialize)]
pub(super) struct Heap {
    pub(super) mode: String,
    #[serde(default)]
    pub(super) peak_bytes: u64,
    pub(super) peak_at_ns: Option<u64>,
    pub(super) leaked_bytes: Option<u64>,
    pub(super) leaked_count: Option<u64>,
    pub(super) sampling_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Gpu {
    #[serde(default)]
    pub(super) kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
pub(super) struct Kernel {
    pub(super) name: String,
    #[serde(default)]
    pub(super) count: u64,
    pub(super) total_ns: u64,
    #[serde(default)]
    pub(super) device: Option<u32>,
}
