//! Flame graphs: a picture of where a metric weighs, as an [`svg`] file or as an interactive [`html`] page.
//!
//! **You bring** a profile and a [`FlameInput`], collected with [`FlameInput::of_profile`] or filled by hand.
//! **You get** one file that needs no network. The SVG is a whole picture without its script; the page draws on a
//! canvas and can change the metric, turn the graph around and take threads apart.
//!
//! ```
//! use calor_model::Profile;
//! use calor_report::flame::{FlameInput, FlameTree, FlameTreeOptions, html, svg};
//!
//! let profile = Profile::default();
//! let input = FlameInput::of_profile(&profile);
//! let mut page = Vec::new();
//! html::write(&profile, &input, &html::HtmlOptions::default(), &mut page)?;
//! if let Some(metric) = input.metrics.first() {
//!     let tree = FlameTree::new(&profile, metric, FlameTreeOptions::default());
//!     svg::write(&tree, &svg::SvgOptions::default(), std::io::stdout())?;
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod colour;
pub mod html;
mod markup;
pub mod svg;
mod value;

pub use calor_analysis::{
    FlameColumns, FlameFrame, FlameInput, FlameKind, FlameLeaf, FlameMetric, FlameNode, FlameTree,
    FlameTreeOptions, FlameUnit, FlameWeight,
};
pub use colour::ColourScheme;
