//! The outcome for a pull request.

use calor_analysis::ExperimentOutcome;

use super::cells::cells;

pub(super) fn page(outcome: &ExperimentOutcome) -> String {
    let mut page = String::new();
    for found in &outcome.comparisons {
        page += &format!("**{}**\n\n", found);
    }
    page += "| | command |\n|---|---|\n";
    for (name, command) in ('A'..).zip(&outcome.commands) {
        page += &format!("| {name} | {} |\n", code(command));
    }
    let table = cells(outcome);
    let row = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
    page.push('\n');
    page.extend(table.first().map(row));
    page += "|---|---|--:|--:|--:|---|\n";
    page.extend(table.iter().skip(1).map(row));
    page.push('\n');
    let warnings = outcome.warnings.iter().map(|warning| format!("**Warning:** {}", warning.message));
    let advice = outcome.advice.iter().enumerate();
    let advice =
        advice.map(|(at, sentence)| format!("**{}:** {sentence}", if at == 0 { "Next" } else { "Or" }));
    for note in outcome.notes().into_iter().chain(warnings).chain(advice) {
        page += &format!("- {note}\n");
    }
    page
}

/// A command in letters of one width, within a cell of a table.
fn code(text: &str) -> String {
    let line = text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ").replace('|', "\\|");
    match line.contains('`') {
        true => format!("`` {line} ``"),
        false => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stay_within_their_cell() {
        assert_eq!(code("./a | wc\n -l"), "`./a \\| wc -l`");
        assert_eq!(code("echo `date`"), "`` echo `date` ``");
    }
}
