//! One tool on one program, measured in this process.

use std::path::Path;

use harness::Figures;
use harness::sampled::{Recorded, Tool, Watched, watch};
use harness::watched::child;

use crate::case::Case;
use crate::targets;

/// Runs the tool once and looks at what it left. The folder's inputs are shared, its files are the tool's alone.
pub(crate) fn one(case: &Case, tool: &Tool, folder: &Path) -> Result<Figures, String> {
    let own = folder.join(tool.name);
    std::fs::create_dir_all(&own).map_err(|error| format!("cannot create {}: {error}", own.display()))?;
    let program = targets::program(case, folder);
    let Watched { mut figures, truth, cpu_s, ended } = watch(tool, &program, case.rate, &own)?;
    let said = |name: &str| truth.get(name).ok_or_else(|| format!("the program did not say '{name}'"));
    let Some(read) = tool.read else { return Ok(figures) };
    // The kernel tells the larger of the two, the tool's or the program's.
    if ended.peak_mb > said("peak_mb")? * 1.02 {
        figures = figures.with("peak_mb", ended.peak_mb);
    }
    let bytes: u64 = tool.files.iter().filter_map(|name| Some(own.join(name).metadata().ok()?.len())).sum();
    figures = figures.with("file_kb", bytes as f64 / 1e3);
    // The file of a short run is mostly what is written once.
    let minutes = (said("end_ns")? - ended.started_nanos as f64) / 60e9;
    if case.is_long() {
        figures = figures.with("kb_a_minute", bytes as f64 / 1e3 / minutes);
    }
    let before = child::cpu_seconds()?;
    let recorded = read(&own)?;
    let reading_s = child::cpu_seconds()? - before;
    // A tool whose file is read in this process has no command for it that could be measured.
    if reading_s > 0.0 {
        figures = figures.with("reading_ms", reading_s * 1e3);
    }
    figures = judged(figures, case, &recorded, &truth, cpu_s);
    std::fs::remove_dir_all(&own).map_err(|error| format!("cannot remove {}: {error}", own.display()))?;
    Ok(figures)
}

/// How far what was recorded is from the truth.
fn judged(mut figures: Figures, case: &Case, recorded: &Recorded, truth: &Figures, cpu_s: f64) -> Figures {
    let stages_s: f64 = sampling_bench::native::STAGES.iter().filter_map(|stage| truth.get(stage)).sum();
    let cpu_s = if recorded.is_inside { stages_s } else { cpu_s };
    figures = figures
        .with("samples", recorded.n_samples as f64)
        .with("obtained", recorded.n_samples as f64 / (cpu_s * f64::from(case.rate)));
    if let Some(n_lost) = recorded.n_lost {
        figures = figures.with("lost", n_lost as f64);
    }
    if let Some(share) = recorded.rooted_share() {
        figures = figures.with("rooted_pct", share * 1e2);
    }
    let (mut by_function, mut by_compiled_code) = (Vec::new(), Vec::new());
    for (stage, parts) in case.target.stages() {
        let Some(seconds) = truth.get(stage) else { continue };
        let off = |share: f64| (share - seconds / cpu_s).abs() * 1e2;
        by_function.extend(recorded.share_of(stage).filter(|share| *share > 0.0).map(off));
        if !parts.is_empty() {
            by_compiled_code.extend(recorded.share_of_parts(parts).map(off));
        }
    }
    // A tool that does not know a stage at all has nothing to be compared with.
    if by_function.len() == case.target.stages().len() {
        figures = figures.with("off_points", largest(&by_function));
    }
    if !by_compiled_code.is_empty() {
        figures = figures.with("compiled_points", largest(&by_compiled_code));
    }
    figures
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(folded: &str) -> Figures {
        let truth = Figures::default().with("stage_a", 0.5).with("stage_b", 0.3).with("stage_c", 0.2);
        judged(Figures::default(), &crate::case::ALL[0], &Recorded::of_folded(folded).unwrap(), &truth, 1.0)
    }

    #[test]
    fn the_stage_that_is_furthest_off_counts() {
        let figures = judge("main;stage_a 52\nmain;stage_b 27\nstage_c 21\n");
        assert!((figures.get("off_points").unwrap() - 3.0).abs() < 1e-9);
        assert!((figures.get("rooted_pct").unwrap() - 79.0).abs() < 1e-9);
        assert!((figures.get("obtained").unwrap() - 100.0 / 99.0).abs() < 1e-9);
    }

    #[test]
    fn stacks_without_stages_have_no_shares() {
        assert_eq!(judge("main;stage_a 52\nmain 48\n").get("off_points"), None);
    }
}
