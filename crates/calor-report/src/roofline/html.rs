//! The picture and the tables as one page for a browser, in the look of a report.

use calor_analysis::RooflineAnswer;

use super::picture;
use crate::html::{draw, frame};
use crate::section::roofline::sections;

const STYLES: [&str; 3] = ["chart/roofline.css", "chart/dots.css", "chart/plot.css"];
const KEYS: &str = "<p class=\"keys\"><span class=\"near\">70 % of its roof or more: little to gain here</span>\
    <span class=\"between\">30 to 70 %</span><span class=\"far\">less than 30 %</span>\
    <span>A dot is as large as its part of the time; solid lines are what one core can do, dashes what all cores can.</span></p>\n";

pub(super) fn page(facts: &RooflineAnswer<'_>, top: Option<usize>) -> String {
    let mut body = String::from("<main>\n<section class=\"wide\" id=\"picture\">\n<h2>Roofline</h2>\n");
    picture::draw(facts, &mut body);
    body.push_str(KEYS);
    body.push_str("</section>\n");
    // What scopes did is read before what the machine can do.
    let mut sections = sections(facts, top);
    if sections.len() > 1 {
        sections.swap(0, 1);
    }
    sections.iter().for_each(|section| draw(section, &mut body));
    body.push_str("</main>\n");
    frame("Calor roofline", facts.subject(), "pages/charts.js", &STYLES, &body)
}
