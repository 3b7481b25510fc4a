//! A call path in the room that is left of a line: the leaf and the callers that tell it from other rows stay
//! longest, then the callers nearest to the leaf; a mark stands where names were left out.

use std::borrow::Cow;

use super::palette::Palette;
use super::printable::{cut_back, printable, width};
use crate::document::Name;

const LEFT_OUT: &str = "…";
const THEN: &str = " › ";
/// A caller that had to be cut shows at least so many columns.
const NARROWEST_CALLER: usize = 5;

/// A path whose names can be printed.
#[derive(Clone)]
pub(super) struct Label<'n> {
    /// Outermost first, and whether it tells the row from others.
    callers: Vec<(String, bool)>,
    leaf: Cow<'n, str>,
    /// How many bytes at its end stay when it is cut.
    n_telling: usize,
}

impl<'n> Label<'n> {
    pub(super) fn new(name: &'n Name, telling: &[bool]) -> Self {
        let callers = name.callers.iter().map(|caller| printable(caller).into_owned());
        let callers = callers.zip(telling.iter().copied()).collect();
        let leaf = printable(&name.leaf);
        // Where letters were replaced its end may have grown.
        let n_telling = if leaf.len() == name.leaf.len() { name.n_telling } else { 0 };
        Self { callers, leaf, n_telling }
    }

    /// Columns of the whole path.
    pub(super) fn whole_width(&self) -> usize {
        self.width_of(&vec![true; self.callers.len()])
    }

    /// Columns of the leaf alone, with the mark for its callers.
    pub(super) fn leaf_width(&self) -> usize {
        self.width_of(&vec![false; self.callers.len()])
    }

    /// Columns of what tells it from other rows.
    pub(super) fn telling_width(&self) -> usize {
        self.width_of(&self.telling())
    }

    /// Columns without which rows cannot be told apart: the same with these callers cut as far as they may be; 0 where the
    /// leaf says enough.
    pub(super) fn least_telling_width(&self) -> usize {
        let kept = self.telling();
        match kept.contains(&true) {
            true => self.with_callers_cut(&kept, 0).width_of(&kept),
            false => 0,
        }
    }

    /// The label in at most `room` columns.
    pub(super) fn draw(&self, room: usize, palette: Palette) -> String {
        let mut kept = self.telling();
        let mut label = self.with_callers_cut(&kept, room);
        while label.width_of(&kept) > room {
            // The outermost of the telling callers parts the most rows and goes last.
            let Some(innermost) = kept.iter().rposition(|is_kept| *is_kept) else {
                return palette.strong(&self.cut_leaf(room));
            };
            kept[innermost] = false;
            label = self.with_callers_cut(&kept, room);
        }
        for at in (0..kept.len()).rev() {
            let was_kept = std::mem::replace(&mut kept[at], true);
            if !was_kept && label.width_of(&kept) > room {
                kept[at] = false;
                break;
            }
        }
        format!("{}{}", palette.quiet(&label.shown(&kept)), palette.strong(&label.leaf))
    }

    /// The leaf in at most `room` columns; where there is room for a little of its name, with what tells it from others.
    fn cut_leaf(&self, room: usize) -> String {
        let (name, end) = self.leaf.split_at(self.leaf.len() - self.n_telling);
        match room.checked_sub(width(end)) {
            Some(left) if left >= NARROWEST_CALLER => format!("{}{end}", cut_back(name, left)),
            _ => cut_back(&self.leaf, room),
        }
    }

    fn telling(&self) -> Vec<bool> {
        self.callers.iter().map(|(_, is_telling)| *is_telling).collect()
    }

    /// Cuts the kept callers, the outermost first, until they fit or are too short to be read: what is nearest to the
    /// leaf stays whole the longest.
    fn with_callers_cut(&self, kept: &[bool], room: usize) -> Self {
        let mut label = self.clone();
        for at in (0..kept.len()).filter(|at| kept[*at]) {
            let excess = label.width_of(kept).saturating_sub(room);
            if excess == 0 {
                break;
            }
            let caller = &mut label.callers[at].0;
            *caller = cut_back(caller, width(caller).saturating_sub(excess).max(NARROWEST_CALLER));
        }
        label
    }

    /// The callers kept, with a mark for each run of others.
    fn shown(&self, kept: &[bool]) -> String {
        let mut text = String::new();
        for (at, (caller, _)) in self.callers.iter().enumerate() {
            if kept[at] {
                text.push_str(caller);
            } else if at == 0 || kept[at - 1] {
                text.push_str(LEFT_OUT);
            } else {
                continue;
            }
            text.push_str(THEN);
        }
        text
    }

    fn width_of(&self, kept: &[bool]) -> usize {
        width(&self.shown(kept)) + width(&self.leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(path: &[&str], telling: &[bool], room: usize) -> String {
        let (leaf, callers) = path.split_last().expect("a path has a leaf");
        let callers = callers.iter().map(|caller| (*caller).to_owned()).collect();
        let name = Name { callers, leaf: (*leaf).to_owned(), ..Name::default() };
        Label::new(&name, telling).draw(room, Palette { is_coloured: false })
    }

    #[test]
    fn what_tells_a_path_from_others_stays_longest() {
        let path = ["medium model", "decode", "layer", "mlp", "gelu"];
        let telling = [true, true, false, false];
        for (room, expected) in [
            (45, "medium model › decode › layer › mlp › gelu"),
            (41, "medium model › decode › … › mlp › gelu"),
            (34, "medium model › decode › … › gelu"),
            (27, "medium… › decode › … › gelu"),
            (25, "medi… › decode › … › gelu"),
            (24, "medi… › deco… › … › gelu"),
            (22, "medium mod… › … › gelu"),
            (20, "medium m… › … › gelu"),
            (14, "… › mlp › gelu"),
            (8, "… › gelu"),
            (7, "gelu"),
            (3, "ge…"),
        ] {
            assert_eq!(drawn(&path, &telling, room), expected, "{room}");
        }
    }

    #[test]
    fn a_name_is_cut_before_the_file_that_tells_it_from_its_namesakes() {
        let name = Name { leaf: "forward_all (ma.py)".to_owned(), n_telling: 8, ..Name::default() };
        let label = Label::new(&name, &[]);
        for (room, expected) in [
            (19, "forward_all (ma.py)"),
            (18, "forward_a… (ma.py)"),
            (13, "forw… (ma.py)"),
            (12, "forward_all…"),
        ] {
            assert_eq!(label.draw(room, Palette { is_coloured: false }), expected, "{room}");
        }
    }

    #[test]
    fn where_nothing_tells_paths_apart_the_nearest_callers_stay() {
        assert_eq!(drawn(&["main", "run", "step", "read"], &[false; 3], 16), "… › step › read");
        assert_eq!(drawn(&["main", "read"], &[false], 8), "… › read");
        assert_eq!(drawn(&["main", "read"], &[false], 7), "read");
    }
}
