//! A flame graph as one SVG file. Without scripts it is a whole picture with tooltips; the script it carries lets
//! a browser zoom and search. Frames too narrow to be seen are left out, and the picture says how much is in them.

mod frame;
mod legend;
mod search;

use std::io::{self, Write};

use calor_analysis::quantity;
use calor_analysis::{FlameMetric, FlameTree, FlameTreeOptions};
use calor_model::Profile;

use super::ColourScheme;
use super::markup::shown;
use super::value;
use crate::Escaped;
use crate::text::printable::cut_back;
use legend::Legend;

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

impl SvgOptions {
    /// The part of the whole that the narrowest frame stands for.
    fn min_share(&self) -> f64 {
        (self.min_width.max(0.0) / self.room()).min(1.0)
    }

    /// The width that all frames have together.
    fn room(&self) -> f64 {
        f64::from(self.width.max(NARROWEST)) - 2.0 * SIDE
    }
}

/// Room around the frames.
const SIDE: f64 = 10.0;
const HEAD: f64 = 62.0;
/// Height of a line of what is said about the picture, and the width of its letters: 13 px of the system's font.
const LINE: f64 = 17.0;
const LETTER: f64 = 6.6;
const FOOT: f64 = 34.0;
/// Narrower pictures have no room for their own title.
const NARROWEST: u32 = 300;

/// Writes the picture of a metric. Frames that are too narrow for it never become part of a tree, which makes this
/// quick for large profiles.
///
/// # Errors
/// When `out` cannot be written to.
pub fn draw(
    profile: &Profile,
    metric: &FlameMetric,
    tree: FlameTreeOptions,
    options: &SvgOptions,
    out: impl Write,
) -> io::Result<()> {
    let max_nodes = Some(options.max_frames.min(tree.max_nodes.unwrap_or(usize::MAX)));
    let min_share = options.min_share().max(tree.min_share);
    write(&FlameTree::new(profile, metric, FlameTreeOptions { min_share, max_nodes, ..tree }), options, out)
}

/// Writes the picture of a tree.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write(tree: &FlameTree<'_>, options: &SvgOptions, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let width = f64::from(options.width.max(NARROWEST));
    let drawn = frame::Drawn::choose(tree, options);
    let legend = Legend::of(tree, &drawn, options.colours, options.room());
    let about = about(tree, &drawn, options.room());
    let lines = lines(&about, (options.room() / LETTER) as usize);
    let head = HEAD + (lines.len() - 1) as f64 * LINE;
    let top = head + legend.as_ref().map_or(0.0, Legend::height);
    let height = top + drawn.n_rows as f64 * frame::ROW + FOOT;
    let title = shown(&options.title);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\"{}\">",
        Escaped(&format!("{title}: {about}"))
    )?;
    writeln!(
        out,
        "<style>\n{}{}</style>",
        calor_web::style(&["picture/picture.css"]),
        palette(options.colours)
    )?;
    writeln!(out, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>")?;
    let room = (options.room() / frame::TITLE_LETTER) as usize;
    writeln!(out, "<text class=\"title\" x=\"{SIDE}\" y=\"24\">{}</text>", Escaped(&cut_back(&title, room)))?;
    write!(out, "<text class=\"about\" x=\"{SIDE}\" y=\"44\" data-line=\"{LINE}\">{}", Escaped(&lines[0]))?;
    for line in &lines[1..] {
        write!(out, "<tspan x=\"{SIDE}\" dy=\"{LINE}\">{}</tspan>", Escaped(line))?;
    }
    writeln!(out, "</text>")?;
    if let Some(legend) = legend {
        legend.write(SIDE, head + 3.0, &mut out)?;
    }
    let place = frame::Place { left: SIDE, top, width: options.room() };
    writeln!(out, "<g class=\"frames\" data-row=\"{}\">", frame::ROW)?;
    frame::write(tree, &drawn, place, options.colours, &mut out)?;
    writeln!(out, "</g>")?;
    search::write(tree, &drawn, &mut out)?;
    writeln!(out, "<text class=\"details\" x=\"{SIDE}\" y=\"{}\"> </text>", height - 13.0)?;
    // `]]>` does not occur in modules, which a test of theirs checks.
    let script = calor_web::script("pages/picture.js");
    writeln!(out, "<script><![CDATA[\n(() => {{\n'use strict';\n{script}}})();\n]]></script>\n</svg>")?;
    out.flush()
}

/// What is shown, and what is not.
fn about(tree: &FlameTree<'_>, drawn: &frame::Drawn, width: f64) -> String {
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
    about.push_str(&format!("; {} frames", quantity::count(drawn.nodes.len() as u64)));
    if let Some(least) = drawn.left_out_below {
        let narrowest = format!("{:.2}", least as f64 / tree.total() as f64 * width);
        let narrowest = narrowest.trim_end_matches('0').trim_end_matches('.');
        let left_out: u64 = drawn.left_out.iter().sum();
        let share = value::share(left_out, tree.total());
        about.push_str(&format!(
            ", those narrower than {narrowest} px left out with {share} of the total in them"
        ));
    }
    about
}

/// A text in lines of at most so many letters, broken between words.
fn lines(text: &str, n_letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= n_letters {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Styles of the colours: frames name a place in the palette, the reader's system chooses light or dark.
fn palette(scheme: ColourScheme) -> String {
    let palette = scheme.palette();
    let letter = scheme.letter();
    let rule = |(place, colour): (usize, &str)| format!(".flame .{letter}{place}{{fill:{colour}}}");
    let light = palette.iter().map(|shade| shade.light.as_str()).enumerate().map(rule);
    let dark = palette.iter().map(|shade| shade.dark.as_str()).enumerate().map(rule);
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
    fn long_texts_are_broken_between_words() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("incomprehensibilities", 7), ["incomprehensibilities"]);
        assert_eq!(lines("", 7), [""]);
    }
}
