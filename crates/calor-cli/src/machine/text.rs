//! What a machine can do, for people.

use calor_machine::{Machine, Origin};
use calor_report::wrapped;

use super::table;

/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 40;

pub(super) fn page(machine: &Machine, origin: Origin, width: usize, is_coloured: bool) -> String {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let mut page = format!("{}\n", paint("1", &table::title(machine)));
    let say = |text: &str, page: &mut String| {
        for line in wrapped(text, width.saturating_sub(2).max(NARROWEST)) {
            *page += &format!("  {line}\n");
        }
    };
    say(&table::origin(machine, origin), &mut page);
    let tables = [
        ("Floating-point operations a second, one core", table::peaks(machine)),
        ("Bytes a second from each tier of memory, one core", table::tiers(machine)),
    ];
    for (title, rows) in tables {
        page += &format!("\n{}\n", paint("1", title));
        for (at, line) in crate::table::table(&rows).iter().enumerate() {
            page += &format!("  {}\n", if at == 0 { paint("2", line) } else { line.clone() });
        }
    }
    page += &format!("\n{}\n", paint("1", "Noise"));
    table::noise(machine).iter().for_each(|line| say(line, &mut page));
    if !machine.warnings.is_empty() {
        page.push('\n');
    }
    machine.warnings.iter().for_each(|warning| say(&warning.message, &mut page));
    page
}
