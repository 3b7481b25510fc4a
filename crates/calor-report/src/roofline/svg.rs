//! The picture alone, as one file: a dot tells about itself when it is pointed at, without any script.

use calor_analysis::RooflineAnswer;

use super::picture;
use super::scale::LEFT;
use crate::html::escape::escaped;
use crate::text::printable::cut_back;

/// The colours that a page brings along otherwise.
const COLOURS: &str = "\
.roofline { --card: #fffefb; --ink: #1f1d1a; --quiet: #6f6a61; --line: #e4e0d8; --accent: #b4430f; }
@media (prefers-color-scheme: dark) {
  .roofline { --card: #1e1d1a; --ink: #ebe7e0; --quiet: #a09a8f; --line: #34312c; --accent: #ff9a62; }
}
";

/// Letters of a title.
const LONGEST: usize = 110;

pub(super) fn page(facts: &RooflineAnswer<'_>) -> String {
    let mut drawn = String::new();
    picture::draw(facts, &mut drawn);
    let (opening, rest) = drawn.split_once('\n').unwrap_or((&drawn, ""));
    let rest = rest.trim_end().trim_end_matches("</svg>");
    // A page has a heading instead.
    let title = escaped(&cut_back(facts.subject(), LONGEST));
    format!(
        "{opening}\n<style>\n{COLOURS}{}</style>\n{rest}<text class=\"axis\" x=\"{LEFT}\" y=\"14\">Roofline of {title}</text>\n</svg>\n",
        calor_web::style(&["chart/roofline.css"])
    )
}
