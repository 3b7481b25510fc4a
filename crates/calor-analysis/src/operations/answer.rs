//! What a Python program recorded of operations on arrays, its scopes and its functions, and what is missing of them.

use std::borrow::Cow;

use calor_model::{Profile, Warning, add_warning};

use super::sampled::{self, SampledFunction};
use super::{operation_rows, scope_sums, spread_of_calls};
use crate::quantity::percent;
use crate::roofline::ABOVE_ROOF;
use crate::{
    CallTree, Error, GpuSums, MachineRoof, OperationRow, ScopeSum, ScopeSumKind, TreeOptions, selection,
};

/// What a program recorded of itself, by operation and by name.
pub struct OperationsAnswer<'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// The tree of its scopes.
    pub tree: CallTree<'p>,
    /// Operations on arrays, the longest first.
    pub operations: Vec<OperationRow<'p>>,
    /// Contexts and scopes by name.
    pub scopes: Vec<ScopeSum<'p>>,
    /// Functions that were traced.
    pub functions: Vec<ScopeSum<'p>>,
    /// Functions that samples found.
    pub sampled: Vec<SampledFunction>,
    /// What GPUs did; `None` where that was nothing, or nobody recorded it.
    pub gpu: Option<GpuSums<'p>>,
    /// What the profile did not see, and what is missing of these figures.
    pub warnings: Vec<Warning>,
}

impl<'p> OperationsAnswer<'p> {
    /// The part of a profile inside a context, or all of it; a warning says where it has no samples for that reason.
    ///
    /// # Errors
    /// When the program entered no context of that name.
    pub fn part_of<'w>(profile: &'w Profile, context: Option<&str>) -> Result<Cow<'w, Profile>, Error> {
        let mut chosen = selection::context(profile, context)?;
        if context.is_some() && !profile.samples.is_empty() && chosen.samples.is_empty() {
            let message = "functions that samples found are not told by context: `calor.profile_report()` of the whole has them, and \
                           functions=\"trace\" records calls inside of contexts";
            chosen.to_mut().warn(Warning::new("samples_without_context", message));
        }
        Ok(chosen)
    }

    /// What a profile has; its operations are held against a roof where the machine was measured.
    #[must_use]
    pub fn new(profile: &'p Profile, roof: Option<&MachineRoof>) -> Self {
        let tree = CallTree::of_scopes(profile, &TreeOptions::default());
        let operations = operation_rows(&tree, roof);
        let (functions, scopes) =
            scope_sums(&tree).into_iter().partition(|sum| sum.kind == ScopeSumKind::Function);
        let mut answer = Self {
            profile,
            tree,
            operations,
            scopes,
            functions,
            sampled: sampled::functions(profile),
            gpu: GpuSums::of(profile),
            warnings: Vec::new(),
        };
        answer.warnings = answer.unmeasured(roof.is_some());
        answer
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty() && self.sampled.is_empty()
    }

    /// Why there is nothing, and what to do about it.
    #[must_use]
    pub fn why_empty(&self) -> &'static str {
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
    fn unmeasured(&self, has_roof: bool) -> Vec<Warning> {
        let mut list = self.profile.warnings.clone();
        let rows = || self.operations.iter();
        let n_without_work =
            rows().filter(|row| row.stats.work.bytes == 0 && row.stats.work.flops == 0).count();
        if n_without_work > 0 {
            let message =
                "operations told neither bytes nor floating-point operations: their rates are not known";
            add_warning(&mut list, Warning::counted("work_unknown", message, n_without_work as u64));
        }
        if n_without_work < self.operations.len() && !has_roof {
            let message = "this machine was not measured, so how near operations come to what it can do is not known: \
                           run `calor machine` once";
            add_warning(&mut list, Warning::new("machine_not_measured", message));
        }
        add_above_roof(&mut list, &self.operations);
        let n_single = rows().filter(|row| spread_of_calls(&row.stats.timed).is_none()).count();
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
