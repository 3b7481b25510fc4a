//! A roofline with what has to be known to believe it: which scopes came above their roof, and whether they had a core to
//! themselves.

use calor_model::{Profile, Warning};

use crate::quantity::{counted, duration, percent};
use crate::{
    CallTree, Error, MachineRoof, NodeId, RoofNumber, Roofline, RooflinePoint, ThreadChoice, TreeOptions,
    roofline, selection,
};

/// Rates up to this are at the roof: both were measured.
pub(crate) const ABOVE_ROOF: f64 = 1.05;
/// Scopes that were on processors for a smaller part of their time than this did not have a core to themselves.
const LEAST_RUNNING: f64 = 0.8;

/// The scopes of a profile under the roofs of a machine.
pub struct RooflineAnswer<'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// Its scopes.
    pub tree: CallTree<'p>,
    /// What the machine can do.
    pub roof: &'p MachineRoof,
    /// Where the scopes are under it.
    pub found: Roofline,
    /// What has to be known of it, and what the profile did not see.
    pub warnings: Vec<Warning>,
}

impl<'p> RooflineAnswer<'p> {
    /// The scopes of the chosen threads under the roofs for numbers of a size. `warnings` are what has to be known of the
    /// roofs.
    ///
    /// # Errors
    /// When there is no thread of a chosen name.
    pub fn new(
        profile: &'p Profile,
        roof: &'p MachineRoof,
        warnings: &[Warning],
        number: RoofNumber,
        threads: &ThreadChoice,
    ) -> Result<Self, Error> {
        selection::check_thread(profile, threads)?;
        let options = TreeOptions { threads: threads.clone(), ..TreeOptions::default() };
        let tree = CallTree::of_scopes(profile, &options);
        let found = roofline(&tree, roof, number);
        let mut warnings: Vec<Warning> = warnings.iter().chain(&profile.warnings).cloned().collect();
        warnings.extend(kept_from_running(&tree, &found));
        warnings.extend(above_roof(&tree, &found));
        Ok(Self { profile, tree, roof, found, warnings })
    }

    /// What was run.
    #[must_use]
    pub fn subject(&self) -> &'p str {
        self.profile.runs.first().and_then(|run| run.command.as_deref()).unwrap_or("profile")
    }

    /// The sizes of numbers that roofs are of: as asked for, and as scopes reported.
    pub fn numbers(&self) -> impl Iterator<Item = RoofNumber> {
        let is_used = |number: &RoofNumber| {
            *number == self.found.number || self.found.points.iter().any(|point| point.number == *number)
        };
        RoofNumber::ALL.into_iter().filter(is_used)
    }
}

/// Rates are by the clock, but of scopes that told their CPU time. Others that told their work and together took much longer than
/// the program was on processors waited, or were kept from running.
fn kept_from_running(tree: &CallTree<'_>, found: &Roofline) -> Option<Warning> {
    let cpu = tree.profile().runs.iter().map(|run| run.cpu_nanos).reduce(|a, b| Some(a?.saturating_add(b?)));
    let cpu = cpu.flatten()? as f64;
    let by_clock = || found.points.iter().filter(|point| point.cpu_nanos.is_none());
    let is_told = |id: NodeId| by_clock().any(|point| point.node == id);
    let is_outermost = |id: NodeId| {
        let mut callers = std::iter::successors(tree.node(id).parent, |caller| tree.node(*caller).parent);
        !callers.any(is_told)
    };
    let outermost = by_clock().map(|point| point.node).filter(|id| is_outermost(*id));
    let inside: f64 = outermost.map(|id| tree.node(id).inclusive_nanos as f64).sum();
    (cpu < LEAST_RUNNING * inside).then(|| {
        let message = format!(
            "scopes that told their work took {}, and the program was on processors for {} in all: unless they wait, the machine was \
             busy with others, and parts of the roof are too small by up to {:.1} times; record on a machine with less to do",
            duration(inside),
            duration(cpu),
            inside / cpu.max(1.0)
        );
        Warning::new("kept_from_running", message)
    })
}

/// Said where scopes came to more than their roof by more than such measurements differ: it is not the highest there is.
fn above_roof(tree: &CallTree<'_>, found: &Roofline) -> Option<Warning> {
    let share = |point: &RooflinePoint| point.roof_share.filter(|share| *share > ABOVE_ROOF);
    let above: Vec<(f64, NodeId)> =
        found.points.iter().filter_map(|point| Some((share(point)?, point.node))).collect();
    let (share, node) = above.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let message = format!(
        "{} above the roof, `{}` at {}: what memory delivers is measured by reading and by a triad of three arrays, and a loop that \
         writes where it reads can get more; or others disturbed the measurement, which `calor machine --fresh` makes again",
        counted(above.len() as u64, "scope"),
        tree.name(node),
        percent(share)
    );
    Some(Warning::counted("above_roof", message, above.len() as u64))
}
