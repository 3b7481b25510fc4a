//! Two sets of runs, and everything that is decided about them: by which number they are compared, what that comes to, what else
//! differs, how fair it is, and what would settle what is open.
//!
//! Whoever shows a comparison, as a page, as JSON or to Python, finds all of it in one [`Comparison`] and decides nothing.

mod choice;
mod former;
mod judged;
mod metric;
mod parts;
mod remarks;
mod repeated;
mod run;
mod sentence;
mod settling;
mod totals;
mod unjudged;
mod work;

use std::collections::BTreeSet;

use calor_model::{Profile, Warning, add_warning};

pub use former::{Former, place};
pub use metric::{CompareMetric, ComparedUnit};
pub use run::ComparedRun;
pub use settling::Settling;
pub use totals::{RunTotals, Whole, WholeSum};
pub use work::{Rate, Rates};

use crate::workload::{Unlike, cpu_remark, repeated_remark, rounds_remark};
use crate::{
    Difference, Error, FlameUnion, FunctionDifference, FunctionName, Mismatch, Presence, mismatches,
};
use repeated::CpuParts;

/// New and vanished functions count among the changes from this part of the total on.
const LEAST_CONTRIBUTION: f64 = 0.005;
/// Frames of the flame graph of both sides that are narrower than this part of it cannot be seen.
const LEAST_FRAME: f64 = 0.0005;

/// What functions are listed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompareBy {
    /// What they take themselves: this adds up to the whole.
    #[default]
    Own,
    /// What they take with what they call.
    Total,
}

impl CompareBy {
    /// The word for it on a command line and in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::Total => "total",
        }
    }
}

/// How runs are compared.
#[derive(Clone, Debug, Default)]
pub struct ComparisonOptions {
    /// What is compared; `None`: the first that all runs hold.
    pub metric: Option<CompareMetric>,
    /// What functions are listed by.
    pub by: CompareBy,
    /// Whether the runs of both sides took turns.
    pub is_interleaved: bool,
    /// Differences up to this part count as none. `None`: 2 %, and 5 % of one run a side in rounds.
    pub margin: Option<f64>,
    /// What is known of the runs already and has to be said, such as a file that was given twice.
    pub remarks: Vec<Warning>,
}

/// Two sets of runs compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The names of the runs before and after.
    pub names: [Vec<String>; 2],
    /// What was compared.
    pub metric: CompareMetric,
    /// What that came to.
    pub difference: Difference,
    /// Functions with what they call, where they are listed by that.
    whole_functions: Option<Vec<FunctionDifference>>,
    /// Functions with so few samples that one that is on one side alone may be so by chance.
    thin: BTreeSet<FunctionName>,
    /// Other numbers that all runs hold, with what they came to.
    pub others: Vec<(CompareMetric, Difference)>,
    /// How large the runs were, before and after.
    pub totals: [RunTotals; 2],
    /// The same, judged.
    pub wholes: Vec<Whole>,
    /// What the sides differ in besides the program.
    pub mismatches: Vec<Mismatch>,
    /// The commits before and after.
    pub commits: [Vec<String>; 2],
    /// Why neither side is a version of the other, where they ran models and did not do the same.
    pub unlike: Option<Unlike>,
    /// What the reader has to know of the runs.
    pub remarks: Vec<Warning>,
    /// What the runs could not see.
    pub warnings: Vec<Warning>,
    /// What would settle an open verdict.
    pub settling: Option<Settling>,
    /// How fast scopes worked.
    pub work: Vec<Rates>,
    /// Call paths of both sides; `None` where there are none.
    pub flame: Option<FlameUnion>,
}

impl Comparison {
    /// Compares runs of two sides.
    ///
    /// # Errors
    /// When the runs hold different things, a run holds nothing, or the sides have no function in common.
    pub fn new(
        before: &[ComparedRun],
        after: &[ComparedRun],
        options: &ComparisonOptions,
    ) -> Result<Self, Error> {
        let sides = [before, after];
        let (metric, shared) = choice::choose(sides, options.metric.as_ref())?;
        let (mut difference, mut thin) = judged::judged(sides, &metric, options, CompareBy::Own)?;
        if options.remarks.iter().any(|remark| remark.code == "same_run") {
            // More of the same run tell no more.
            difference.needs_runs = None;
        }
        let mut whole_functions = match options.by {
            CompareBy::Own => None,
            CompareBy::Total => {
                let (whole, of_whole) = judged::judged(sides, &metric, options, CompareBy::Total)?;
                thin = of_whole;
                Some(whole.functions)
            }
        };
        // One that cannot be compared does not keep the others from it.
        let others = shared.into_iter().filter_map(|metric| {
            let (found, _) = judged::judged(sides, &metric, options, CompareBy::Own).ok()?;
            Some((metric, found))
        });
        let mut others: Vec<(CompareMetric, Difference)> = others.collect();
        let of_runs = totals::of_runs(sides);
        let is_listed = |metric: &CompareMetric| others.iter().any(|(other, _)| other == metric);
        let has_allocated = metric == CompareMetric::Allocated || is_listed(&CompareMetric::Allocated);
        let mut wholes = totals::wholes(&of_runs, has_allocated, &difference.common, options);
        let profiles = sides.map(|side| side.iter().map(|run| &run.profile).collect::<Vec<_>>());
        let mut warnings = Vec::new();
        let all = profiles.iter().flatten().flat_map(|profile| &profile.warnings);
        for warning in all.filter(|warning| !warning.is_of_cut()) {
            add_warning(&mut warnings, warning.clone());
        }
        let mismatches = mismatches(&profiles[0], &profiles[1]);
        let mut remarks = remarks::of_runs(sides, options);
        let is_repeated = repeated::are_repeated(sides, &metric);
        let cpu = is_repeated.then(|| CpuParts::of(sides));
        let mut work = work::rates(sides, Some(&difference.common), cpu.as_ref(), options);
        let unlike = Unlike::of([&profiles[0], &profiles[1]]);
        if unlike.is_some() {
            unjudged::unjudge(&mut difference);
            unjudged::unjudge_functions(whole_functions.as_deref_mut().unwrap_or_default());
            unjudged::unjudge_others(&mut others, &mut wholes, &mut work);
        }
        remarks.extend(unlike.as_ref().map(Unlike::remark));
        remarks.extend(remarks::strangers(&difference));
        remarks.extend(difference.n_rounds.map(|_| rounds_remark()));
        if is_repeated {
            remarks.push(repeated_remark());
            remarks.extend(repeated::is_by_cpu(sides).then(cpu_remark));
        } else if metric == CompareMetric::Scopes {
            remarks.extend(remarks::other_way(&of_runs, &difference));
        }
        let flame = FlameUnion::new([&profiles[0], &profiles[1]], metric.word(), &difference, LEAST_FRAME);
        Ok(Self {
            flame,
            work,
            names: sides.map(|side| side.iter().map(|run| run.name.clone()).collect()),
            settling: settling::settling(sides, &metric, &difference, &mismatches),
            metric,
            difference,
            whole_functions,
            thin,
            others,
            totals: of_runs.map(|runs| RunTotals::mean(&runs)),
            wholes,
            mismatches,
            commits: profiles.map(|side| commits(&side)),
            unlike,
            remarks,
            warnings,
        })
    }

    /// Whether the sides ran different models, or did different work with the same: none is judged by the other.
    #[must_use]
    pub fn is_of_other_work(&self) -> bool {
        self.unlike.is_some()
    }

    /// What functions are listed by.
    #[must_use]
    pub fn by(&self) -> CompareBy {
        if self.whole_functions.is_some() { CompareBy::Total } else { CompareBy::Own }
    }

    /// The functions as they are listed, the largest difference first.
    #[must_use]
    pub fn listed(&self) -> &[FunctionDifference] {
        self.whole_functions.as_ref().unwrap_or(&self.difference.functions)
    }

    /// Whether it belongs to the lists of what changed, or of one run a side of what may have.
    #[must_use]
    pub fn is_change(&self, function: &FunctionDifference) -> bool {
        function.suspected.unwrap_or(function.verdict).is_change() || self.is_on_one_side(function)
    }

    /// Whether it is known to have changed. Of one run a side nothing is.
    #[must_use]
    pub fn is_known(&self, function: &FunctionDifference) -> bool {
        let is_single = self.difference.n_runs == [1, 1];
        function.verdict.is_change() || (self.is_on_one_side(function) && !is_single)
    }

    /// Whether it is new or vanished, not by chance and not too small to matter.
    fn is_on_one_side(&self, function: &FunctionDifference) -> bool {
        matches!(function.presence, Presence::New | Presence::Vanished)
            && function.contribution.abs() >= LEAST_CONTRIBUTION
            && !self.thin.contains(&function.function)
    }

    /// By how much the side after differs, as far as that is known.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        self.difference.known_effect()
    }

    /// The machine's part, where it is known: 1.1 is a machine that is 10 % slower after.
    #[must_use]
    pub fn machine_factor(&self) -> Option<f64> {
        let common = &self.difference.common;
        match self.is_of_other_work() {
            true => common.canary.map(|canary| 1.0 + canary.effect),
            false => common.machine_factor(),
        }
    }
}

fn commits(profiles: &[&Profile]) -> Vec<String> {
    let mut commits: Vec<String> =
        profiles.iter().flat_map(|profile| &profile.runs).filter_map(|run| run.commit.clone()).collect();
    commits.sort();
    commits.dedup();
    commits
}
