//! A flame graph as one SVG file. Without scripts it is a whole picture with tooltips; the script it carries lets
//! a browser zoom and search. Frames too narrow to be seen are left out, and the picture says how many.

mod frame;

use std::io::{self, Write};

use calor_analysis::FlameTree;

use super::ColourScheme;
use super::markup::{Escaped, shown};
use super::value;
use crate::quantity;
use crate::text::printable::cut_back;

const STYLE: &str = include_str!("picture.css");
const SCRIPT: &str = include_str!("picture.js");

/// How the picture is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct SvgOptions {
    /// What stands above it.
    pub title: String,
    /// Its width in pixels; a browser that runs the script fits it to the window.
    pub width: u32,
    /// Frames narrower than this many pixels are left out.
    pub min_width: f64,
    /// At most so many frames are drawn, the widest; a browser has to open the file.
    pub max_frames: usize,
    /// What colours tell.
    pub colours: ColourScheme,
    /// Whether the root stands above what it calls; by default only in inverted trees.
    pub is_root_on_top: Option<bool>,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self {
            title: "Flame graph".to_owned(),
            width: 1200,
            min_width: 0.1,
            max_frames: 15_000,
            colours: ColourScheme::Hot,
            is_root_on_top: None,
        }
    }
}

/// Room around the frames.
const SIDE: f64 = 10.0;
const HEAD: f64 = 62.0;
const FOOT: f64 = 34.0;
/// Narrower pictures have no room for their own title.
const NARROWEST: u32 = 300;

/// Writes the picture of a tree.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write(tree: &FlameTree<'_>, options: &SvgOptions, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let width = f64::from(options.width.max(NARROWEST));
    let drawn = frame::Drawn::choose(tree, width - 2.0 * SIDE, options);
    let height = HEAD + drawn.n_rows as f64 * frame::ROW + FOOT;
    let title = shown(&options.title);
    let about = about(tree, &drawn);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\"{}\">",
        Escaped(&format!("{title}: {about}"))
    )?;
    writeln!(out, "<style>\n{STYLE}{}</style>", palette(options.colours))?;
    writeln!(out, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>")?;
    let room = ((width - 2.0 * SIDE) / frame::TITLE_LETTER) as usize;
    writeln!(out, "<text class=\"title\" x=\"{SIDE}\" y=\"24\">{}</text>", Escaped(&cut_back(&title, room)))?;
    writeln!(out, "<text class=\"about\" x=\"{SIDE}\" y=\"44\">{}</text>", Escaped(&about))?;
    let place = frame::Place { left: SIDE, top: HEAD, width: width - 2.0 * SIDE };
    writeln!(out, "<g class=\"frames\" data-row=\"{}\">", frame::ROW)?;
    frame::write(tree, &drawn, place, options.colours, &mut out)?;
    writeln!(out, "</g>")?;
    writeln!(out, "<text class=\"details\" x=\"{SIDE}\" y=\"{}\"> </text>", height - 13.0)?;
    // `]]>` does not occur in the script, which a test checks.
    writeln!(out, "<script><![CDATA[\n{SCRIPT}]]></script>\n</svg>")?;
    out.flush()
}

/// What is shown, and what is not.
fn about(tree: &FlameTree<'_>, drawn: &frame::Drawn) -> String {
    if tree.is_empty() {
        return format!("{}: nothing was recorded", tree.metric());
    }
    let options = tree.options();
    let mut about = format!("{}, {}", tree.metric(), value::text(tree.unit(), tree.total()));
    if options.is_by_thread {
        about.push_str(", by thread");
    }
    if options.is_inverted {
        about.push_str(", inverted: callers stand below what they call");
    }
    let n_drawn = drawn.nodes.len();
    about.push_str(&format!("; {} frames", quantity::count(n_drawn as u64)));
    let n_left_out = tree.len() - n_drawn;
    if n_left_out > 0 {
        let left_out = quantity::count(n_left_out as u64);
        about.push_str(&format!(", {left_out} narrower than {} px left out", drawn.min_width_text()));
    }
    about
}

/// Styles of the colours: frames name a place in the palette, the reader's system chooses light or dark.
fn palette(scheme: ColourScheme) -> String {
    let palette = scheme.palette();
    let light = palette.iter().enumerate().map(|(place, shade)| format!(".c{place}{{fill:{}}}", shade.light));
    let dark = palette.iter().enumerate().map(|(place, shade)| format!(".c{place}{{fill:{}}}", shade.dark));
    format!(
        "{}\n@media (prefers-color-scheme: dark) {{\n{}\n}}\n",
        light.collect::<String>(),
        dark.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_does_not_end_its_own_section() {
        assert!(!SCRIPT.contains("]]>") && !STYLE.contains("</"));
    }
}
