//! What runs took of what budgets allow.

use std::collections::BTreeMap;

use calor_model::{FrameKind, Profile, SampleKind, ScopeStats};

use super::budget::{Budget, BudgetUnit, Figure, Subject, Whole};
use crate::nearest::{last_part, nearest_functions};
use crate::{CallTree, HeapTotals, Order, ThreadChoice, TreeOptions, hot_functions, short_name};

/// How many names are suggested.
const SUGGESTED: usize = 5;

/// A budget and what was taken of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Spending {
    /// What is allowed.
    pub budget: Budget,
    /// What was taken, in the unit of the budget.
    pub actual: f64,
    /// What that is of: `a call`, `a run`.
    pub each: &'static str,
    /// How many calls it is from, where that is known.
    pub calls: Option<u64>,
}

impl Spending {
    /// Whether no more was taken than is allowed.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.actual <= self.budget.limit
    }

    /// A figure in the unit of the budget.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        self.budget.unit().text(value)
    }

    /// In a sentence: `attention takes 52.1 ms a call, 50.0 ms are allowed`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (actual, limit) = (self.text(self.actual), self.text(self.budget.limit));
        let (name, each) = (self.budget.name(), self.each);
        match self.budget.unit() {
            BudgetUnit::Nanos => format!("{name} takes {actual} {each}, {limit} allowed"),
            BudgetUnit::Bytes | BudgetUnit::Count => format!("{name} is {actual} {each}, {limit} allowed"),
        }
    }
}

/// A budget that cannot be held against these runs, with what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BudgetError(String);

/// What runs took of budgets. `heap` is a run whose heap was watched, where that of the others was not; names that runs before
/// had need not be there any more.
///
/// # Errors
/// When a budget is of what the runs do not have.
pub fn spendings(
    budgets: &[Budget],
    runs: &[&Profile],
    heap: Option<&Profile>,
    before: &[&Profile],
) -> Result<Vec<Spending>, BudgetError> {
    if budgets.is_empty() {
        return Ok(Vec::new());
    }
    let (figures, former) = (Figures::of(runs), Figures::of(before));
    let of = |budget: &Budget| match heap.filter(|_| budget.needs_heap()) {
        Some(heap) => spending(budget, &[heap], &figures, Some(&former)),
        None => spending(budget, runs, &figures, Some(&former)),
    };
    budgets.iter().map(of).collect()
}

/// Scopes and functions of some runs, by name.
struct Figures {
    scopes: BTreeMap<String, Named>,
    functions: BTreeMap<String, Named>,
    n_runs: usize,
}

/// What all that has one name took in all runs.
#[derive(Default)]
struct Named {
    short: String,
    /// With what it calls.
    total_nanos: u64,
    stats: ScopeStats,
}

impl Figures {
    fn of(runs: &[&Profile]) -> Self {
        let mut figures = Self { scopes: BTreeMap::new(), functions: BTreeMap::new(), n_runs: runs.len() };
        let options = TreeOptions::default();
        for profile in runs {
            gather(&CallTree::of_scopes(profile, &options), &mut figures.scopes);
            let has = |kind| profile.samples.iter().any(|(key, _)| key.kind == kind);
            // Of samples it is time on a processor that a budget is about, where both are there.
            let kind = [SampleKind::Cpu, SampleKind::Wall].into_iter().find(|kind| has(*kind));
            if let Some(kind) = kind {
                gather(&CallTree::of_samples(profile, kind, &options), &mut figures.functions);
            }
        }
        figures
    }

    /// The scope or else the function that is meant. `None` where there is none.
    fn find(&self, wanted: &str) -> Result<Option<(&Named, bool)>, BudgetError> {
        for (names, is_scope) in [(&self.scopes, true), (&self.functions, false)] {
            if let Some(named) = names.get(wanted) {
                return Ok(Some((named, is_scope)));
            }
        }
        // As pages show it, or else by its last word.
        for is_whole in [true, false] {
            for (names, is_scope) in [(&self.scopes, true), (&self.functions, false)] {
                let fits = |name: &str, named: &Named| match is_whole {
                    true => named.short == wanted,
                    false => last_part(name) == wanted || last_part(&named.short) == wanted,
                };
                let mut fitting = names.iter().filter(|(name, named)| fits(name, named));
                match (fitting.next(), fitting.next()) {
                    (None, _) => {}
                    (Some((_, named)), None) => return Ok(Some((named, is_scope))),
                    (Some((one, _)), Some((other, _))) => {
                        return Err(BudgetError(format!(
                            "the budget `{wanted}` is of several functions, `{one}` and `{other}` among them: give the whole name"
                        )));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Names that may have been meant.
    fn near(&self, wanted: &str) -> Vec<&str> {
        let all = || self.scopes.keys().chain(self.functions.keys()).map(String::as_str);
        let lower = wanted.to_lowercase();
        let mut near = nearest_functions(wanted, all());
        let holding = all().filter(|name| name.to_lowercase().contains(&lower));
        let holding: Vec<&str> = holding.filter(|name| !near.contains(name)).collect();
        near.extend(holding);
        near.truncate(SUGGESTED);
        near
    }

    /// Names with the most time.
    fn largest(&self) -> Vec<&str> {
        let mut largest: Vec<(&String, &Named)> = self.scopes.iter().chain(&self.functions).collect();
        largest.sort_by_key(|(_, named)| std::cmp::Reverse(named.total_nanos));
        largest.into_iter().take(SUGGESTED).map(|(name, _)| name.as_str()).collect()
    }
}

fn gather(tree: &CallTree<'_>, into: &mut BTreeMap<String, Named>) {
    let (all, _) = hot_functions(tree, Order::Total, None);
    for function in all {
        let Some(first) = function.nodes.first() else { continue };
        let (name, kind) = (tree.name(*first), tree.frame(*first).kind);
        if kind == FrameKind::Synthetic {
            continue;
        }
        let named = into
            .entry(name.to_owned())
            .or_insert_with(|| Named { short: short_name(kind, name).into_owned(), ..Named::default() });
        named.total_nanos = named.total_nanos.saturating_add(function.total_nanos);
        named.stats.add(&function.stats);
    }
}

/// What runs took of a budget. `former` has names that need not be there any more.
fn spending(
    budget: &Budget,
    runs: &[&Profile],
    figures: &Figures,
    former: Option<&Figures>,
) -> Result<Spending, BudgetError> {
    let of = |actual: f64, each, calls| Spending { budget: budget.clone(), actual, each, calls };
    match &budget.of {
        Subject::Whole(whole) => Ok(of(mean_of_runs(*whole, runs)?, "a run", None)),
        Subject::Named(name, figure) => match figures.find(name)? {
            Some((named, is_scope)) => {
                let (actual, each) = of_named(name, *figure, named, is_scope, figures.n_runs)?;
                Ok(of(actual, each, (named.stats.calls > 0).then_some(named.stats.calls)))
            }
            // What is not called any more takes nothing.
            None if former.is_some_and(|former| former.find(name).is_ok_and(|found| found.is_some())) => {
                Ok(of(0.0, "a run", Some(0)))
            }
            None => Err(unknown(name, figures)),
        },
    }
}

fn of_named(
    name: &str,
    figure: Figure,
    named: &Named,
    is_scope: bool,
    n_runs: usize,
) -> Result<(f64, &'static str), BudgetError> {
    let a_run = (named.total_nanos as f64 / n_runs.max(1) as f64, "a run");
    let timed = &named.stats.timed;
    let of_calls = match figure {
        Figure::Total => return Ok(a_run),
        // Samples do not tell calls apart.
        Figure::Mean if !is_scope => return Ok(a_run),
        Figure::Mean => return Ok(named.stats.mean_nanos().map_or(a_run, |mean| (mean, "a call"))),
        Figure::Percentile(part) => timed.quantile_nanos(f64::from(part) / 100.0),
        Figure::Max => (timed.count > 0).then_some(timed.max_nanos as f64),
    };
    let word = figure.word();
    of_calls.map(|nanos| (nanos, "a call")).ok_or_else(|| {
        BudgetError(format!(
            "the budget `{name}:{word}` is of single calls, which these profiles do not tell apart: samples know how much time \
             `{name}` takes in a run, so say `{name}:total=...`, or give the function a scope"
        ))
    })
}

fn mean_of_runs(whole: Whole, runs: &[&Profile]) -> Result<f64, BudgetError> {
    let missing = match whole {
        Whole::Wall | Whole::Cpu => "the profile does not tell it",
        Whole::Leaked => {
            "the heap was not watched to the end of the program: record it with `calor record --heap`"
        }
        Whole::Peak | Whole::Allocated | Whole::Allocations => {
            "the profile has no heap: record it with `calor record --heap`"
        }
    };
    let of_run = |profile: &&Profile| {
        let heap = || HeapTotals::of(profile, &ThreadChoice::All);
        let value = match whole {
            Whole::Wall => Some(profile.duration_nanos()).filter(|nanos| *nanos > 0),
            Whole::Cpu => {
                profile.runs.iter().map(|run| run.cpu_nanos).sum::<Option<u64>>().filter(|nanos| *nanos > 0)
            }
            Whole::Peak => heap().map(|heap| heap.peak_bytes),
            Whole::Allocated => heap().map(|heap| heap.allocated_bytes),
            Whole::Leaked => heap().and_then(|heap| heap.leaked).map(|leaked| leaked.bytes),
            Whole::Allocations => heap().map(|heap| heap.allocated_count),
        };
        value.map(|value| value as f64)
    };
    let sum: Option<f64> = runs.iter().map(of_run).sum();
    let sum =
        sum.ok_or_else(|| BudgetError(format!("the budget `{}` cannot be told: {missing}", whole.word())))?;
    Ok(sum / runs.len().max(1) as f64)
}

/// A budget of what nobody has.
fn unknown(name: &str, figures: &Figures) -> BudgetError {
    let what = format!("there is no scope or function `{name}` to hold against its budget");
    if let Some(whole) = Whole::named(name) {
        return BudgetError(format!(
            "{what}, and `{name}` of the whole program is no time: say {}",
            whole.example()
        ));
    }
    if let Some((plain, word)) = name.rsplit_once(':')
        && figures.find(plain).is_ok_and(|found| found.is_some())
    {
        return BudgetError(format!(
            "`{plain}` has no figure `{word}`: the figures are {}",
            Figure::words().join(", ")
        ));
    }
    let listed = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    BudgetError(match (&figures.near(name)[..], &figures.largest()[..]) {
        (_, []) => {
            format!("{what}: the profile has none at all; the program may have ended at once")
        }
        ([], largest) => {
            format!("{what}, and none is called much like it: the largest are {}", listed(largest))
        }
        (near, _) => format!("{what}: the nearest are {}", listed(near)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_is_answered_with_what_was_meant() {
        let mut figures = Figures { scopes: BTreeMap::new(), functions: BTreeMap::new(), n_runs: 1 };
        for (name, total_nanos) in [("w::mix_hash", 5), ("w::mix_hash_seeded", 4), ("_start", 9)] {
            let named = Named { short: name.to_owned(), total_nanos, ..Named::default() };
            figures.functions.insert(name.to_owned(), named);
        }
        for (given, expected) in [
            ("mixhash=10ms", "the nearest are `w::mix_hash`"),
            ("mix=10ms", "the nearest are `w::mix_hash`, `w::mix_hash_seeded`"),
            (
                "mix_hash:foo=1ms",
                "`mix_hash` has no figure `foo`: the figures are mean, total, p50, p95, p99, max",
            ),
            ("peak=5ms", "`peak` of the whole program is no time: say peak=200MB"),
            ("allocations=5ms", "say allocations=50000"),
            ("attention=5ms", "the largest are `_start`, `w::mix_hash`"),
        ] {
            let budget: Budget = given.parse().unwrap();
            let found = spending(&budget, &[], &figures, None).unwrap_err().to_string();
            assert!(found.contains(expected), "{given}: {found}");
        }
    }
}
