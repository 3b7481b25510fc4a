//! `calor compare --models`: the models of one run, or of several, beside each other. A run is a profile, a page that carries one,
//! or the JSON that `calor bench model` wrote.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_analysis::workload::{ModelRun, models};
use calor_report::bench::models::models_page;
use calor_report::bench::{BenchFormat, BenchOptions, render};

use crate::input;
use crate::page::Paged;

/// The page.
pub(super) fn page(reports: &[PathBuf], format: Paged, width: usize, color: bool) -> Result<Vec<u8>> {
    let mut found: Vec<ModelRun> = Vec::new();
    for report in reports {
        for model in read(report)? {
            if found.iter().any(|known| known.name == model.name) {
                bail!(
                    "the model `{}` is in more than one of these: name runs of different models, or compare two runs of one with \
                     `calor compare A B`: {}",
                    model.name,
                    report.display()
                );
            }
            found.push(model);
        }
    }
    found.sort_by_key(|model| model.size("parameters"));
    if found.len() < 2 {
        let names: Vec<String> = reports.iter().map(|report| report.display().to_string()).collect();
        bail!(
            "expected runs of two models or more, found {}: record one with `calor bench model --enhanced --profile run.calor`: {}",
            found.first().map_or_else(|| "no model".to_owned(), |one| format!("only `{}`", one.name)),
            names.join(", ")
        );
    }
    let format = match format {
        Paged::Text => BenchFormat::Text,
        Paged::Md => BenchFormat::Markdown,
        Paged::Json => BenchFormat::Json,
        Paged::Html => BenchFormat::Html,
    };
    let mut page = Vec::new();
    render(&models_page(&found), None, &BenchOptions { format, width, color }, &mut page)?;
    Ok(page)
}

fn read(report: &Path) -> Result<Vec<ModelRun>> {
    match from_json(report)? {
        Some(found) => Ok(found),
        None => Ok(models(&input::profile(report)?)),
    }
}

/// The models of a page of `bench/1`; `None` for any other file.
fn from_json(report: &Path) -> Result<Option<Vec<ModelRun>>> {
    if report.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("json")) {
        return Ok(None);
    }
    let shown = report.display();
    let text = std::fs::read(report).with_context(|| format!("cannot read {shown}"))?;
    let Ok(mut page) = serde_json::from_slice::<serde_json::Value>(&text) else { return Ok(None) };
    if page["schema"] != "calor/bench/1" {
        return Ok(None);
    }
    // A run of other workloads has none.
    let found = page.get_mut("models").map(serde_json::Value::take).unwrap_or_else(|| serde_json::json!([]));
    let found: Vec<calor_wire::bench::Model> = serde_json::from_value(found).with_context(|| {
        format!("{shown}: its models are not as `calor bench model` writes them; write it anew")
    })?;
    Ok(Some(found.into_iter().map(ModelRun::from).collect()))
}
