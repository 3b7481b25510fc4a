//! All that a page about a comparison tells, before it has a look.

use std::collections::{BTreeMap, BTreeSet};

use calor_analysis::quantity::percent;
use calor_analysis::{
    Difference, DifferenceOptions, FlameUnion, FunctionDifference, FunctionName, Given, Mismatch, Presence,
    RunFigures, ToldDifference, difference, mismatches,
};
use calor_model::{Profile, Warning, add_warning};

use super::choice::choose;
use super::repeated::CpuParts;
use super::settle;
use super::totals::{self, RunTotals, Whole};
use super::unlike::Unlike;
use super::{
    CompareBy, CompareFormat, CompareMetric, CompareOptions, flame, parts, repeated, unlike, words, work,
};
use crate::Error;
use crate::section::heap::gaps::is_of_cut;

/// New and vanished functions count among the changes from this part of the total on.
const LEAST_CONTRIBUTION: f64 = 0.005;
/// And from so many samples on: of a function that is the same on both sides, ten fall on one of them once in five hundred
/// times, and profiles have many functions with a sample or two.
const LEAST_SAMPLES: u64 = 10;

/// Programs of which one has less than this in functions of the other are hardly one.
const LEAST_SHARED: f64 = 0.05;

/// One run of a side.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// What the reader calls it, such as the name of its file.
    pub(super) name: String,
    pub(super) profile: Profile,
    metrics: Vec<CompareMetric>,
}

impl ComparedRun {
    /// A profile under the name that the reader knows it by.
    #[must_use]
    pub fn new(name: impl Into<String>, profile: Profile) -> Self {
        Self { name: name.into(), metrics: CompareMetric::of_profile(&profile), profile }
    }

    /// Its profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What the reader calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it can be compared by.
    pub(super) fn metrics(&self) -> &[CompareMetric] {
        &self.metrics
    }
}

/// Two sets of runs compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The names of the runs before and after.
    pub(super) names: [Vec<String>; 2],
    /// What was compared.
    pub(super) metric: CompareMetric,
    /// What that came to.
    pub(super) difference: Difference,
    /// Functions with what they call, where they are listed by that.
    whole_functions: Option<Vec<FunctionDifference>>,
    /// Functions with so few samples that one that is on one side alone may be so by chance.
    thin: BTreeSet<FunctionName>,
    /// Other numbers that all runs hold, with what they came to.
    pub(super) others: Vec<(CompareMetric, Difference)>,
    /// How large the runs were, before and after.
    pub(super) totals: [RunTotals; 2],
    /// The same, judged.
    pub(super) wholes: Vec<Whole>,
    /// What the sides differ in besides the program.
    pub(super) mismatches: Vec<Mismatch>,
    /// The commits before and after.
    pub(super) commits: [Vec<String>; 2],
    /// Why neither side is a version of the other, where they ran models and did not do the same.
    pub(super) unlike: Option<Unlike>,
    /// What the reader has to know of the runs.
    pub(super) remarks: Vec<Warning>,
    /// What the runs could not see.
    pub(super) warnings: Vec<Warning>,
    /// What would settle an open verdict.
    pub(super) settle: Option<settle::Advice>,
    /// How fast scopes worked.
    pub(super) work: Vec<work::Rates>,
    /// Call paths of both sides, for pages that draw them.
    pub(super) flame: Option<FlameUnion>,
}

impl Compared {
    /// Compares runs of two sides.
    ///
    /// # Errors
    /// When the runs hold different things, a run holds nothing, or the sides have no function in common.
    pub fn new(
        before: &[ComparedRun],
        after: &[ComparedRun],
        options: &CompareOptions,
    ) -> Result<Self, Error> {
        let sides = [before, after];
        let (metric, shared) = choose(sides, options.metric.as_ref())?;
        let (mut difference, mut thin) = judged(sides, &metric, options, CompareBy::Own)?;
        if options.remarks.iter().any(|remark| remark.code == "same_run") {
            // More of the same run tell no more, in whatever format.
            difference.needs_runs = None;
        }
        let mut whole_functions = match options.by {
            CompareBy::Own => None,
            CompareBy::Total => {
                let (whole, of_whole) = judged(sides, &metric, options, CompareBy::Total)?;
                thin = of_whole;
                Some(whole.functions)
            }
        };
        // One that cannot be compared does not keep the others from it.
        let others = shared.into_iter().filter_map(|metric| {
            let (found, _) = judged(sides, &metric, options, CompareBy::Own).ok()?;
            Some((metric, found))
        });
        let mut others: Vec<(CompareMetric, Difference)> = others.collect();
        let of_runs = totals::of_runs(sides);
        let told: Vec<&CompareMetric> =
            others.iter().map(|(metric, _)| metric).chain(std::iter::once(&metric)).collect();
        let mut wholes = totals::wholes(&of_runs, &told, &difference.common, options);
        let profiles = sides.map(|side| side.iter().map(|run| &run.profile).collect::<Vec<_>>());
        let mut warnings = Vec::new();
        let all = profiles.iter().flatten().flat_map(|profile| &profile.warnings);
        for warning in all.filter(|warning| !is_of_cut(warning)) {
            add_warning(&mut warnings, warning.clone());
        }
        let mismatches = mismatches(&profiles[0], &profiles[1]);
        let mut remarks = remarks(sides, options);
        let cpu = repeated::are_repeated(sides, &metric).then(|| CpuParts::of(sides));
        let mut work = work::rates(sides, Some(&difference.common), cpu.as_ref(), options);
        let unlike = Unlike::of(sides);
        if unlike.is_some() {
            unlike::unjudge(&mut difference);
            unlike::unjudge_functions(whole_functions.as_deref_mut().unwrap_or_default());
            unlike::unjudge_others(&mut others, &mut wholes, &mut work);
        }
        remarks.extend(unlike.as_ref().map(Unlike::remark));
        remarks.extend(strangers(&difference));
        remarks.extend(difference.n_rounds.map(|_| parts::remark()));
        if repeated::are_repeated(sides, &metric) {
            remarks.push(repeated::remark());
            remarks.extend(repeated::is_by_cpu(sides).then(repeated::cpu_remark));
        } else if metric == CompareMetric::Scopes {
            remarks.extend(totals::other_way(&of_runs, &difference));
        }
        let flame = || {
            let sides = [&profiles[0][..], &profiles[1][..]];
            FlameUnion::new(sides, metric.word(), &difference, flame::LEAST)
        };
        let flame = (options.format == CompareFormat::Html).then(flame).flatten();
        Ok(Self {
            flame,
            work,
            names: sides.map(|side| side.iter().map(|run| run.name.clone()).collect()),
            // A page around it knows better what to do.
            settle: settle::advice(sides, &metric, &difference, &mismatches).filter(|_| !options.is_part),
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

    /// What the comparison came to.
    #[must_use]
    pub fn difference(&self) -> &Difference {
        &self.difference
    }

    /// Whether the sides ran different models, or did different work with the same: none is judged by the other.
    #[must_use]
    pub fn is_of_other_work(&self) -> bool {
        self.unlike.is_some()
    }

    /// Why.
    #[must_use]
    pub fn unlike(&self) -> Option<&Unlike> {
        self.unlike.as_ref()
    }

    /// What functions are listed by.
    pub(super) fn by(&self) -> CompareBy {
        if self.whole_functions.is_some() { CompareBy::Total } else { CompareBy::Own }
    }

    /// The functions as they are listed, the largest difference first.
    pub(super) fn listed(&self) -> &[FunctionDifference] {
        self.whole_functions.as_ref().unwrap_or(&self.difference.functions)
    }

    /// Whether it belongs to the lists of what changed, or of one run a side of what may have.
    pub(super) fn is_change(&self, function: &FunctionDifference) -> bool {
        function.suspected.unwrap_or(function.verdict).is_change() || self.is_on_one_side(function)
    }

    /// Whether it is known to have changed. Of one run a side nothing is.
    pub(super) fn is_known(&self, function: &FunctionDifference) -> bool {
        let is_single = self.difference.n_runs == [1, 1];
        function.verdict.is_change() || (self.is_on_one_side(function) && !is_single)
    }

    /// Whether it is new or vanished, not by chance and not too small to matter.
    fn is_on_one_side(&self, function: &FunctionDifference) -> bool {
        matches!(function.presence, Presence::New | Presence::Vanished)
            && function.contribution.abs() >= LEAST_CONTRIBUTION
            && !self.thin.contains(&function.function)
    }

    /// The verdict in one sentence, with effect and interval.
    #[must_use]
    pub fn headline(&self) -> String {
        words::headline(self)
    }

    /// The same without the word for the verdict, part by part.
    #[must_use]
    pub fn told(&self) -> ToldDifference {
        words::told(self)
    }
}

/// What the sides differ by, and the functions that have too few samples to tell that one is not on the other side.
fn judged(
    sides: [&[ComparedRun]; 2],
    metric: &CompareMetric,
    options: &CompareOptions,
    by: CompareBy,
) -> Result<(Difference, BTreeSet<FunctionName>), Error> {
    let of_run = |run: &ComparedRun| {
        let figures = match by {
            CompareBy::Own => RunFigures::of_profile(&run.profile, metric.quantity()),
            CompareBy::Total => RunFigures::whole_of_profile(&run.profile, metric.quantity()),
        };
        match figures.total() > 0.0 {
            true => Ok(figures),
            false => Err(Error::EmptyRun { name: run.name.clone(), metric: metric.total_name() }),
        }
    };
    let mut figures = [Vec::new(), Vec::new()];
    for (figures, side) in figures.iter_mut().zip(sides) {
        *figures = side.iter().map(of_run).collect::<Result<_, _>>()?;
    }
    if repeated::are_repeated(sides, metric) {
        repeated::by_cpu(sides, &mut figures);
        repeated::as_often(&mut figures);
    }
    let mut samples: BTreeMap<&FunctionName, u64> = BTreeMap::new();
    // Waits are not sampled but timed, each of them.
    let is_sampled = *metric != CompareMetric::OffCpu;
    for function in figures.iter().flatten().flat_map(|run| &run.functions) {
        if let Some(n) = function.samples.filter(|_| is_sampled) {
            *samples.entry(&function.function).or_default() += n;
        }
    }
    let few = samples.into_iter().filter(|(_, n)| *n < LEAST_SAMPLES);
    let few: BTreeSet<FunctionName> = few.map(|(name, _)| name.clone()).collect();
    let parts = parts::of_single_runs(sides, metric).filter(|_| by == CompareBy::Own);
    let (given, [before, after]) = parts.unwrap_or((Given::Runs, figures));
    let options = DifferenceOptions {
        metric: metric.metric(),
        is_interleaved: options.is_interleaved,
        given,
        margin: if given == Given::Rounds { options.margin_of_rounds } else { options.margin },
        ..DifferenceOptions::default()
    };
    Ok((difference(&before, &after, &options)?, few))
}

/// Said where next to nothing of a side is in functions that the other has: the kernel and the C library are in all programs.
fn strangers(difference: &Difference) -> Option<Warning> {
    let shared = difference.functions.iter().filter(|row| row.before > 0.0 && row.after > 0.0);
    let shared = shared.fold([0.0, 0.0], |sum, row| [sum[0] + row.before, sum[1] + row.after]);
    let [before, after] = [shared[0] / difference.before, shared[1] / difference.after];
    (before.min(after) < LEAST_SHARED).then(|| {
        let message = format!(
            "functions that are in both take {} before and {} after: these may be profiles of two programs",
            percent(before),
            percent(after)
        );
        Warning::new("little_in_common", message)
    })
}

fn commits(profiles: &[&Profile]) -> Vec<String> {
    let mut commits: Vec<String> =
        profiles.iter().flat_map(|profile| &profile.runs).filter_map(|run| run.commit.clone()).collect();
    commits.sort();
    commits.dedup();
    commits
}

fn remarks(sides: [&[ComparedRun]; 2], options: &CompareOptions) -> Vec<Warning> {
    let mut remarks = options.remarks.clone();
    // What is missing of a file is missing on one side alone: it looks like a change.
    for run in sides.into_iter().flatten() {
        for warning in run.profile.warnings.iter().filter(|warning| is_of_cut(warning)) {
            let message = format!("{} is not whole: {}", run.name, warning.message);
            remarks.push(Warning { message, ..warning.clone() });
        }
    }
    for run in sides.into_iter().flatten().filter(|run| run.profile.runs.len() > 1) {
        let n_runs = run.profile.runs.len();
        let message = format!("{} holds {n_runs} runs that were merged: they count as one", run.name);
        remarks.push(Warning::new("merged_runs", message));
    }
    let has_no_unit =
        |run: &&ComparedRun| run.profile.warnings.iter().any(|warning| warning.code == "unit_unknown");
    let runs: Vec<&ComparedRun> = sides.into_iter().flatten().collect();
    if let Some(unknown) = runs.iter().copied().find(has_no_unit)
        && !runs.iter().all(has_no_unit)
    {
        let message = format!(
            "{} does not tell the unit of its weights, and others do: the difference may be one of units",
            unknown.name
        );
        remarks.push(Warning::new("units_differ", message));
    }
    if options.is_interleaved && sides[0].len() != sides[1].len() {
        let message =
            "runs that took turns are as many on both sides: these are compared side by side instead";
        remarks.push(Warning::new("not_interleaved", message));
    }
    remarks
}
