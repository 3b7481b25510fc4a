//! Names for the search of a picture. Frames that were left out cannot be found among those that are drawn, so the
//! picture carries how much of the whole is on paths that hold a name, for each name of which something was left out.

use std::collections::HashMap;
use std::io::{self, Write};

use calor_analysis::{FlameKind, FlameName, FlameTree};

use super::frame::Drawn;
use crate::Escaped;
use crate::flame::markup::frame_name;

/// So many bytes of names a picture may carry; beyond that a search says that there may be more.
const MOST_BYTES: usize = 600_000;

/// Writes an element with a row for each such name: the name, what of it is not drawn, the total and what ends with it.
pub(super) fn write(tree: &FlameTree<'_>, drawn: &Drawn, out: &mut impl Write) -> io::Result<()> {
    if drawn.left_out_below.is_none() {
        return Ok(());
    }
    let key = |name: &FlameName<'_>| (name.frame.name.to_owned(), name.frame.tid);
    let mut is_drawn = vec![false; tree.len()];
    drawn.nodes.iter().for_each(|node| is_drawn[*node] = true);
    let on_paper: HashMap<_, u64> =
        tree.names_among(|node| is_drawn[node]).iter().map(|name| (key(name), name.total)).collect();
    let names = tree.names();
    let mut rows: Vec<_> = names
        .iter()
        .filter(|name| name.frame.kind != FlameKind::All)
        .map(|name| (name, name.total - on_paper.get(&key(name)).copied().unwrap_or(0).min(name.total)))
        .filter(|(_, hidden)| *hidden > 0)
        .collect();
    rows.sort_unstable_by_key(|(name, hidden)| (std::cmp::Reverse(*hidden), name.frame.name, name.frame.tid));
    let mut text = String::new();
    let mut is_all = true;
    for (name, hidden) in rows {
        let row = (frame_name(&name.frame), hidden, name.total, name.self_value);
        let row = serde_json::to_string(&row)?;
        if text.len() + row.len() > MOST_BYTES {
            is_all = false;
            break;
        }
        text.push_str(if text.is_empty() { "" } else { ",\n" });
        text.push_str(&row);
    }
    let more = if is_all { "" } else { " data-more=\"\"" };
    writeln!(
        out,
        "<metadata class=\"names\" data-total=\"{}\"{more}>[{}]</metadata>",
        tree.total(),
        Escaped(&text)
    )
}
