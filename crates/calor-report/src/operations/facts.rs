//! All that a page about operations tells, before it has a look.

use calor_analysis::quantity::percent;
use calor_analysis::{
    CallTree, GpuSums, OperationRow, ScopeSum, ScopeSumKind, TreeOptions, operation_rows, scope_sums,
};
use calor_model::{Profile, Warning, add_warning};

use crate::roofline::ABOVE_ROOF;

use super::sampled::{self, SampledFunction};
use super::{OperationsOptions, calls};

pub(super) struct Facts<'p> {
    pub(super) profile: &'p Profile,
    pub(super) options: &'p OperationsOptions,
    pub(super) tree: CallTree<'p>,
    pub(super) operations: Vec<OperationRow<'p>>,
    /// Contexts and scopes by name.
    pub(super) scopes: Vec<ScopeSum<'p>>,
    /// Functions that were traced.
    pub(super) functions: Vec<ScopeSum<'p>>,
    /// Functions that samples found.
    pub(super) sampled: Vec<SampledFunction>,
    /// What GPUs did; `None` where that was nothing, or nobody recorded it.
    pub(super) gpu: Option<GpuSums<'p>>,
    pub(super) warnings: Vec<Warning>,
}

impl<'p> Facts<'p> {
    pub(super) fn new(profile: &'p Profile, options: &'p OperationsOptions) -> Self {
        let tree = CallTree::of_scopes(profile, &TreeOptions::default());
        let operations = operation_rows(&tree, options.roof.as_ref());
        let (functions, scopes) =
            scope_sums(&tree).into_iter().partition(|sum| sum.kind == ScopeSumKind::Function);
        let mut facts = Self {
            profile,
            options,
            tree,
            operations,
            scopes,
            functions,
            sampled: sampled::functions(profile),
            gpu: GpuSums::of(profile),
            warnings: Vec::new(),
        };
        facts.warnings = facts.unmeasured();
        facts
    }

    /// Whether nothing was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.tree.is_empty() && self.sampled.is_empty()
    }

    /// Why there is nothing, and what to do about it.
    pub(super) fn why_empty(&self) -> &'static str {
        let is_off = |warning: &Warning| warning.code == "never_enabled";
        let was_on = !self.profile.runs.is_empty() && !self.profile.warnings.iter().any(is_off);
        if was_on {
            "nothing was recorded: no array was worked on and no scope was open while profiling was on; \
             `calor.enable_profiling(functions=\"trace\")` records functions, and `with calor.scope(\"name\"):` any block"
        } else {
            "nothing was recorded: call `calor.enable_profiling()` before the work, or put it inside \
             `with calor.scope(\"name\"):`"
        }
    }

    /// The profile's own warnings, and one for each figure that is missing.
    fn unmeasured(&self) -> Vec<Warning> {
        let mut list = self.profile.warnings.clone();
        let rows = || self.operations.iter();
        let n_without_work =
            rows().filter(|row| row.stats.work.bytes == 0 && row.stats.work.flops == 0).count();
        if n_without_work > 0 {
            let message =
                "operations told neither bytes nor floating-point operations: their rates are not known";
            add_warning(&mut list, Warning::counted("work_unknown", message, n_without_work as u64));
        }
        if n_without_work < self.operations.len() && self.options.roof.is_none() {
            let message = "this machine was not measured, so how near operations come to what it can do is not known: \
                           run `calor machine` once";
            add_warning(&mut list, Warning::new("machine_not_measured", message));
        }
        add_above_roof(&mut list, &self.operations);
        let n_single = rows().filter(|row| calls::spread(&row.stats.timed).is_none()).count();
        if n_single > 0 {
            let message = "operations were timed less than twice: how much their calls differ is not known";
            add_warning(&mut list, Warning::counted("spread_unknown", message, n_single as u64));
        }
        let n_estimated = rows().filter(|row| row.stats.is_estimated()).count();
        if n_estimated > 0 {
            let message = "operations were timed only at some of their calls: their times are estimates";
            add_warning(&mut list, Warning::counted("times_estimated", message, n_estimated as u64));
        }
        if self.is_empty() {
            add_warning(&mut list, Warning::new("nothing_recorded", self.why_empty()));
        } else if !self.tree.is_empty() && self.tree.recorded_nanos() == 0 {
            add_warning(
                &mut list,
                Warning::new("no_time_recorded", "nothing took any time: shares cannot be given"),
            );
        }
        list
    }
}

/// Said where operations came to more than their roof by more than such measurements differ.
fn add_above_roof(list: &mut Vec<Warning>, operations: &[OperationRow<'_>]) {
    let share = |row: &OperationRow<'_>| row.roof_share().filter(|share| *share > ABOVE_ROOF);
    let above = || operations.iter().filter_map(|row| Some((share(row)?, row.name)));
    let Some((share, name)) = above().max_by(|a, b| a.0.total_cmp(&b.0)) else { return };
    let message = format!(
        "operations above the roof, `{name}` at {}: they touched less than their operands hold, or found them in a nearer cache, \
         or others disturbed the measurement of the machine, which `calor machine --fresh` makes again",
        percent(share)
    );
    add_warning(list, Warning::counted("above_roof", message, above().count() as u64));
}
