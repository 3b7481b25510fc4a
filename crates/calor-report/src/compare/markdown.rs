//! A comparison as a comment on a pull request: the verdict and what changed in a few lines, everything else folded.

use std::fmt::Write;

use calor_analysis::comparison::Comparison;

use super::{CompareOptions, section, settling};
use crate::markdown::{draw, escaped, fold, with_code};

/// Rows of the lists of changes: more are in the table.
const CHANGES: usize = 5;
/// Rows of the table, so that the page still is a comment on any forge.
const ROWS: usize = 100;

pub(super) fn page(compared: &Comparison, options: &CompareOptions) -> String {
    let rows = options.top.unwrap_or(ROWS);
    let mut page = String::new();
    if !options.is_part {
        let _ = writeln!(page, "### Calor compare\n\n**{}**", escaped(&compared.headline()));
    }
    for note in section::notes(compared, options) {
        let _ = write!(page, "\n> {}\n", with_code(&note));
    }
    if let Some(advice) = settling(compared, options) {
        let _ = write!(page, "\n> {}\n", with_code(&format!("`{}`", advice.command)));
    }
    let open = [section::totals(compared)]
        .into_iter()
        .chain(section::changes(compared, Some(options.top.unwrap_or(CHANGES))));
    let mut body = String::new();
    open.for_each(|section| draw(&section, &mut body));
    let mut folded = String::new();
    let mut rest = vec![section::waterfall(compared)];
    rest.extend(section::work(compared, rows));
    rest.push(section::functions(compared, rows));
    rest.extend(section::renamed(compared, rows));
    rest.extend(section::circumstances(compared));
    rest.iter().for_each(|section| draw(section, &mut folded));
    fold("Waterfall, all functions and what else differs", &mut body, |page| {
        page.push_str(folded.trim_start());
    });
    // Headings of a comment are smaller than those of a page.
    page + &body.replace("\n## ", "\n#### ")
}
