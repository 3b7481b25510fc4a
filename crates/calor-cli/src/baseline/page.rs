//! Baselines for scripts: `calor/baseline/1`.

use std::path::Path;

use anyhow::Result;
use calor_report::utc;
use calor_store::Baseline;
use serde::Serialize;

use crate::store::{RunPage, Source, source};

#[derive(Serialize)]
struct Page<'b> {
    schema: &'static str,
    calor: &'static str,
    warnings: [(); 0],
    store: String,
    baselines: Vec<One<'b>>,
}

#[derive(Serialize)]
struct One<'b> {
    name: &'b str,
    set_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_by: Option<&'b str>,
    #[serde(flatten)]
    source: Source<'b>,
    runs: Vec<RunPage<'b>>,
}

/// Baselines with their runs.
pub(super) fn json(folder: &Path, baselines: &[Baseline]) -> Result<String> {
    let page = Page {
        schema: "calor/baseline/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: [],
        store: folder.display().to_string(),
        baselines: baselines.iter().map(One::of).collect(),
    };
    Ok(serde_json::to_string_pretty(&page)? + "\n")
}

impl<'b> One<'b> {
    fn of(baseline: &'b Baseline) -> Self {
        Self {
            name: &baseline.name,
            set_at: utc(baseline.set_at_unix_nanos),
            set_by: baseline.set_by.as_deref(),
            source: source(&baseline.revision),
            runs: baseline.runs.iter().map(RunPage::of).collect(),
        }
    }
}
