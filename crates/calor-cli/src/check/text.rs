//! The outcome for people: what it came to first.

use anyhow::Result;
use calor_analysis::Verdict;
use calor_report::{CompareOptions, render_compared, wrapped};

use super::OF_CHECK;
use super::checked::Checked;
use crate::table::table;

/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 40;

pub(super) fn page(checked: &Checked, width: usize, is_coloured: bool) -> Result<String> {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let columns = width.max(NARROWEST);
    let mut page = String::new();
    let colour = match checked.outcome.verdict() {
        Verdict::Regressed => "1;31",
        Verdict::Improved => "1;32",
        Verdict::Same => "1",
        Verdict::Undecided => "1;33",
    };
    for sentence in checked.outcome.sentences() {
        for line in wrapped(&sentence, columns) {
            page += &format!("{}\n", paint(colour, &line));
        }
    }
    for (number, advice) in checked.advice.iter().enumerate() {
        let said = format!("{}: {advice}", if number == 0 { "next" } else { "or" });
        for (at, line) in wrapped(&said, columns.saturating_sub(4)).iter().enumerate() {
            page += &format!("{}{line}\n", if at == 0 { "  " } else { "    " });
        }
    }
    if !checked.outcome.budgets.is_empty() {
        page.push('\n');
        for (at, line) in table(&cells(checked)).iter().enumerate() {
            let is_over = at > 0 && !checked.outcome.budgets[at - 1].is_within();
            page += &format!("  {}\n", if is_over { paint("31", line) } else { line.clone() });
        }
    }
    if let (Some(gated), Some(before)) = (&checked.outcome.comparison, &checked.before) {
        page += &format!("\nHeld against {}:\n", before.name());
        let options = CompareOptions { width: columns, color: is_coloured, ..OF_CHECK };
        let mut part = Vec::new();
        render_compared(&gated.comparison, &options, &mut part)?;
        page += &String::from_utf8_lossy(&part);
    }
    Ok(page)
}

/// The table of budgets, its head first.
pub(super) fn cells(checked: &Checked) -> Vec<Vec<String>> {
    let head = ["budget", "taken", "allowed", "", ""].map(str::to_owned).to_vec();
    let rows = checked.outcome.budgets.iter().map(|spending| {
        vec![
            spending.budget.name(),
            spending.text(spending.actual),
            spending.text(spending.budget.limit),
            spending.each.to_owned(),
            if spending.is_within() { "kept" } else { "exceeded" }.to_owned(),
        ]
    });
    std::iter::once(head).chain(rows).collect()
}
