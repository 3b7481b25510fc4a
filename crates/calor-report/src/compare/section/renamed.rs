//! Functions that go by another name now, so that nobody looks for them among those that vanished.

use std::collections::BTreeMap;

use calor_analysis::comparison::{Comparison, Former, place};
use calor_analysis::quantity::{count, counted};

use crate::document::{Body, Section};

/// Functions that go by another name now; `None` where there are none.
pub(in crate::compare) fn renamed(compared: &Comparison, rows: usize) -> Option<Section> {
    let mut moved: BTreeMap<[&str; 2], Vec<&str>> = BTreeMap::new();
    let mut lines = Vec::new();
    for function in &compared.difference.functions {
        let now = &function.function;
        match Former::of(function) {
            Some(Former::Called(former)) => lines.push(format!("`{former}` is `{}` now", now.name)),
            Some(Former::In(before)) => {
                let after = place(now).unwrap_or("an unknown place");
                moved.entry([before, after]).or_default().push(&now.name);
            }
            None => {}
        }
    }
    // A library or program that has another name takes all its functions along.
    for ([before, after], names) in moved {
        lines.push(match &names[..] {
            [name] => format!("`{name}` of {before} is in {after} now"),
            names => format!(
                "{} of {before} are in {after} now",
                counted(names.len() as u64, compared.metric.subject())
            ),
        });
    }
    let n_lines = lines.len();
    lines.truncate(rows);
    let section = (n_lines > 0).then(|| Section::new("renamed", "Renamed", Body::Lines(lines)))?;
    Some(match n_lines > rows {
        true => section.with_intro(format!("The first {rows} of {}.", count(n_lines as u64))),
        false => section,
    })
}
