//! What a machine can do, for a comment or a wiki.

use calor_machine::{Machine, Origin};

use super::table;

pub(super) fn page(machine: &Machine, origin: Origin) -> String {
    let mut page =
        format!("## Machine\n\n{}; {}\n", plain(&table::title(machine)), table::origin(machine, origin));
    for rows in [table::peaks(machine), table::tiers(machine)] {
        page.push('\n');
        for (at, row) in rows.iter().enumerate() {
            // The last column is for what stands beside a row in a terminal.
            let cells = &row[..row.len() - 1];
            let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
            page += &format!("| {} |\n", cells.join(" | "));
            if at == 0 {
                page += &format!("|---|{}\n", "---:|".repeat(cells.len() - 1));
            }
        }
    }
    page += &format!("\n{}\n", table::noise(machine).join(" "));
    for warning in &machine.warnings {
        page += &format!("\n> {}\n", plain(&warning.message));
    }
    page
}

/// Text that cannot end a cell.
fn plain(text: &str) -> String {
    text.replace('|', "\\|")
}
