//! Causes as bars, each as long as its part of the gap, with what it is drawn from.

use std::fmt::Write;

use calor_analysis::Why;
use calor_analysis::quantity::duration;

use super::sentence;
use crate::html::escape::escaped;

pub(super) fn draw(why: &Why) -> String {
    let name = ['A', 'B'][why.slower];
    let mut part = format!(
        "<p class=\"intro\">A call of {name} takes {:.1} times as long: {} of A, {} of B ({}). A bar is its cause's part of that \
         gap.</p>\n<div class=\"causes\">\n",
        why.ratio(),
        duration(why.nanos[0]),
        duration(why.nanos[1]),
        why.clock.name()
    );
    for reason in &why.reasons {
        bar(&mut part, "cause", reason.cause.name(), reason.share);
        part.push_str("<ul>\n");
        for told in &reason.evidence {
            let _ = writeln!(part, "<li>{}</li>", sentence(told));
        }
        let _ = write!(part, "<li class=\"try\">Try: {}</li>\n</ul>\n", escaped(reason.cause.advice()));
    }
    if why.unexplained >= 0.005 {
        bar(&mut part, "cause rest", "unexplained", why.unexplained);
    }
    part.push_str("</div>\n");
    part
}

fn bar(part: &mut String, class: &str, name: &str, share: f64) {
    let _ = writeln!(
        part,
        "<div class=\"{class}\" style=\"--share:{:.1}%\"><b>{}</b><span>{}</span></div>",
        (100.0 * share).clamp(0.0, 100.0),
        escaped(&format!("{:.0} %", 100.0 * share)),
        escaped(name)
    );
}
