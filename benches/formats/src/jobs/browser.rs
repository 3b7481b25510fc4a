//! Pages in headless Chromium. They measure themselves where their address asks for it; what they wrote down is read
//! from the document that Chromium prints.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use calor_report::flame::{FlameInput, html};
use harness::Figures;

use super::page;
use crate::inputs::Input;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// When the report is first painted and when all of it stands.
pub(crate) fn paint(input: Input, folder: &Path) -> Result<Figures, String> {
    // The page writes its figures after it was loaded, and without a clock of its own Chromium does not wait for that.
    let page = page::rendered(&input.read(folder)?)?;
    let document = opened("report.html", &page, "#bench", folder, &["--virtual-time-budget=3000"])?;
    let note = note(&document, "id=\"bench\"")?;
    Ok(Figures::default()
        .with("paint_ms", number_after(note, "first-paint ")?)
        .with("drawn_ms", number_after(note, "all drawn ")?)
        .with("nodes", number_after(note, "nodes ")?))
}

/// How long frames of zooming and panning take.
pub(crate) fn pan(input: Input, folder: &Path) -> Result<Figures, String> {
    let profile = calor_formats::read(&input.read(folder)?).map_err(|error| error.to_string())?;
    let mut page = Vec::new();
    html::write(&profile, &FlameInput::of_profile(&profile), &html::HtmlOptions::default(), &mut page)
        .map_err(|error| error.to_string())?;
    let document = opened("flame.html", &page, "#flame:bench=1", folder, &[])?;
    let note = note(&document, "class=\"flame-bench\"")?;
    let frames = note.trim_start().split(' ').next().and_then(|number| number.parse::<f64>().ok());
    let frames = frames.ok_or_else(|| format!("expected a number of nodes at the start of '{note}'"))?;
    if frames < 100_000.0 {
        return Err(format!("expected at least 100,000 frames in the graph, found {frames}"));
    }
    let (_, read_back) = note.split_once("until read back:").ok_or("expected the frames until read back")?;
    Ok(Figures::default()
        .with("frames", frames)
        .with("frame_ms", number_after(read_back, "median ")?)
        .with("longest_ms", number_after(read_back, "longest ")?))
}

/// The document as it stands after the page was loaded.
fn opened(name: &str, page: &[u8], address: &str, folder: &Path, more: &[&str]) -> Result<String, String> {
    let browser = NAMES.iter().find_map(|name| {
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
    });
    let browser = browser.ok_or("no chromium")?;
    let path = folder.join(name);
    fs::write(&path, page).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let path = path.canonicalize().map_err(|error| format!("cannot find {name}: {error}"))?;
    // The page is our own and loads nothing, and inside a container there is often no sandbox to have.
    let output = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--window-size=1600,1000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("browser").display()))
        .args(more)
        .arg(format!("file://{}{address}", path.display()))
        .output()
        .map_err(|error| format!("cannot start {}: {error}", browser.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{} ended with {}", browser.display(), output.status)),
    }
}

/// What the page wrote into the element with this attribute. The scripts, which are in the document too, write no
/// markup.
fn note<'t>(document: &'t str, attribute: &str) -> Result<&'t str, String> {
    let start = format!("<pre {attribute}>");
    let after = document.split_once(&start).map(|(_, after)| after);
    let note = after.and_then(|after| after.split_once("</pre>")).map(|(note, _)| note);
    note.ok_or_else(|| {
        format!("the page wrote no figures into a 'pre {attribute}' before Chromium printed it")
    })
}

fn number_after(text: &str, words: &str) -> Result<f64, String> {
    let number = text.split_once(words).and_then(|(_, after)| {
        let end = after.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(after.len());
        after[..end].parse().ok()
    });
    number.ok_or_else(|| format!("expected a number after '{words}' in '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_where_a_page_writes_them() {
        let document = "<p>x</p><pre id=\"bench\">first-paint 92 ms, all drawn 130 ms, nodes 7</pre>";
        let note = note(document, "id=\"bench\"").unwrap();
        assert_eq!(number_after(note, "all drawn "), Ok(130.0));
        assert_eq!(number_after(note, "nodes "), Ok(7.0));
        assert!(number_after(note, "longest ").unwrap_err().contains("longest"));
    }
}
