//! The models of a run, as its profile tells: each inference is a call of a scope whose labels say what the model is, with
//! the contexts `prefill` and `decode` and every operation inside. So a profile is all that is needed to compare models,
//! whoever recorded it.

use std::collections::{BTreeMap, BTreeSet};

use crate::CPU_NANOS;
use calor_model::{LabelSetId, Profile, ScopeKey, ScopeStats, StackId};

/// The label that says that a scope is the inferences of a model, and its name.
const LABEL: &str = "model";
/// The counter of inferences that tells the tokens they began with.
pub const PROMPT_TOKENS: &str = "prompt_tokens";
/// Sizes of models in the order they are read.
pub const SIZES: [&str; 6] = ["parameters", "width", "layers", "heads", "context", "vocabulary"];
const PREFILL: &str = "prefill";
const DECODE: &str = "decode";
/// Scopes that hold others and whose own time is what is between those.
const HOLDERS: [&str; 4] = [PREFILL, DECODE, "layer", "forward"];

/// A model, and what its inferences took.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModelRun {
    /// What it is called.
    pub name: String,
    /// Its sizes by name, such as `parameters`, `width` and `layers`.
    pub sizes: BTreeMap<String, u64>,
    /// Inferences.
    pub inferences: u64,
    /// Tokens that they wrote.
    pub tokens: u64,
    /// Tokens that they began with, where that was told.
    pub prompt_tokens: Option<u64>,
    /// What all of them took, on the wall.
    pub total_ns: u64,
    /// The part of that in which they ran, where one thread does all of an inference and told it.
    pub cpu_ns: Option<u64>,
    /// Reading prompts: a call for each inference, which ends with the first token.
    pub prefill: Option<ModelPhase>,
    /// Writing the other tokens: a call for each.
    pub decode: Option<ModelPhase>,
    /// How much inferences differ: a tenth of them take less than the first, a tenth more than the second, as parts of the median.
    /// Of few it is the shortest and the longest.
    pub spread: Option<[f64; 2]>,
    /// Bytes allocated inside, where an allocator counted.
    pub allocated_bytes: Option<u64>,
    /// Where the time goes, longest first.
    pub operations: Vec<ModelOperation>,
}

/// A part of all inferences.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModelPhase {
    /// How often.
    pub calls: u64,
    /// All of them.
    pub total_ns: u64,
    /// Percentiles of a call.
    pub p50_ns: Option<f64>,
    /// The same.
    pub p95_ns: Option<f64>,
    /// The same.
    pub p99_ns: Option<f64>,
    /// Floating-point operations that were told.
    pub flops: u64,
    /// Bytes that were told.
    pub bytes: u64,
}

/// An operation of the forward pass.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModelOperation {
    /// What it is called.
    pub name: String,
    /// How often.
    pub calls: u64,
    /// What it took itself, without what it calls.
    pub own_ns: u64,
    /// Floating-point operations that were told.
    pub flops: u64,
    /// Bytes that were told.
    pub bytes: u64,
}

impl ModelRun {
    /// A size, such as `parameters`.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<u64> {
        self.sizes.get(name).copied()
    }

    /// The part of the time of inferences in which they did not run; `None` where that is not known.
    #[must_use]
    pub fn lost(&self) -> Option<f64> {
        let cpu = self.cpu_ns.filter(|_| self.total_ns > 0)?;
        Some((1.0 - cpu as f64 / self.total_ns as f64).max(0.0))
    }

    /// The usual time of a token: of a call of `decode`, or else the mean of all tokens.
    #[must_use]
    pub fn token_ns(&self) -> Option<f64> {
        let usual = self.decode.as_ref().and_then(|decode| decode.p50_ns);
        let mean = || (self.tokens > 0).then(|| self.total_ns as f64 / self.tokens as f64);
        usual.or_else(mean)
    }
}

/// The models of a profile, smallest first.
#[must_use]
pub fn models(profile: &Profile) -> Vec<ModelRun> {
    let tops = tops(profile);
    let sums = by_stack(profile);
    let mut children: BTreeMap<StackId, u64> = BTreeMap::new();
    for (stack, stats) in &sums {
        if let Some(parent) = profile.stacks.get(*stack).parent {
            *children.entry(parent).or_default() += stats.inclusive_nanos();
        }
    }
    let mut found: BTreeMap<String, ModelRun> = BTreeMap::new();
    let mut phases: BTreeMap<(String, bool), (ScopeStats, u64, u64)> = BTreeMap::new();
    let mut operations: BTreeMap<(String, String), ModelOperation> = BTreeMap::new();
    for (stack, stats) in &sums {
        let Some((top, name)) = top_of(profile, &tops, *stack) else { continue };
        let run = found.entry(name.clone()).or_insert_with(|| ModelRun {
            name: name.clone(),
            sizes: tops[&top].1.clone(),
            ..ModelRun::default()
        });
        let scope = profile.stack_name(*stack);
        if *stack == top {
            run.inferences += stats.calls;
            run.tokens += stats.work.elements;
            run.total_ns += stats.inclusive_nanos();
            run.prompt_tokens = sum(run.prompt_tokens, counter(profile, stats, PROMPT_TOKENS));
            run.cpu_ns = sum(run.cpu_ns, counter(profile, stats, CPU_NANOS));
            if let Some(memory) = stats.memory {
                *run.allocated_bytes.get_or_insert(0) += memory.allocated_bytes;
            }
        }
        let inside = profile.stacks.get(*stack).parent == Some(top);
        if inside && [PREFILL, DECODE].contains(&scope) {
            phases.entry((name.clone(), scope == DECODE)).or_default().0.add(stats);
        }
        if let Some(phase) = phase_of(profile, top, *stack) {
            let (_, flops, bytes) = phases.entry((name.clone(), phase == DECODE)).or_default();
            *flops += stats.work.flops;
            *bytes += stats.work.bytes;
        }
        let own = stats.inclusive_nanos().saturating_sub(children.get(stack).copied().unwrap_or(0));
        let shown = if *stack == top || is_holder(scope) { "(between operations)" } else { scope };
        let row = operations.entry((name, shown.to_owned())).or_default();
        row.calls += stats.calls;
        row.own_ns += own;
        row.flops += stats.work.flops;
        row.bytes += stats.work.bytes;
    }
    for ((name, is_decode), (stats, flops, bytes)) in phases {
        let Some(run) = found.get_mut(&name) else { continue };
        let quantile = |q: f64| stats.timed.quantile_nanos(q);
        let phase = ModelPhase {
            calls: stats.calls,
            total_ns: stats.inclusive_nanos(),
            p50_ns: quantile(0.5),
            p95_ns: quantile(0.95),
            p99_ns: quantile(0.99),
            flops,
            bytes,
        };
        *(if is_decode { &mut run.decode } else { &mut run.prefill }) = Some(phase);
    }
    for ((name, shown), row) in operations {
        if let Some(run) = found.get_mut(&name) {
            run.operations.push(ModelOperation { name: shown, ..row });
        }
    }
    for (stack, (name, _)) in &tops {
        if let (Some(run), Some(stats)) = (found.get_mut(name), sums.get(stack)) {
            run.spread = spread(stats);
        }
    }
    let mut models: Vec<ModelRun> = found.into_values().collect();
    models.iter_mut().for_each(|run| run.operations.sort_by_key(|row| std::cmp::Reverse(row.own_ns)));
    models.sort_by_key(|run| run.size("parameters"));
    models
}

/// The call paths whose percentiles tell models apart: inferences, and reading prompts and writing tokens in them.
#[must_use]
pub fn phases(profile: &Profile) -> BTreeSet<StackId> {
    let tops = tops(profile);
    let is_phase = |stack: StackId| {
        let is_inside = profile.stacks.get(stack).parent.is_some_and(|parent| tops.contains_key(&parent));
        tops.contains_key(&stack) || (is_inside && [PREFILL, DECODE].contains(&profile.stack_name(stack)))
    };
    if tops.is_empty() {
        return BTreeSet::new();
    }
    profile.scopes.iter().map(|(key, _)| key.stack).filter(|stack| is_phase(*stack)).collect()
}

/// `None` of one inference, which does not differ from any.
fn spread(stats: &ScopeStats) -> Option<[f64; 2]> {
    let quantile = |q: f64| stats.timed.quantile_nanos(q).filter(|nanos| *nanos > 0.0);
    let median = quantile(0.5).filter(|_| stats.calls > 1)?;
    Some([(quantile(0.1)? / median).min(1.0), (quantile(0.9)? / median).max(1.0)])
}

/// What calls counted; `None` where they did not.
fn counter(profile: &Profile, stats: &ScopeStats, name: &str) -> Option<u64> {
    let found = stats.work.counters.iter().find(|(counter, _)| profile.strings.get(*counter) == name);
    found.and_then(|(_, sum)| u64::try_from(*sum).ok())
}

fn sum(earlier: Option<u64>, more: Option<u64>) -> Option<u64> {
    earlier.map_or(more, |earlier| Some(earlier + more.unwrap_or(0)))
}

/// The models that scopes are of by their labels, in the order in which they were measured.
#[must_use]
pub fn model_names(profile: &Profile) -> Vec<&str> {
    let mut found = Vec::new();
    for name in profile.scopes.iter().filter_map(|(key, _)| model_label(profile, key.labels)) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The model that a set of labels is of.
pub(super) fn model_label(profile: &Profile, labels: LabelSetId) -> Option<&str> {
    let label = profile.labels.get(labels).iter().find(|(key, _)| profile.strings.get(*key) == LABEL);
    label.map(|(_, name)| profile.strings.get(*name))
}

fn is_holder(scope: &str) -> bool {
    HOLDERS.contains(&scope) || scope.strip_prefix("layer ").is_some_and(|rest| rest.parse::<u32>().is_ok())
}

/// The call paths that inferences are calls of, with the name and sizes of the model.
fn tops(profile: &Profile) -> BTreeMap<StackId, (String, BTreeMap<String, u64>)> {
    let mut tops = BTreeMap::new();
    let text = |id| profile.strings.get(id);
    for (key, _) in profile.scopes.iter() {
        if let Some(name) = model_label(profile, key.labels) {
            let labels = profile.labels.get(key.labels).iter();
            let sizes =
                labels.filter_map(|(key, value)| Some((text(*key).to_owned(), text(*value).parse().ok()?)));
            tops.insert(key.stack, (name.to_owned(), sizes.collect()));
        }
    }
    tops
}

/// What all threads did on each call path.
fn by_stack(profile: &Profile) -> BTreeMap<StackId, ScopeStats> {
    let mut sums: BTreeMap<StackId, ScopeStats> = BTreeMap::new();
    for (ScopeKey { stack, .. }, stats) in profile.scopes.iter() {
        sums.entry(stack).or_default().add(stats);
    }
    sums
}

/// The inferences that a call path is part of, and their model.
fn top_of(
    profile: &Profile,
    tops: &BTreeMap<StackId, (String, BTreeMap<String, u64>)>,
    stack: StackId,
) -> Option<(StackId, String)> {
    let mut at = Some(stack);
    while let Some(stack) = at {
        if let Some((name, _)) = tops.get(&stack) {
            return Some((stack, name.clone()));
        }
        at = profile.stacks.get(stack).parent;
    }
    None
}

/// The phase that a call path below `top` is in.
fn phase_of(profile: &Profile, top: StackId, stack: StackId) -> Option<&'static str> {
    let mut at = stack;
    while at != top {
        let parent = profile.stacks.get(at).parent?;
        if parent == top {
            let name = profile.stack_name(at);
            return [PREFILL, DECODE].into_iter().find(|phase| *phase == name);
        }
        at = parent;
    }
    None
}
