//! One tool on one case, between two runs of the plain program with as many turns: what changes on the machine meanwhile
//! changes those too.

use std::fs;
use std::path::Path;

use harness::Figures;
use harness::watched::child::{self, Ended};
use harness::watched::{Program, truth};

use crate::case::{Case, Kind};
use crate::program;
use crate::python;
use crate::tools::{Job, Tool};

/// What one run of the program cost, as it says itself and as the kernel counts the tool and all that it started.
#[derive(Debug)]
struct Cost {
    part_cpu_s: f64,
    part_wall_s: f64,
    grown_bytes: f64,
    peak_bytes: f64,
    check: f64,
    end_ns: f64,
    tree_cpu_s: f64,
}

/// Has the tool at work once.
pub(crate) fn one(case: &'static Case, tool: &Tool, folder: &Path) -> Result<Figures, String> {
    let own = folder.join(tool.name);
    fs::create_dir_all(&own).map_err(|error| format!("cannot create {}: {error}", own.display()))?;
    let n_turns = match case.kind {
        // What a tool remembers of a block has to be more than the pages that come and go.
        Kind::Live => case.n_turns,
        _ => case.n_turns / tool.share,
    };
    let figures = match case.kind {
        Kind::Scaling => scaling(case, tool, folder, &own, n_turns),
        _ => compared(case, tool, folder, &own, n_turns),
    }?;
    fs::remove_dir_all(&own).map_err(|error| format!("cannot remove {}: {error}", own.display()))?;
    Ok(figures.with(case.turns(), n_turns as f64))
}

fn compared(
    case: &'static Case,
    tool: &Tool,
    folder: &Path,
    own: &Path,
    n_turns: u64,
) -> Result<Figures, String> {
    let job = Job { case, program: plain(case, folder, n_turns), folder: own.to_owned() };
    let before = Cost::of(&child::run(&mut job.program.command())?)?;
    let ended = child::run(&mut (tool.record)(&job))?;
    let cost = Cost::of(&ended)?;
    let bytes = size_of_files(own)?;
    let report = tool.report.map(|report| child::run(&mut report(own))).transpose()?;
    let after = Cost::of(&child::run(&mut job.program.command())?)?;
    if cost.check != before.check {
        return Err(format!("the program did other work: {} and {}", cost.check, before.check));
    }
    let mut figures = figures(case, n_turns as f64, &cost, &Cost::mean(&before, &after));
    if bytes > 0 {
        let end_s = (ended.at_nanos as f64 - cost.end_ns) / 1e9;
        let report_s = report.map_or(0.0, |report| (report.at_nanos - report.started_nanos) as f64 / 1e9);
        figures = figures.with("file_kb", bytes as f64 / 1e3).with("report_s", end_s + report_s);
    }
    Ok(figures)
}

fn figures(case: &Case, n_turns: f64, cost: &Cost, plain: &Cost) -> Figures {
    let figures = Figures::default()
        .with("cpu_x", cost.tree_cpu_s / plain.tree_cpu_s)
        .with("part_x", cost.part_cpu_s / plain.part_cpu_s)
        .with("wall_x", cost.part_wall_s / plain.part_wall_s)
        .with("outside_ms", (cost.outside_s() - plain.outside_s()) * 1e3)
        .with("extra_kb", (cost.peak_bytes - plain.peak_bytes) / 1e3);
    match case.kind {
        Kind::Churn => figures
            .with("pair_ns", cost.part_cpu_s / n_turns * 1e9)
            .with("over_ns", (cost.part_cpu_s - plain.part_cpu_s) / n_turns * 1e9),
        Kind::Live => figures.with("block_bytes", (cost.grown_bytes - plain.grown_bytes) / n_turns),
        _ => figures,
    }
}

/// Two threads between two runs of one, each with as many pairs a thread.
fn scaling(
    case: &'static Case,
    tool: &Tool,
    folder: &Path,
    own: &Path,
    n_turns: u64,
) -> Result<Figures, String> {
    let run = |case: &'static Case, n_turns| {
        let job = Job { case, program: plain(case, folder, n_turns), folder: own.to_owned() };
        Cost::of(&child::run(&mut (tool.record)(&job))?).map(|cost| cost.part_cpu_s / n_turns as f64 * 1e9)
    };
    let alone = crate::case::one_thread_of(case);
    let before = run(alone, n_turns / 2)?;
    let both = run(case, n_turns)?;
    let one = f64::midpoint(before, run(alone, n_turns / 2)?);
    Ok(Figures::default().with("one_ns", one).with("two_ns", both).with("scaling_x", both / one))
}

/// The program without a profiler.
fn plain(case: &Case, folder: &Path, n_turns: u64) -> Program {
    match case.kind {
        Kind::Python => python::program(folder, n_turns),
        _ => Program::new(vec![program::PLAIN.path(case.build), case.workload.into()], n_turns),
    }
}

impl Cost {
    fn of(ended: &Ended) -> Result<Self, String> {
        let truth = truth(&ended.stdout)?;
        let said = |name: &str| truth.get(name).ok_or_else(|| format!("the program did not say '{name}'"));
        Ok(Self {
            part_cpu_s: said("part_cpu_s")?,
            part_wall_s: said("part_wall_s")?,
            grown_bytes: said("grown_bytes")?,
            peak_bytes: said("peak_bytes")?,
            check: said("check")?,
            end_ns: said("end_ns")?,
            tree_cpu_s: ended.cpu_s,
        })
    }

    fn mean(a: &Self, b: &Self) -> Self {
        let mean = |figure: fn(&Self) -> f64| f64::midpoint(figure(a), figure(b));
        Self {
            part_cpu_s: mean(|cost| cost.part_cpu_s),
            part_wall_s: mean(|cost| cost.part_wall_s),
            grown_bytes: mean(|cost| cost.grown_bytes),
            peak_bytes: mean(|cost| cost.peak_bytes),
            tree_cpu_s: mean(|cost| cost.tree_cpu_s),
            check: a.check,
            end_ns: a.end_ns,
        }
    }

    /// CPU before and after the measured part, and in other processes.
    fn outside_s(&self) -> f64 {
        self.tree_cpu_s - self.part_cpu_s
    }
}

fn size_of_files(folder: &Path) -> Result<u64, String> {
    let failed = |error| format!("cannot look into {}: {error}", folder.display());
    let mut sum = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        sum += entry.and_then(|entry| entry.metadata()).map_err(failed)?.len();
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case;

    fn cost(part_cpu_s: f64, tree_cpu_s: f64, grown_bytes: f64) -> Cost {
        Cost {
            part_cpu_s,
            part_wall_s: part_cpu_s,
            grown_bytes,
            peak_bytes: 0.0,
            check: 1.0,
            end_ns: 0.0,
            tree_cpu_s,
        }
    }

    fn of(kind: Kind, cost: &Cost, plain: &Cost) -> Figures {
        let case = case::ALL.iter().find(|case| case.kind == kind).unwrap();
        figures(case, 100.0, cost, plain)
    }

    #[test]
    fn a_pair_costs_what_the_measured_part_has_more_than_the_plain_one() {
        let plain = Cost::mean(&cost(1e-6, 2e-6, 0.0), &cost(3e-6, 4e-6, 0.0));
        let found = of(Kind::Churn, &cost(6e-6, 9e-6, 0.0), &plain);
        assert!((found.get("over_ns").unwrap() - 40.0).abs() < 1e-9);
        assert!((found.get("part_x").unwrap() - 3.0).abs() < 1e-9);
        assert!((found.get("cpu_x").unwrap() - 3.0).abs() < 1e-9);
        assert!((found.get("outside_ms").unwrap() - 2e-3).abs() < 1e-9);
    }

    #[test]
    fn a_live_block_costs_what_memory_has_grown_more_than_the_plain_programs() {
        let found = of(Kind::Live, &cost(1.0, 1.0, 8_000.0), &cost(1.0, 1.0, 6_400.0));
        assert_eq!(found.get("block_bytes"), Some(16.0));
    }
}
