//! Functions that go by another name now, so that nobody looks for them among those that vanished.

use std::collections::BTreeMap;

use calor_analysis::Presence;

use super::super::Compared;
use crate::document::{Body, Section};
use crate::quantity::{count, counted};

/// Functions that go by another name now; `None` where there are none.
pub(in crate::compare) fn renamed(compared: &Compared, rows: usize) -> Option<Section> {
    let mut moved: BTreeMap<[&str; 2], Vec<&str>> = BTreeMap::new();
    let mut lines = Vec::new();
    for function in &compared.difference.functions {
        let (Presence::RenamedFrom(former), now) = (&function.presence, &function.function) else { continue };
        match [former, now].map(|name| name.file.as_deref().or(name.module.as_deref())) {
            [Some(before), Some(after)] if former.name == now.name => {
                moved.entry([before, after]).or_default().push(&now.name);
            }
            _ => lines.push(format!("`{}` is `{}` now", former.name, now.name)),
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
