//! Steps from one total to another in letters: a line a step, its bar where the one before ended.

use std::fmt::Write;

use super::palette::Palette;
use super::printable::{cut_back, printable, width};
use crate::document::{Bar, Tone, Waterfall};

/// Columns of the bars, at least and at most; names have the rest.
const BAR_COLUMNS: (usize, usize) = (16, 48);

pub(crate) fn draw(waterfall: &Waterfall, columns: usize, palette: Palette, page: &mut String) {
    let texts = waterfall.bars.iter().map(|bar| width(&bar.text)).max().unwrap_or(0);
    let names = waterfall.bars.iter().map(|bar| width(&bar.name)).max().unwrap_or(0);
    let free = columns.saturating_sub(texts + 6);
    let room = free.saturating_sub(names).max(free * 2 / 5).clamp(BAR_COLUMNS.0, BAR_COLUMNS.1);
    let name_room = free.saturating_sub(room).max(8);
    for bar in &waterfall.bars {
        let blank = " ".repeat(texts - width(&bar.text));
        let name = cut_back(&printable(&bar.name), name_room);
        let line = format!("{blank}{}  {}", bar.text, line(waterfall, bar, room));
        let _ = writeln!(page, "  {}  {name}", palette.tone(bar.tone, &line));
    }
}

/// A bar with the blanks around it; what is there is seen.
fn line(waterfall: &Waterfall, bar: &Bar, room: usize) -> String {
    let [from, to] = waterfall.shares(bar).map(|share| share * room as f64);
    let first = (from.round() as usize).min(room - 1);
    let last = (to.round() as usize).clamp(first + 1, room);
    // Also where there are no colours, what decides nothing steps back.
    let block = if bar.tone == Tone::Quiet { "░" } else { "█" };
    format!("{}{}{}", " ".repeat(first), block.repeat(last - first), " ".repeat(room - last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_where_the_one_before_ended_and_the_smallest_is_seen() {
        let bar = |name: &str, span: [f64; 2], tone: Tone| Bar {
            name: name.to_owned(),
            text: "+1".to_owned(),
            span,
            tone,
        };
        let bars = vec![
            bar("before", [0.0, 8.0], Tone::Plain),
            bar("f", [8.0, 16.0], Tone::Worse),
            bar("g", [16.0, 15.99], Tone::Quiet),
        ];
        let mut page = String::new();
        let waterfall = Waterfall { edges: [0.0, 16.0], bars };
        draw(&waterfall, 30, Palette { is_coloured: false }, &mut page);
        let expected =
            "  +1  ████████          before\n  +1          ████████  f\n  +1                 ░  g\n";
        assert_eq!(page, expected);
    }
}
