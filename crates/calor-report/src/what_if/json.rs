//! What-ifs for programs: `calor/whatif/1`.

use std::io::Write;

use calor_analysis::{Basis, Source, WhatIf, WhatIfMethod, WhatIfScope};
use calor_wire::Envelope;
use calor_wire::what_if::{self as wire, AskedFor, CriticalPath, Speedup, Wait};

use super::WhatIfOptions;
use crate::Error;

pub(super) fn write(
    what_if: &WhatIf<'_>,
    options: &WhatIfOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let body = wire::WhatIf {
        command: what_if.profile.runs.first().and_then(|run| run.command.as_deref()),
        method: match &what_if.method {
            WhatIfMethod::Replay(_) => "critical_path",
            WhatIfMethod::Amdahl { source: Source::Scopes, .. } => "amdahl_scopes",
            WhatIfMethod::Amdahl { source: Source::Samples(_), .. } => "amdahl_samples",
        },
        whole_ns: what_if.whole_nanos,
        path: path(what_if),
        factor: options.factor,
        scopes: what_if
            .scopes
            .iter()
            .take(options.top.unwrap_or(usize::MAX))
            .map(|scope| scope_row(what_if, scope))
            .collect(),
        asked: what_if.asked.as_ref().map(|asked| AskedFor {
            speedups: options
                .speedups
                .iter()
                .map(|speedup| Speedup { scope: &speedup.scope, factor: finite(speedup.factor) })
                .collect(),
            predicted_ns: asked.predicted.wall_nanos,
            overall: finite(asked.predicted.overall),
            bound: finite(asked.bound),
        }),
    };
    Ok(Envelope::new(&what_if.warnings, body).write(out)?)
}

fn path(what_if: &WhatIf<'_>) -> Option<CriticalPath> {
    let WhatIfMethod::Replay(path) = &what_if.method else { return None };
    Some(CriticalPath {
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

fn scope_row<'p>(what_if: &WhatIf<'p>, scope: &WhatIfScope) -> wire::Scope<'p> {
    let (file, line) = what_if.location(scope);
    wire::Scope {
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
