//! Flame graphs: folded text to SVG.

use std::path::Path;

use calor_report::flame::{FlameInput, FlameTreeOptions, svg};
use harness::Figures;

use super::{output, timed};
use crate::inputs::Input;

/// Reads the text, makes the tree and draws it.
pub(crate) fn ours(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, picture) = timed(&input.read(folder)?, |bytes| {
        let profile = calor_formats::read(bytes).map_err(|error| error.to_string())?;
        let input = FlameInput::of_profile(&profile);
        let metric = input.metrics.first().ok_or("the profile has nothing to draw")?;
        let mut picture = Vec::new();
        svg::draw(&profile, metric, FlameTreeOptions::default(), &svg::SvgOptions::default(), &mut picture)
            .map_err(|error| error.to_string())?;
        Ok(picture)
    })?;
    drawn(figures, &picture)
}

/// The same by inferno.
pub(crate) fn inferno(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, picture) = timed(&input.read(folder)?, |bytes| {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let mut picture = Vec::new();
        let mut options = inferno::flamegraph::Options::default();
        inferno::flamegraph::from_lines(&mut options, text.lines(), &mut picture)
            .map_err(|error| format!("inferno: {error}"))?;
        Ok(picture)
    })?;
    drawn(figures, &picture)
}

/// Both leave out what is too narrow to be seen, so how many frames are drawn belongs to the figures.
fn drawn(figures: Figures, picture: &[u8]) -> Result<Figures, String> {
    let text = std::str::from_utf8(picture).map_err(|error| format!("the picture is not text: {error}"))?;
    match text.matches("<title>").count() {
        0 => Err("no frame was drawn".to_owned()),
        n_frames => Ok(output(figures, picture).with("frames", n_frames as f64)),
    }
}
