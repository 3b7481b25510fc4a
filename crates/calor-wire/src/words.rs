//! Words that fields choose from. The fields are plain text, filled with the words that the answers have for themselves;
//! these lists are what scripts may rely on, and tests hold what commands print against them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

macro_rules! words {
    ($($name:ident: $($word:literal)|+;)*) => {$(
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    )*};
}

words! {
    AbMetric: "cpu" | "wall" | "rss" | "instructions";
    Agreement: "confirmed" | "less" | "more" | "undecided" | "unpredicted";
    Bound: "compute" | "memory";
    ChangeCause: "program" | "machine" | "unknown";
    ChartKind: "lines" | "points" | "bars";
    Clock: "cpu" | "wall";
    CommonCause: "none" | "machine" | "build" | "unknown";
    Cores: "one" | "all";
    CounterSource: "hardware" | "software" | "simulated";
    Doubt: "too_few_pairs" | "not_clear" | "unstable_machine";
    Dtype: "f32" | "f64";
    Each: "a call" | "a run";
    ExperimentUnit: "run" | "visit";
    FrameKind: "native" | "python" | "kernel" | "gpu" | "scope";
    GrowthTrend: "steady" | "slowing" | "settled";
    HeapMode: "exact" | "sampled";
    HeapMove: "new" | "grown" | "shrunk" | "gone";
    HistoryMetric: "scopes" | "cpu" | "wall" | "off_cpu" | "allocated";
    HistoryValue: "total" | "self" | "call";
    Kept: "delivered" | "less" | "more" | "undecided";
    NullControl: "ok" | "unstable";
    OpenVerdict: "pass" | "fail" | "tell";
    Presence: "new" | "vanished" | "renamed";
    Reckoning: "self" | "total";
    Severity: "critical" | "high" | "medium" | "low";
    Side: "A" | "B";
    Tier: "L1" | "L2" | "L3" | "DRAM";
    Unit: "count" | "ns" | "bytes";
    VectorClass: "scalar" | "sse" | "avx2" | "avx512" | "integer";
    Verdict: "regressed" | "improved" | "same" | "undecided";
    WaitBasis: "one_thread" | "told" | "inferred";
    WhatIfMethod: "critical_path" | "amdahl_scopes" | "amdahl_samples";
    WhyCause: "scalar_code" | "copies" | "extra_pass" | "call_overhead" | "dispatch" | "strided_access" | "upcast" | "lock" | "waiting" | "threads" | "interpreter" | "bandwidth" | "more_instructions";
    Width: "scalar" | "sse" | "avx2" | "avx512" | "vector";
}
