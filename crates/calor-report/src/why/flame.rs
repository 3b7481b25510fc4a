//! Flame graphs of both sides and of both in one. Widths are time of a call, so that the sides can be compared whatever
//! they were recorded for; in the one of both, colour tells on which side a frame takes longer.

use std::fmt::Write;

use calor_analysis::quantity::duration;
use calor_analysis::{FlameUnion, UnionFrame};
use calor_model::Profile;

use crate::html::escape::escaped;

/// Frames narrower than this part of the picture cannot be seen.
const LEAST: f64 = 0.001;
/// The height of a frame, in pixels.
const ROW: usize = 19;
/// A frame that takes this part of the widest longer on a side is coloured.
const COLOURED: f64 = 0.01;

type Side<'p> = Option<(&'p Profile, f64)>;

/// The sections: of both, of A, of B.
pub(super) fn draw(sides: [Side<'_>; 2]) -> Vec<(&'static str, &'static str, String)> {
    let [a, b] = sides;
    let mut parts = Vec::new();
    for (id, title, chosen, is_of_both) in [
        ("flame-both", "Flame graph of both", [a, b], true),
        ("flame-a", "Flame graph of A", [a, None], false),
        ("flame-b", "Flame graph of B", [None, b], false),
    ] {
        if is_of_both && (a.is_none() || b.is_none()) {
            continue;
        }
        if let Some(union) = FlameUnion::by_call(chosen, "cpu", LEAST) {
            parts.push((id, title, picture(&union, is_of_both)));
        }
    }
    parts
}

fn picture(union: &FlameUnion, is_of_both: bool) -> String {
    let deepest = union.frames.iter().map(|frame| frame.depth).max().unwrap_or(0);
    let intro = match is_of_both {
        true => {
            "A frame is as wide as the larger of its sides needs for a call; red takes longer in B, green in A."
        }
        false => "CPU time of a call.",
    };
    let mut part = format!(
        "<p class=\"intro\">{intro} A click widens a frame.</p>\n<div class=\"union\" style=\"height:{}px\">\n",
        (deepest + 1) * ROW
    );
    let whole = union.frames.first().map_or(0.0, |frame| frame.before.max(frame.after));
    for frame in &union.frames {
        draw_frame(frame, whole, is_of_both, &mut part);
    }
    part.push_str("</div>\n");
    part
}

fn draw_frame(frame: &UnionFrame, whole: f64, is_of_both: bool, part: &mut String) {
    let more = (frame.after - frame.before) / whole.max(f64::MIN_POSITIVE);
    let class = match is_of_both {
        false => "alone",
        true if more > COLOURED => "worse",
        true if more < -COLOURED => "better",
        true => "",
    };
    let name = if frame.depth == 0 { "all" } else { &frame.name };
    let hint = match is_of_both {
        true => format!("{name}\n{} a call of A, {} of B", duration(frame.before), duration(frame.after)),
        false => format!("{name}\n{} a call", duration(frame.before.max(frame.after))),
    };
    let _ = writeln!(
        part,
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
