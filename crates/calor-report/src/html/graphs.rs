//! What a page draws with its script: the flame graph, and the timeline where one was recorded.

use std::fmt::Write;

use super::escape::escaped;
use super::timeline::Timeline;
use crate::flame::FlameInput;
use crate::flame::html::{Fragment, HtmlOptions, fragment};
use crate::report::Report;

/// What the flame graph may take of a page, and with how many paths that is tried first.
const MOST_FLAME_BYTES: usize = 600_000;
const MOST_PATHS: usize = 20_000;

/// The graphs of a page; a profile may have neither.
pub(super) struct Graphs {
    flame: Option<Fragment>,
    timeline: Option<Timeline>,
}

impl Graphs {
    pub(super) fn of(report: &Report<'_>) -> Self {
        let profile = report.answer.on_chosen_threads();
        let input = FlameInput::of_profile(&profile);
        let mut max_paths = MOST_PATHS;
        let flame = (!input.metrics.is_empty()).then(|| {
            loop {
                let fragment =
                    fragment(&profile, &input, &HtmlOptions { max_paths, ..HtmlOptions::default() });
                if fragment.markup.len() <= MOST_FLAME_BYTES || max_paths < 100 {
                    break fragment;
                }
                max_paths /= 2;
            }
        });
        Self { flame, timeline: Timeline::of(&profile) }
    }

    pub(super) fn style(&self) -> &str {
        self.flame.as_ref().map_or("", |flame| &flame.style)
    }

    /// The module that draws what there is.
    pub(super) fn script(&self) -> &'static str {
        match (&self.flame, &self.timeline) {
            (None, None) => "pages/sections.js",
            _ => "pages/report.js",
        }
    }

    /// The anchors of what is drawn, and what they are called.
    pub(super) fn titles(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let flame = self.flame.is_some().then_some(("flame", "Flame graph"));
        flame.into_iter().chain(self.timeline.is_some().then_some(("timeline", "Timeline")))
    }

    pub(super) fn draw(&self, page: &mut String) {
        if let Some(flame) = &self.flame {
            let _ = write!(
                page,
                "<section id=\"flame\" class=\"wide\">\n<h2>Flame graph</h2>\n{}</section>\n",
                flame.markup
            );
        }
        if let Some(timeline) = &self.timeline {
            draw_timeline(timeline, page);
        }
    }
}

fn draw_timeline(timeline: &Timeline, page: &mut String) {
    let _ = write!(
        page,
        "<section id=\"timeline\" class=\"wide timeline\">\n<h2>Timeline</h2>\n<p class=\"intro\">{}</p>\n\
         <div class=\"timeline-bar tools\">\n\
         <button type=\"button\" data-timeline=\"zoom-in\">Zoom in</button>\n\
         <button type=\"button\" data-timeline=\"zoom-out\">Zoom out</button>\n\
         <button type=\"button\" data-timeline=\"reset\">Reset</button>\n\
         <span class=\"timeline-range\" data-timeline=\"range\"></span>\n</div>\n\
         <div class=\"timeline-frame\">\n<div class=\"timeline-stage\" data-timeline=\"stage\">\n\
         <div class=\"timeline-spacer\" data-timeline=\"spacer\"></div>\n\
         <canvas data-timeline=\"canvas\" tabindex=\"0\" role=\"application\" \
         aria-label=\"Timeline: plus and minus zoom, left and right move, up and down scroll\"></canvas>\n</div>\n\
         <div class=\"timeline-hint\" data-timeline=\"hint\" hidden></div>\n</div>\n\
         <p class=\"note\">Drag pans, Ctrl and wheel zooms, a double click zooms to a span; <kbd>+</kbd> <kbd>-</kbd> zoom, \
         arrows move, <kbd>0</kbd> all.</p>\n\
         <noscript><p>The timeline is drawn by a script, which is blocked here.</p></noscript>\n\
         <script type=\"application/json\" data-timeline=\"data\">{}</script>\n</section>\n",
        escaped(&timeline.intro),
        timeline.data
    );
}
