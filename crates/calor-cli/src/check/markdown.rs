//! The outcome as a comment on a pull request.

use anyhow::Result;
use calor_analysis::Verdict;
use calor_report::{CompareFormat, CompareOptions, render_compared};

use super::OF_CHECK;
use super::checked::Checked;
use super::text::cells;

pub(super) fn page(checked: &Checked) -> Result<String> {
    let word = match (checked.outcome.verdict(), checked.exit_code()) {
        (Verdict::Undecided, 0) => "undecided, which passes",
        (Verdict::Undecided, 1) => "undecided, which fails",
        (Verdict::Undecided, _) => "undecided",
        (_, 0) => "passed",
        _ => "failed",
    };
    let mut page = format!("### Calor check: {word}\n\n");
    for sentence in checked.outcome.sentences() {
        page += &format!("**{}**\n\n", plain(&sentence));
    }
    for (number, advice) in checked.advice.iter().enumerate() {
        page += &format!("> **{}:** {advice}\n\n", if number == 0 { "Next" } else { "Or" });
    }
    if !checked.outcome.budgets.is_empty() {
        let mut rows = cells(checked).into_iter();
        let row = |cells: Vec<String>| {
            format!("| {} |\n", cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(" | "))
        };
        page.extend(rows.next().map(row));
        page += "|---|--:|--:|---|---|\n";
        page.extend(rows.map(row));
        page.push('\n');
    }
    if let (Some(gated), Some(before)) = (&checked.outcome.comparison, &checked.before) {
        page += &format!("Held against {}:\n", before.name());
        let options = CompareOptions { format: CompareFormat::Markdown, ..OF_CHECK };
        let mut part = Vec::new();
        render_compared(&gated.comparison, &options, &mut part)?;
        page += &String::from_utf8_lossy(&part);
    }
    Ok(page)
}

/// Text whose letters mean nothing to a forge: names of functions have stars, angles and bars in them.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => plain.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '|' | '[' | ']' => plain.extend(['\\', letter]),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_stay_as_they_are() {
        assert_eq!(plain("<T as A_b>::c|d"), "&lt;T as A\\_b>::c\\|d");
    }
}
