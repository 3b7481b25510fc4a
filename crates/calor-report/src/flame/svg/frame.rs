//! The frames of the picture: which are drawn, and each with its tooltip and as much of its name as fits.

use std::fmt::Write as _;
use std::io::{self, Write};

use calor_analysis::{FlameNode, FlameTree};

use super::SvgOptions;
use crate::Escaped;
use crate::flame::markup::{frame_name, frame_short_name, shown};
use crate::flame::{ColourScheme, FlameKind, value};
use crate::text::printable::cut_back;

/// Height of a row.
pub(super) const ROW: f64 = 18.0;
/// Width of a letter of a frame's name: 12 px of a monospaced font, the widest of which take 0.61 of their size.
const LETTER: f64 = 7.3;
pub(super) const TITLE_LETTER: f64 = 9.5;
/// Between frames; those narrower than a few of it keep their width, or they would vanish.
const GAP: f64 = 0.6;
/// What was left out inside a frame is drawn where it is at least so wide, in pixels: otherwise it would look as if it
/// were the frame's own.
const LEFT_OUT_WIDTH: f64 = 1.0;
/// Names shorter than this say nothing.
const FEWEST_LETTERS: usize = 3;

/// Where frames are drawn.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
}

/// Which frames are drawn.
pub(super) struct Drawn {
    pub(super) nodes: Vec<usize>,
    pub(super) n_rows: usize,
    /// What a frame has to weigh to be drawn, where some are not.
    pub(super) left_out_below: Option<u64>,
    /// Where each of the nodes begins: callees stand side by side from where their caller does.
    start: Vec<u64>,
    /// What is inside each of the nodes in frames that are not drawn.
    pub(super) left_out: Vec<u64>,
    /// How much of that is drawn as a frame.
    least_left_out: u64,
    is_root_on_top: bool,
}

impl Drawn {
    pub(super) fn choose(tree: &FlameTree<'_>, options: &SvgOptions) -> Self {
        let totals = tree.totals();
        let mut least = (options.min_share() * tree.total() as f64).ceil() as u64;
        let max_frames = options.max_frames.max(1);
        if totals.iter().filter(|total| **total >= least).count() > max_frames {
            // The widest that does not fit tells how wide a frame has to be, and is left out itself.
            let mut totals = totals.to_vec();
            least = totals.select_nth_unstable_by(max_frames, |a, b| b.cmp(a)).1.saturating_add(1);
        }
        // The root is drawn even where nothing was recorded. A caller is as wide as what it calls, so what is
        // drawn hangs together.
        let nodes: Vec<usize> = (0..tree.len()).filter(|node| *node == 0 || totals[*node] >= least).collect();
        let (start, left_out) = laid_out(tree, &nodes);
        let narrowest = (LEFT_OUT_WIDTH / options.room() * tree.total() as f64).ceil() as u64;
        let least_left_out = narrowest.max(1);
        let depths = nodes.iter().map(|node| tree.node(*node).depth).zip(&left_out);
        let n_rows = depths.map(|(depth, left_out)| depth + 1 + usize::from(*left_out >= least_left_out));
        let n_rows = n_rows.max().unwrap_or(1);
        let is_root_on_top = options.is_root_on_top.unwrap_or(tree.options().is_inverted);
        let left_out_below = if nodes.len() < tree.len() { Some(least) } else { tree.left_out_below() };
        Self { nodes, n_rows, left_out_below, start, left_out, least_left_out, is_root_on_top }
    }

    fn top(&self, place: Place, depth: usize) -> f64 {
        let row = if self.is_root_on_top { depth } else { self.n_rows - 1 - depth };
        place.top + row as f64 * ROW
    }
}

/// Where each node that is drawn begins, and what it weighs beyond itself and its callees that are drawn.
fn laid_out(tree: &FlameTree<'_>, nodes: &[usize]) -> (Vec<u64>, Vec<u64>) {
    let mut places = vec![usize::MAX; tree.len()];
    let (mut start, mut left_out): (Vec<u64>, Vec<u64>) = Default::default();
    for (place, node) in nodes.iter().enumerate() {
        places[*node] = place;
        let node = tree.node(*node);
        let caller = node.parent.map(|caller| (places[caller], tree.node(caller)));
        start.push(
            caller.map_or(0, |(place, caller)| {
                start[place] + caller.total - caller.self_value - left_out[place]
            }),
        );
        left_out.push(node.total - node.self_value);
        if let Some((caller, _)) = caller {
            left_out[caller] -= node.total;
        }
    }
    (start, left_out)
}

pub(super) fn write(
    tree: &FlameTree<'_>,
    drawn: &Drawn,
    place: Place,
    scheme: ColourScheme,
    out: &mut impl Write,
) -> io::Result<()> {
    let names: Vec<String> = tree.frames().iter().map(frame_name).collect();
    let short_names: Vec<Option<String>> = tree.frames().iter().map(frame_short_name).collect();
    let colours: Vec<usize> = tree.frames().iter().map(|frame| scheme.place(frame)).collect();
    let scale = place.width / tree.total().max(1) as f64;
    let mut hint = String::new();
    // Callers for which what was left out is drawn once all of their callees are.
    let mut open: Vec<usize> = Vec::new();
    let depth = |at: usize| tree.node(drawn.nodes[at]).depth;
    for (at, node) in drawn.nodes.iter().enumerate() {
        let node = tree.node(*node);
        while let Some(caller) = open.pop_if(|caller| depth(*caller) >= node.depth) {
            write_left_out(tree, drawn, place, caller, out)?;
        }
        if drawn.left_out[at] >= drawn.least_left_out {
            open.push(at);
        }
        let width = if tree.is_empty() { place.width } else { node.total as f64 * scale };
        let left = place.left + drawn.start[at] as f64 * scale;
        let top = drawn.top(place, node.depth);
        let name = &names[node.frame_idx];
        let drawn_width = if width > 5.0 * GAP { width - GAP } else { width };
        hint.clear();
        describe(tree, &node, name, &mut hint);
        match &short_names[node.frame_idx] {
            Some(short) => write!(out, "<g data-short=\"{}\">", Escaped(short))?,
            None => write!(out, "<g>")?,
        }
        write!(
            out,
            "<title>{}</title><rect class=\"{}{}\" x=\"{left:.3}\" y=\"{top}\" width=\"{drawn_width:.3}\" height=\"{}\"/>",
            Escaped(&hint),
            scheme.letter(),
            colours[node.frame_idx],
            ROW - 1.0,
        )?;
        let n_letters = ((width - 6.0) / LETTER).max(0.0) as usize;
        if n_letters >= FEWEST_LETTERS {
            let label = cut_back(short_names[node.frame_idx].as_ref().unwrap_or(name), n_letters);
            write!(out, "<text x=\"{:.1}\" y=\"{}\">{}</text>", left + 3.0, top + 13.0, Escaped(&label))?;
        }
        writeln!(out, "</g>")?;
    }
    while let Some(caller) = open.pop() {
        write_left_out(tree, drawn, place, caller, out)?;
    }
    Ok(())
}

/// What was left out inside a frame, as one frame behind the callees that are drawn.
fn write_left_out(
    tree: &FlameTree<'_>,
    drawn: &Drawn,
    place: Place,
    at: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let scale = place.width / tree.total().max(1) as f64;
    let (caller, left_out) = (tree.node(drawn.nodes[at]), drawn.left_out[at]);
    // Behind it is what is the caller's own.
    let start = drawn.start[at] + caller.total - caller.self_value - left_out;
    let (left, width) = (place.left + start as f64 * scale, left_out as f64 * scale);
    let top = drawn.top(place, caller.depth + 1);
    let least = drawn.left_out_below.unwrap_or(0);
    write!(
        out,
        "<g class=\"left-out\"><title>(left out)\n{} ({}) in frames narrower than {}</title>\
         <rect class=\"left-out\" x=\"{left:.3}\" y=\"{top}\" width=\"{:.3}\" height=\"{}\"/>",
        value::text(tree.unit(), left_out),
        value::share(left_out, tree.total()),
        value::text(tree.unit(), least),
        if width > 5.0 * GAP { width - GAP } else { width },
        ROW - 1.0,
    )?;
    let n_letters = ((width - 6.0) / LETTER).max(0.0) as usize;
    if n_letters >= FEWEST_LETTERS {
        let label = cut_back("(left out)", n_letters);
        write!(out, "<text x=\"{:.1}\" y=\"{}\">{label}</text>", left + 3.0, top + 13.0)?;
    }
    writeln!(out, "</g>")
}

/// The tooltip: the name in its first line, which the script searches.
fn describe(tree: &FlameTree<'_>, node: &FlameNode<'_, '_>, name: &str, hint: &mut String) {
    let value = |value| value::text(tree.unit(), value);
    let share = |value| value::share(value, tree.total());
    let _ = write!(hint, "{name}\n{} ({})", value(node.total), share(node.total));
    // In an inverted tree what is left of a frame belongs to paths that begin with it.
    if !tree.options().is_inverted && node.parent.is_some() {
        let _ = write!(hint, ", self {} ({})", value(node.self_value), share(node.self_value));
    }
    if !matches!(node.frame.kind, FlameKind::All) {
        let _ = write!(hint, "\n{}", node.frame.kind.word());
    }
    if let Some(module) = node.frame.module {
        let _ = write!(hint, " in {}", shown(module));
    }
    if let Some(file) = node.frame.file {
        let _ = write!(hint, "\n{}", shown(file));
        if let Some(line) = node.frame.line {
            let _ = write!(hint, ":{line}");
        }
    }
}
