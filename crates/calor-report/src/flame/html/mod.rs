//! A flame graph as an interactive page: one file that needs no network, drawn on a canvas by the modules of
//! `calor-web`. The same graph comes as a [`Fragment`] for pages that hold more than it.

mod data;

use std::fmt::Write as _;
use std::io::{self, Write};

use calor_analysis::quantity;
use calor_analysis::{FlameColumns, FlameInput};
use calor_model::Profile;

use super::ColourScheme;
use super::markup::shown;
use crate::Escaped;

/// The style of a graph, and what a page adds that holds nothing else.
const STYLE: &str = "flame/flame.css";
const ALONE_STYLE: &str = "flame/alone.css";

/// Shares below which frames can be hidden, with their words.
const MIN_SHARES: [(&str, &str); 5] =
    [("0", "nothing"), ("0.001", "0.1 %"), ("0.005", "0.5 %"), ("0.01", "1 %"), ("0.05", "5 %")];

/// How the page is made.
#[derive(Clone, PartialEq, Debug)]
pub struct HtmlOptions {
    /// At most so many call paths are written, those that weigh most; a browser has to open the page.
    pub max_paths: usize,
    /// What the page opens with.
    pub view: FirstView,
}

/// What a page shows before its reader changes it; there is a control for each of these.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FirstView {
    /// Whether it starts at the innermost frames and leads to their callers.
    pub is_inverted: bool,
    /// Whether each thread is a tree of its own.
    pub is_by_thread: bool,
    /// What colours tell.
    pub colours: ColourScheme,
    /// Frames that weigh less than this part of the whole are hidden.
    pub min_share: f64,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        Self { max_paths: 400_000, view: FirstView::default() }
    }
}

impl FirstView {
    /// As attributes of the graph's element; what is usual is not said.
    fn attributes(&self) -> String {
        let mut attributes = String::new();
        if self.is_inverted {
            attributes.push_str(" data-inverted");
        }
        if self.is_by_thread {
            attributes.push_str(" data-by-thread");
        }
        if self.colours != ColourScheme::default() {
            let _ = write!(attributes, " data-colour=\"{}\"", self.colours.word());
        }
        if self.min_share > 0.0 {
            let _ = write!(attributes, " data-min-share=\"{}\"", self.min_share.min(1.0));
        }
        attributes
    }
}

/// A flame graph for a page that holds more, whose script is a module of `calor-web` that starts flame graphs. Classes
/// and properties begin with `flame`. A page with colours of its own sets `--flame-page`, `--flame-ink` and the others
/// of `.flame`.
pub struct Fragment {
    /// The inside of a `style` element.
    pub style: String,
    /// A `section` element with the graph and its data.
    pub markup: String,
}

/// The graph without a page around it.
#[must_use]
pub fn fragment(profile: &Profile, input: &FlameInput, options: &HtmlOptions) -> Fragment {
    Fragment { style: calor_web::style(&[STYLE]), markup: markup(profile, input, options, false) }
}

/// Writes a page of its own.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write(
    profile: &Profile,
    input: &FlameInput,
    options: &HtmlOptions,
    mut out: impl Write,
) -> io::Result<()> {
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"generator\" content=\"calor {}\">\n<title>{} - flame graph</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        Escaped(&shown(&input.title)),
        calor_web::style(&[STYLE, ALONE_STYLE]),
    )?;
    out.write_all(markup(profile, input, options, true).as_bytes())?;
    let script = calor_web::script("pages/flame.js");
    write!(out, "<script type=\"module\">\n{script}</script>\n</body>\n</html>\n")?;
    out.flush()
}

fn markup(profile: &Profile, input: &FlameInput, options: &HtmlOptions, is_alone: bool) -> String {
    let columns = FlameColumns::new(profile, input, options.max_paths);
    let mut markup = String::new();
    let alone = if is_alone { " data-alone" } else { "" };
    let view = options.view.attributes();
    let _ = writeln!(markup, "<section class=\"flame\"{alone}{view} aria-label=\"Flame graph\">");
    if is_alone {
        let _ = writeln!(markup, "<h1>{}</h1>", Escaped(&shown(&input.title)));
    }
    let data = data::json(&columns);
    match data {
        Ok(data) if !columns.is_empty() => graph(&columns, &data, is_alone, &mut markup),
        _ => markup.push_str(
            "<p>Nothing to draw: the profile holds no scopes, samples, allocations or GPU kernels.</p>\n",
        ),
    }
    markup.push_str("</section>\n");
    markup
}

/// Controls, canvas and data.
fn graph(columns: &FlameColumns<'_>, data: &str, is_alone: bool, markup: &mut String) {
    let metrics = columns.metrics.iter().map(|metric| (metric.id.as_str(), metric.name.as_str()));
    let colours = ColourScheme::ALL.map(|scheme| match scheme {
        ColourScheme::Hot => (scheme.word(), "warm"),
        ColourScheme::Module => (scheme.word(), "by module"),
        ColourScheme::Kind => (scheme.word(), "by kind"),
    });
    markup.push_str("<div class=\"flame-bar\">\n");
    select("metric", "Metric", metrics, markup);
    markup.push_str(
        "<label><input type=\"checkbox\" data-flame=\"inverted\"> Invert</label>\n\
         <label><input type=\"checkbox\" data-flame=\"byThread\"> By thread</label>\n",
    );
    select("colour", "Colours", colours.into_iter(), markup);
    select("minShare", "Hide below", MIN_SHARES.into_iter(), markup);
    markup.push_str(
        "<input type=\"search\" data-flame=\"search\" placeholder=\"Search: text or /regex/\" aria-label=\"Search for frames\">\n\
         <button type=\"button\" data-flame=\"reset\">Reset</button>\n\
         </div>\n<div class=\"flame-place\">\n\
         <nav class=\"flame-trail\" data-flame=\"trail\" aria-label=\"In view\"></nav>\n\
         <span class=\"flame-found\" data-flame=\"found\" role=\"status\"></span>\n</div>\n\
         <div class=\"flame-legend\" data-flame=\"legend\" aria-label=\"Colours\" hidden></div>\n\
         <div class=\"flame-body\">\n<div class=\"flame-stage\">\n\
         <canvas tabindex=\"0\" role=\"application\" aria-label=\"Flame graph: arrows walk from frame to frame, \
         Enter zooms, Escape steps back\"></canvas>\n\
         <div class=\"flame-hint\" data-flame=\"hint\" hidden></div>\n</div>\n\
         <aside class=\"flame-details\" data-flame=\"details\" aria-label=\"Chosen frame\" hidden></aside>\n</div>\n\
         <p class=\"flame-note\">",
    );
    // Inside a longer page the wheel scrolls that page until the graph was clicked.
    markup.push_str(if is_alone { "Click or wheel zooms" } else { "Click zooms, then also the wheel" });
    markup.push_str(
        ", drag pans; <kbd>/</kbd> search, <kbd>+</kbd> <kbd>-</kbd> zoom, arrows walk, <kbd>Enter</kbd> zoom to \
         the chosen frame, <kbd>i</kbd> invert, <kbd>t</kbd> threads, <kbd>c</kbd> copy name, <kbd>Esc</kbd> back",
    );
    if columns.n_left_out > 0 {
        let n = quantity::count(columns.n_left_out as u64);
        let _ =
            write!(markup, ". {n} paths that weigh least stand as <q>(left out)</q> inside their callers");
    }
    let _ = write!(
        markup,
        "</p>\n<div class=\"flame-status\" data-flame=\"status\" role=\"status\"></div>\n\
         <noscript><p>This graph is drawn by a script, which is blocked here. The SVG flame graph needs none.</p></noscript>\n\
         <script type=\"application/json\" class=\"flame-data\">{data}</script>\n"
    );
}

fn select<'t>(
    name: &str,
    label: &str,
    choices: impl Iterator<Item = (&'t str, &'t str)>,
    markup: &mut String,
) {
    let _ = write!(markup, "<label>{label} <select data-flame=\"{name}\">");
    for (value, text) in choices {
        let _ =
            write!(markup, "<option value=\"{}\">{}</option>", Escaped(&shown(value)), Escaped(&shown(text)));
    }
    markup.push_str("</select></label>\n");
}
