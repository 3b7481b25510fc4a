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
    Agreement: "confirmed" | "less" | "more" | "undecided" | "unpredicted";
    Bound: "compute" | "memory";
    ChartKind: "lines" | "points" | "bars";
    Cores: "one" | "all";
    CounterSource: "hardware" | "software" | "simulated";
    Dtype: "f32" | "f64";
    ExperimentUnit: "run" | "visit";
    FrameKind: "scope" | "native" | "python" | "kernel" | "gpu";
    GrowthTrend: "steady" | "slowing" | "settled";
    HeapMode: "exact" | "sampled";
    HeapMove: "new" | "grown" | "shrunk" | "gone";
    Kept: "delivered" | "less" | "more" | "undecided";
    Tier: "L1" | "L2" | "L3" | "DRAM";
    Unit: "count" | "ns" | "bytes";
    VectorClass: "scalar" | "sse" | "avx2" | "avx512" | "integer";
    Verdict: "regressed" | "improved" | "same" | "undecided";
    WaitBasis: "one_thread" | "told" | "inferred";
    WhatIfMethod: "critical_path" | "amdahl_scopes" | "amdahl_samples";
    Width: "scalar" | "sse" | "avx2" | "avx512" | "vector";
}
