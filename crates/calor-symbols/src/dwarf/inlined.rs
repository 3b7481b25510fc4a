//! What was inlined into a function, and where: the entries inside its entry.

use std::ops::Range;

use gimli::{AttributeValue, UnitOffset};

use super::UnitRef;
use super::names::{Home, NameAttributes, Names};
use super::ranges::CodeRanges;
use crate::places::{NONE, Node, Places};

/// Deeper nesting than this is cut; compilers stop far earlier.
const MAX_DEPTH: usize = 512;

/// The code of a call that was inlined.
#[derive(Clone, Debug)]
pub(super) struct Inlined {
    pub(super) code: Range<u64>,
    pub(super) node: u32,
    /// How many calls it is nested in.
    pub(super) depth: u32,
}

/// A file of the unit's table that a call stands in, to be named when all entries have been read.
pub(super) struct Calls {
    /// The node, and the number of the file its call is in.
    pub(super) files: Vec<(u32, u64)>,
}

/// A function and all that was inlined into it.
#[derive(Default)]
pub(super) struct Tree {
    /// The function's node; `None` for a function without a name.
    pub(super) root: Option<u32>,
    /// Whether the name lacks its namespaces.
    pub(super) is_short: bool,
    pub(super) inlined: Vec<Inlined>,
}

/// Reads the function at `entry`.
pub(super) fn read<'a>(
    unit: UnitRef<'a, '_>,
    entry: UnitOffset,
    code: &[Range<u64>],
    home: Home,
    names: &mut Names<'_, 'a>,
    places: &mut Places,
    calls: &mut Calls,
) -> gimli::Result<Tree> {
    let mut inlined = Vec::new();
    let mut entries = unit.entries_raw(Some(entry))?;
    let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(Tree::default()) };
    let mut attributes = NameAttributes::default();
    for specification in abbreviation.attributes() {
        attributes.take(unit, &entries.read_attribute(*specification)?);
    }
    let name = names.find(places, unit, home, attributes);
    let root = places.node(Node { parent: NONE, name: name.id, call_file: NONE, call_line: 0 });
    // The calls around the current entry: their depth among the entries, and their nodes.
    let mut around: Vec<(isize, u32)> = Vec::new();
    while entries.next_depth() > 0 && !entries.is_empty() {
        let depth = entries.next_depth();
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        while around.last().is_some_and(|(outer, _)| *outer >= depth) {
            around.pop();
        }
        match abbreviation.tag() {
            gimli::DW_TAG_inlined_subroutine if around.len() < MAX_DEPTH => {}
            // A function inside is a function of its own.
            gimli::DW_TAG_subprogram => {
                entries.skip_attributes(abbreviation.attributes())?;
                while entries.next_depth() > depth && !entries.is_empty() {
                    if let Some(inner) = entries.read_abbreviation()? {
                        entries.skip_attributes(inner.attributes())?;
                    }
                }
                continue;
            }
            _ => {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
        }
        let (mut ranges, mut attributes) = (CodeRanges::default(), NameAttributes::default());
        let (mut call_file, mut call_line) = (None, 0);
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_call_file, AttributeValue::FileIndex(file)) => {
                    // Before DWARF 5, 0 was no file.
                    call_file = Some(file).filter(|file| *file != 0 || unit.header.version() >= 5);
                }
                (gimli::DW_AT_call_line, value) => {
                    call_line = value.udata_value().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
                }
                _ => {
                    ranges.take(unit, &attribute)?;
                    attributes.take(unit, &attribute);
                }
            }
        }
        let parent = around.last().map_or(root, |(_, node)| *node);
        let name = names.find(places, unit, home, attributes).id;
        let node = places.node(Node { parent, name, call_file: NONE, call_line });
        calls.files.extend(call_file.map(|file| (node, file)));
        let nesting = u32::try_from(around.len()).unwrap_or(u32::MAX);
        ranges.each(unit, code, |code| inlined.push(Inlined { code, node, depth: nesting }))?;
        around.push((depth, node));
    }
    Ok(Tree { root: Some(root).filter(|_| name.id != NONE), is_short: name.is_short, inlined })
}
