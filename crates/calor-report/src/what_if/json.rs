//! What-ifs for programs: `calor/whatif/1`.

use std::io::Write;

use calor_analysis::{Basis, Source};
use serde::Serialize;

use super::WhatIfOptions;
use super::facts::{Method, Scope, WhatIf, place};
use crate::Error;
use crate::json::WireWarning;

#[derive(Serialize)]
struct Page<'p> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'p str>,
    method: &'static str,
    whole_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Path>,
    factor: f64,
    scopes: Vec<WireScope<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Asked<'p>>,
}

#[derive(Serialize)]
struct Path {
    basis: &'static str,
    threads: usize,
    path_ns: u64,
    outside_ns: u64,
    handover_ns: u64,
    waits: Vec<Wait>,
}

#[derive(Serialize)]
struct Wait {
    kind: &'static str,
    count: u64,
    total_ns: u64,
}

#[derive(Serialize)]
struct Asked<'p> {
    speedups: Vec<WireSpeedup<'p>>,
    predicted_ns: u64,
    overall: Option<f64>,
    bound: Option<f64>,
}

#[derive(Serialize)]
struct WireSpeedup<'p> {
    scope: &'p str,
    factor: Option<f64>,
}

#[derive(Serialize)]
struct WireScope<'p> {
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    total_ns: u64,
    path_ns: u64,
    path_self_ns: u64,
    share: f64,
    slack_ns: Option<u64>,
    slack_factor: Option<f64>,
    overall: Option<f64>,
    bound: Option<f64>,
}

pub(super) fn write(
    what_if: &WhatIf<'_>,
    options: &WhatIfOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let page = Page {
        schema: "calor/whatif/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: what_if.warnings.iter().map(WireWarning::new).collect(),
        command: what_if.profile.runs.first().and_then(|run| run.command.as_deref()),
        method: match &what_if.method {
            Method::Replay(_) => "critical_path",
            Method::Amdahl { source: Source::Scopes, .. } => "amdahl_scopes",
            Method::Amdahl { source: Source::Samples(_), .. } => "amdahl_samples",
        },
        whole_ns: what_if.whole_nanos,
        path: path(what_if),
        factor: options.factor,
        scopes: what_if
            .scopes
            .iter()
            .take(options.top.unwrap_or(usize::MAX))
            .map(|scope| wire(what_if, scope))
            .collect(),
        asked: what_if.asked.as_ref().map(|asked| Asked {
            speedups: options
                .speedups
                .iter()
                .map(|speedup| WireSpeedup { scope: &speedup.scope, factor: finite(speedup.factor) })
                .collect(),
            predicted_ns: asked.predicted.wall_nanos,
            overall: finite(asked.predicted.overall),
            bound: finite(asked.bound),
        }),
    };
    serde_json::to_writer_pretty(&mut *out, &page).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn path(what_if: &WhatIf<'_>) -> Option<Path> {
    let Method::Replay(path) = &what_if.method else { return None };
    Some(Path {
        basis: match path.basis {
            Basis::OneThread => "one_thread",
            Basis::Told => "told",
            Basis::Inferred => "inferred",
        },
        threads: path.n_threads,
        path_ns: path.nanos(),
        outside_ns: path.outside_nanos,
        handover_ns: path.handover_nanos,
        waits: path
            .waits
            .iter()
            .map(|wait| Wait { kind: wait.kind.word(), count: wait.count, total_ns: wait.nanos })
            .collect(),
    })
}

fn wire<'p>(what_if: &WhatIf<'p>, scope: &Scope) -> WireScope<'p> {
    let (file, line) = place(what_if.profile, scope.frame);
    WireScope {
        name: what_if.profile.strings.get(scope.name),
        file,
        line,
        total_ns: scope.total_nanos,
        path_ns: scope.nanos,
        path_self_ns: scope.self_nanos,
        share: scope.share,
        slack_ns: scope.slack_nanos,
        slack_factor: scope.room,
        overall: scope.overall.and_then(finite),
        bound: scope.bound.and_then(finite),
    }
}

/// JSON has no word for no end.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
