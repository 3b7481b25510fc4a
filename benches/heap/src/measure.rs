//! One tool on one case, in turns with the plain program: what changes on the machine meanwhile changes both. What disturbs
//! a run makes it dearer, never cheaper, so the least of several tries counts, of either.

use std::fs;
use std::path::Path;

use harness::Figures;
use harness::watched::{Program, child};

use crate::case::{self, Case, Kind};
use crate::cost::Cost;
use crate::tools::{Effort, Job, Tool};
use crate::{program, python};

/// Has the tool at work as often as it is to be.
pub(crate) fn one(case: &'static Case, tool: &Tool, folder: &Path) -> Result<Figures, String> {
    let own = folder.join(tool.name);
    let n_turns = case.n_turns
        / match case.kind {
            Kind::Churn | Kind::Scaling => tool.effort.churn_share,
            // What a tool remembers of a block has to be more than the pages that come and go.
            Kind::Live => 1,
            Kind::Numeric | Kind::Python => tool.effort.share,
        };
    let job = |case: &'static Case, n_turns| Job {
        case,
        program: plain(case, folder, n_turns),
        folder: own.clone(),
    };
    let figures = match case.kind {
        Kind::Scaling => scaled(tool, &job(case, n_turns), &job(case::one_thread_of(case), n_turns / 2)),
        _ => compared(tool, &job(case, n_turns)),
    }?;
    fs::remove_dir_all(&own).map_err(|error| format!("cannot remove {}: {error}", own.display()))?;
    Ok(figures.with(case.turns(), n_turns as f64))
}

/// The tool and the plain program.
fn compared(tool: &Tool, job: &Job) -> Result<Figures, String> {
    let alone = || Cost::of(&child::run(&mut job.program.command())?);
    let (plain, cost) = in_turns(&tool.effort, alone, || under(tool, job))?;
    if cost.check != plain.check {
        return Err(format!("the program did other work: {} and not {}", cost.check, plain.check));
    }
    let figures = figures(job.case, job.program.n_turns as f64, &cost, &plain);
    let bytes = size_of_files(&job.folder)?;
    if bytes == 0 {
        return Ok(figures);
    }
    let figures = match tool.seen.map(|seen| seen(&job.folder)).transpose()? {
        Some(seen) if seen < job.case.least_blocks(job.program.n_turns) => {
            return Err(format!("it saw {seen} blocks, and the program makes more"));
        }
        Some(seen) => figures.with("seen", seen),
        None => figures,
    };
    let report = tool.report.map(|report| child::run(&mut report(&job.folder))).transpose()?;
    let report_s = report.map_or(0.0, |report| (report.at_nanos - report.started_nanos) as f64 / 1e9);
    Ok(figures.with("file_kb", bytes as f64 / 1e3).with("report_s", cost.end_s + report_s))
}

/// Two threads and one, both under the tool, with as many turns a thread.
fn scaled(tool: &Tool, both: &Job, alone: &Job) -> Result<Figures, String> {
    let (one, two) = in_turns(&tool.effort, || under(tool, alone), || under(tool, both))?;
    let a_turn = |cost: &Cost, job: &Job| cost.part_cpu_s / job.program.n_turns as f64 * 1e9;
    let (one, two) = (a_turn(&one, alone), a_turn(&two, both));
    Ok(Figures::default().with("one_ns", one).with("two_ns", two).with("scaling_x", two / one))
}

/// One run of the tool, with a folder of its own in which there is nothing else.
fn under(tool: &Tool, job: &Job) -> Result<Cost, String> {
    let folder = &job.folder;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    Cost::of(&child::run(&mut (tool.record)(job))?)
}

/// The least that the first and the second cost, tried in turns. A single try of the second lies between two of the
/// first.
fn in_turns(
    effort: &Effort,
    mut first: impl FnMut() -> Result<Cost, String>,
    mut second: impl FnMut() -> Result<Cost, String>,
) -> Result<(Cost, Cost), String> {
    let (mut a, mut b) = (first()?, second()?);
    for number in 1..effort.n_tries {
        // Who went first goes second.
        if number % 2 == 1 {
            b = b.least(&second()?);
            a = a.least(&first()?);
        } else {
            a = a.least(&first()?);
            b = b.least(&second()?);
        }
    }
    if effort.n_tries == 1 {
        a = a.least(&first()?);
    }
    Ok((a, b))
}

/// The program without a profiler.
fn plain(case: &Case, folder: &Path, n_turns: u64) -> Program {
    match case.kind {
        Kind::Python => python::program(folder, n_turns),
        _ => Program::new(vec![program::PLAIN.path(case.build), case.workload.into()], n_turns),
    }
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

    fn cost(part_cpu_s: f64, tree_cpu_s: f64, grown_bytes: f64) -> Cost {
        Cost { part_cpu_s, part_wall_s: part_cpu_s, grown_bytes, tree_cpu_s, ..Cost::default() }
    }

    fn of(kind: Kind, cost: &Cost, plain: &Cost) -> Figures {
        let case = case::ALL.iter().find(|case| case.kind == kind).unwrap();
        figures(case, 100.0, cost, plain)
    }

    #[test]
    fn a_pair_costs_what_the_measured_part_has_more_than_the_plain_one() {
        let found = of(Kind::Churn, &cost(6e-6, 9e-6, 0.0), &cost(2e-6, 3e-6, 0.0));
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

    #[test]
    fn a_single_try_lies_between_two_and_more_take_turns_at_going_first() {
        for (n_tries, expect) in [(1, "aba"), (2, "abba"), (3, "abbaab")] {
            let order = std::cell::RefCell::new(String::new());
            let run = |who| {
                order.borrow_mut().push(who);
                Ok(cost(order.borrow().len() as f64, 1.0, 0.0))
            };
            let effort = Effort { n_tries, churn_share: 1, share: 1 };
            let (first, second) = in_turns(&effort, || run('a'), || run('b')).unwrap();
            assert_eq!(order.into_inner(), expect);
            assert_eq!((first.part_cpu_s, second.part_cpu_s), (1.0, 2.0));
        }
    }
}
