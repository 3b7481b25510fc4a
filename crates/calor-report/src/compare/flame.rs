//! The flame graph of both sides in one: everything is in it, whichever side it is of, and a frame has a colour only where
//! its function changed by more than chance. A click widens a frame; without its script the page shows the whole.

use std::fmt::Write;

use calor_analysis::comparison::Comparison;
use calor_analysis::quantity::{count, signed_percent};
use calor_analysis::{FlameUnion, UnionFrame};

use super::words;
use crate::document::Tone;
use crate::html::escape::escaped;

/// The height of a frame, in pixels.
const ROW: usize = 19;

pub(super) fn draw(compared: &Comparison, union: &FlameUnion, page: &mut String) {
    let deepest = union.frames.iter().map(|frame| frame.depth).max().unwrap_or(0);
    let left_out = match union.n_left_out {
        0 => String::new(),
        n => format!(" {} frames are too narrow to be drawn.", count(n as u64)),
    };
    let colours = match compared.is_of_other_work() {
        true => "",
        false => {
            " Colour tells that its function changed, pale colour that it is new, vanished or suspected; grey, that it did not \
             change or that nobody knows."
        }
    };
    let _ = write!(
        page,
        "<section id=\"flame\" class=\"wide\">\n<h2>Flame graph of both</h2>\n<p class=\"intro\">A frame is as wide as the \
         larger of its sides needs, with what it calls.{colours}{left_out}</p>\n<div class=\"union\" style=\"height:{}px\">\n",
        (deepest + 1) * ROW
    );
    union.frames.iter().for_each(|frame| draw_frame(compared, frame, page));
    page.push_str("</div>\n</section>\n");
}

fn draw_frame(compared: &Comparison, frame: &UnionFrame, page: &mut String) {
    let unit = compared.metric.unit();
    // Of different models none became slower or faster.
    let is_judged = !compared.is_of_other_work();
    let function = frame.function_idx.filter(|_| is_judged).map(|at| &compared.difference.functions[at]);
    let tone = function.map(|it| words::function_tone(compared, it)).unwrap_or_default();
    let word = function.map(|it| compared.word_of(it));
    let class = match (tone, word, frame.after > frame.before) {
        (Tone::Worse, ..) => "worse",
        (Tone::Better, ..) => "better",
        (_, Some("new" | "suspected" | "vanished"), true) => "maybe worse",
        (_, Some("new" | "suspected" | "vanished"), false) => "maybe better",
        _ => "",
    };
    let name = if frame.depth == 0 { "all" } else { &frame.name };
    let change = match frame.before > 0.0 && frame.after > 0.0 {
        true => format!(" ({})", signed_percent(frame.after / frame.before - 1.0)),
        false => String::new(),
    };
    let verdict = word.map(|word| format!("\nitself: {word}")).unwrap_or_default();
    let hint = format!(
        "{name}\n{} before, {} after, {}{change}{verdict}",
        unit.text(frame.before),
        unit.text(frame.after),
        unit.signed(frame.after - frame.before)
    );
    let _ = writeln!(
        page,
        "<div tabindex=\"0\" class=\"{class}\" data-left=\"{left:.6}\" data-width=\"{width:.6}\" \
         style=\"left:{:.3}%;width:{:.3}%;top:{}px\" title=\"{}\">{}</div>",
        frame.left * 100.0,
        frame.width * 100.0,
        frame.depth * ROW,
        escaped(&hint),
        escaped(name),
        left = frame.left,
        width = frame.width,
    );
}
