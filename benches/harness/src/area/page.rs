//! The page of a run: the tools, a table for each case, the goals.

use std::fmt::Write;

use super::run::Versions;
use super::{Area, Case as _, Participant as _};
use crate::{Goal, Results, Table};

const WRITES: &str = "writing to a string does not fail";

/// All of it.
pub(super) fn markdown<A: Area>(
    n_rounds: usize,
    (cases, tools): (&[A::Case], &[&'static A::Tool]),
    versions: &Versions,
    results: &Results,
) -> String {
    let mut out = format!("# {}\n\nRounds: {n_rounds}. ", A::TITLE);
    out += "Figures are medians over the rounds, with the least and the most in brackets where they differ. ";
    writeln!(out, "{}\n\n| tool | |\n|---|---|", A::BASIS).expect(WRITES);
    for (name, version) in versions {
        let text = match version {
            Ok(version) => version.clone(),
            Err(why) => format!("not available: {why}"),
        };
        // A bar would end the cell.
        writeln!(out, "| {name} | {} |", text.replace('|', "\\|")).expect(WRITES);
    }
    for case in cases {
        let table = table::<A>(case, tools, results);
        write!(out, "\n## {}\n\n{}\n\n{table}", case.name(), case.about()).expect(WRITES);
    }
    out + &Goal::markdown(&A::goals(&cases.iter().collect::<Vec<_>>(), results), |_| true)
}

fn table<A: Area>(case: &A::Case, tools: &[&'static A::Tool], results: &Results) -> Table {
    let (name, tools) = (case.name(), case.tools(tools));
    let has = |figure: &str| tools.iter().any(|tool| results.spread(name, tool.name(), figure).is_some());
    let columns: Vec<_> = A::COLUMNS.iter().filter(|column| has(column.0)).collect();
    let compared = case.compared().filter(|(figure, _, to)| results.spread(name, to, figure).is_some());
    let ratio_title = compared.map(|(_, title, _)| title);
    let mut table = Table::new(columns.iter().map(|column| column.1).chain(ratio_title));
    for tool in tools.iter().map(|tool| tool.name()) {
        if let Some(reason) = results.failure(name, tool) {
            table.missing(tool, reason);
            continue;
        }
        let figures = columns.iter().map(|&&(figure, _, digits)| {
            results.spread(name, tool, figure).map(|spread| spread.short(digits))
        });
        let ratio = compared
            .map(|(figure, _, to)| results.ratio(name, (tool, to), figure).map(|spread| spread.short(3)));
        table.row(tool, figures.chain(ratio));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Figures;
    use crate::area::example::Example;

    #[test]
    fn a_page_has_the_tools_the_figures_that_there_are_and_the_goals() {
        let cases = Example::cases().unwrap();
        let tools: Vec<_> = Example::TOOLS.iter().collect();
        let mut results = Results::new(1);
        results.insert("short", "bare", 0, Figures::default().with("cpu_s", 1.0));
        results.insert("short", "calor", 0, Figures::default().with("cpu_s", 2.0));
        results.fail("long", "calor", "not available: too long".to_owned());
        let versions = Versions::from([("bare", Ok("1".to_owned())), ("calor", Err("a|b".to_owned()))]);
        let text = markdown::<Example>(1, (&cases, &tools), &versions, &results);
        for part in [
            "# Example\n\nRounds: 1. ",
            "`bare` is the program alone.\n\n| tool | |\n",
            "| calor | not available: a\\|b |\n",
            "## short\n\na short case\n\n| who | CPU, s | CPU x bare |\n",
            "| calor | 2.0 | 2.000 |\n",
            "## long\n\na long case\n\ncalor not measured: not available: too long\n",
            "| short | 2.00 s | 3 s | met |\n",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
