//! A comparison for a terminal.

use std::fmt::Write;

use calor_analysis::comparison::Comparison;

use super::{CompareOptions, section, settling, words};
use crate::text::palette::Palette;
use crate::text::printable::printable;
use crate::wrap::wrapped;

/// Rows of the table of all functions.
const ROWS: usize = 20;
/// Rows of the list of rates.
const WORK: usize = 10;

pub(super) fn page(compared: &Comparison, options: &CompareOptions) -> String {
    let palette = Palette { is_coloured: options.color };
    let columns = options.width.max(40);
    let rows = options.top.unwrap_or(ROWS);
    let mut page = String::new();
    let tone = words::tone(compared.difference.verdict);
    let headline = (!options.is_part).then(|| compared.headline());
    for line in headline.iter().flat_map(|headline| wrapped(headline, columns)) {
        let _ = writeln!(page, "{}", palette.strong(&palette.tone(tone, &line)));
    }
    for note in section::notes(compared, options) {
        for line in wrapped(&printable(&note), columns - 2) {
            let _ = writeln!(page, "  {line}");
        }
    }
    if let Some(advice) = settling(compared, options) {
        // In one line, however long: it is there to be copied.
        let _ = writeln!(page, "    {}", printable(&advice.command));
    }
    let mut sections = vec![section::totals(compared), section::waterfall(compared)];
    sections.extend(section::changes(compared, options.top));
    if !options.is_part {
        sections.extend(section::work(compared, WORK));
        sections.push(section::functions(compared, rows));
        sections.extend(section::renamed(compared, rows));
    }
    sections.extend(section::circumstances(compared));
    page.push('\n');
    page + &crate::text::sections(&sections, columns, palette)
}
