//! Baselines for scripts: `calor/baseline/1`.

use std::path::Path;

use anyhow::Result;
use calor_store::Baseline;
use calor_wire::utc;
use calor_wire::{Envelope, baseline};

use crate::store::{source, wire_run};

/// Baselines with their runs.
pub(super) fn json(folder: &Path, baselines: &[Baseline]) -> Result<String> {
    let store = folder.display().to_string();
    let body = baseline::Baselines { store, baselines: baselines.iter().map(one).collect() };
    Ok(Envelope::unwarned(body).text()?)
}

fn one(baseline: &Baseline) -> baseline::Baseline<'_> {
    baseline::Baseline {
        name: &baseline.name,
        set_at: utc(baseline.set_at_unix_nanos),
        set_by: baseline.set_by.as_deref(),
        source: source(&baseline.revision),
        runs: baseline.runs.iter().map(wire_run).collect(),
    }
}
