//! The explanation for a pull request.

use super::explanation::Explanation;
use super::text::{curve, headline, remarks, unexplained, why_at};

pub(super) fn page(explanation: &Explanation) -> String {
    let mut page = format!("**{}**\n\n", headline(explanation));
    let code = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    for (name, shown) in ['A', 'B'].iter().zip(explanation.names()) {
        page += &format!("- {name}: `{}`\n", code(&shown));
    }
    if let Some(why) = &explanation.why {
        page += &format!("\n{}:\n\n| part | cause | evidence |\n|--:|---|---|\n", why_at(explanation, why));
        for reason in &why.reasons {
            let evidence: Vec<String> = reason.evidence.iter().map(|sentence| code(sentence)).collect();
            let share = 100.0 * reason.share;
            page += &format!("| {share:.0} % | {} | {} |\n", reason.cause.name(), evidence.join("; "));
        }
        if why.unexplained >= 0.005 {
            page += &format!("| {:.0} % | {} | |\n", 100.0 * why.unexplained, unexplained(why));
        }
    }
    if explanation.has_sizes {
        let cells = curve(explanation);
        let row = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
        page.push('\n');
        page.extend(cells.first().map(row));
        page += "|--:|--:|--:|--:|--:|--:|---|\n";
        page.extend(cells.iter().skip(1).map(row));
    }
    page.push('\n');
    remarks(explanation).iter().for_each(|remark| page += &format!("- {remark}\n"));
    page
}
