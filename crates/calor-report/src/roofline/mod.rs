//! Pages about scopes under the roofs of a machine: a table for reading, and the picture that the model is known by.

mod html;
mod json;
mod label;
mod picture;
mod roofs;
mod scale;
mod svg;

use std::io::Write;

use calor_analysis::quantity::{counted, duration, percent};
use calor_analysis::{
    CallTree, MachineRoof, NodeId, RoofNumber, Roofline, RooflinePoint, ThreadChoice, TreeOptions, roofline,
    selection,
};
use calor_model::{Profile, Warning};

use crate::section::roofline::sections;
use crate::text::palette::Palette;
use crate::{Error, markdown, text};

/// Rates up to this are at the roof: both were measured.
pub(crate) const ABOVE_ROOF: f64 = 1.05;
/// Scopes that were on processors for a smaller part of their time than this did not have a core to themselves.
const LEAST_RUNNING: f64 = 0.8;

/// How a page about a roofline looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RooflineFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a comment or a wiki.
    Markdown,
    /// For programs.
    Json,
    /// For a browser: picture and table in one file that needs nothing else.
    Html,
    /// The picture alone.
    Svg,
}

/// Options of a page about a roofline.
#[derive(Clone, Debug, Default)]
pub struct RooflineOptions {
    /// How it looks.
    pub format: RooflineFormat,
    /// The size of numbers that the roofs are of.
    pub number: RoofNumber,
    /// Whose scopes are taken.
    pub threads: ThreadChoice,
    /// How many scopes are listed at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// What the pages are made of.
pub(crate) struct Facts<'p> {
    pub(crate) profile: &'p Profile,
    pub(crate) tree: CallTree<'p>,
    pub(crate) roof: &'p MachineRoof,
    pub(crate) found: Roofline,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) top: Option<usize>,
}

impl Facts<'_> {
    /// What was run.
    pub(crate) fn subject(&self) -> &str {
        self.profile.runs.first().and_then(|run| run.command.as_deref()).unwrap_or("profile")
    }

    /// The sizes of numbers that roofs are of: as asked for, and as scopes told.
    fn numbers(&self) -> impl Iterator<Item = RoofNumber> {
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

/// Writes a page about the scopes of a profile under the roofs of a machine. `warnings` are what has to be known of the roofs;
/// those of the profile come with it.
///
/// # Errors
/// When there is no thread of a chosen name, or `out` cannot be written to.
pub fn render_roofline(
    profile: &Profile,
    roof: &MachineRoof,
    warnings: &[Warning],
    options: &RooflineOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    selection::check_thread(profile, &options.threads)?;
    let tree = CallTree::of_scopes(
        profile,
        &TreeOptions { threads: options.threads.clone(), ..TreeOptions::default() },
    );
    let found = roofline(&tree, roof, options.number);
    let mut warnings: Vec<Warning> = warnings.iter().chain(&profile.warnings).cloned().collect();
    warnings.extend(kept_from_running(&tree, &found));
    warnings.extend(above_roof(&tree, &found));
    let facts = Facts { profile, tree, roof, found, warnings, top: options.top };
    let page = match options.format {
        RooflineFormat::Text => {
            text::sections(&sections(&facts), options.width, Palette { is_coloured: options.color })
        }
        RooflineFormat::Markdown => markdown::sections(&sections(&facts)),
        RooflineFormat::Json => json::page(&facts)?,
        RooflineFormat::Html => html::page(&facts),
        RooflineFormat::Svg => svg::page(&facts),
    };
    Ok(out.write_all(page.as_bytes())?)
}
