//! What is known about the addresses of one image: spans of code, each with the function it belongs to, the chain
//! of functions inlined there, and its line. Both what is looked up and what the cache keeps.
//!
//! A function is kept whole once one of its addresses was asked for: the next recording samples other addresses
//! of the same functions.

use std::ops::Range;
use std::sync::Arc;

use super::{Map, Symbol};

/// Marks an id that stands for nothing.
pub(super) const NONE: u32 = u32::MAX;

/// Spans kept for one image; past it they are forgotten and begun anew. At 32 bytes each this is 256 MB.
const MAX_SPANS: usize = 8 << 20;

/// A function, or one inlined into another at a certain call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    /// The node it is inlined into; stands before it. [`NONE`] for a function of its own.
    pub(super) parent: u32,
    pub(super) name: u32,
    /// Where the parent calls it, for an inlined function.
    pub(super) call_file: u32,
    /// 0 when not known.
    pub(super) call_line: u32,
}

/// A piece of code that comes from one line of one chain of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The innermost function; [`NONE`] where nothing is known, which is worth knowing too.
    pub(super) node: u32,
    pub(super) file: u32,
    /// 0 when not known.
    pub(super) line: u32,
}

/// The spans of an image, in order and without overlap, with the nodes and strings they refer to.
#[derive(Default, Debug)]
pub(super) struct Places {
    pub(super) spans: Vec<Span>,
    pub(super) nodes: Vec<Node>,
    pub(super) strings: Vec<Arc<str>>,
    ids: Map<Arc<str>, u32>,
}

impl Places {
    /// Those read back from the cache, whose ids have been checked.
    pub(super) fn new(spans: Vec<Span>, nodes: Vec<Node>, strings: Vec<Arc<str>>) -> Self {
        let ids = strings.iter().cloned().zip(0..).collect();
        Self { spans, nodes, strings, ids }
    }

    pub(super) fn string(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.strings.len()).unwrap_or(NONE);
        let text: Arc<str> = text.into();
        self.strings.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    pub(super) fn node(&mut self, node: Node) -> u32 {
        let id = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(node);
        id
    }

    /// Gives a function another name.
    pub(super) fn rename(&mut self, node: u32, name: &str) {
        let name = self.string(name);
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.name = name;
        }
    }

    /// A function with nothing inlined.
    pub(super) fn function(&mut self, name: &str) -> u32 {
        let name = self.string(name);
        self.node(Node { parent: NONE, name, call_file: NONE, call_line: 0 })
    }

    pub(super) fn find(&self, address: u64) -> Option<&Span> {
        let after = self.spans.partition_point(|span| span.begin <= address);
        self.spans[..after].last().filter(|span| address < span.end)
    }

    /// The spans that reach into a range.
    pub(super) fn within(&self, range: &Range<u64>) -> &[Span] {
        let first = self.spans.partition_point(|span| span.end <= range.start);
        let behind = self.spans.partition_point(|span| span.begin < range.end);
        self.spans.get(first..behind).unwrap_or_default()
    }

    /// The code around an address that is of one function without a gap, whatever was inlined there.
    pub(super) fn function_around(&self, address: u64) -> Option<Range<u64>> {
        let after = self.spans.partition_point(|span| span.begin <= address);
        let found = self.spans[..after].last().filter(|span| address < span.end && span.node != NONE)?;
        let function = self.outermost(found.node);
        let (mut begin, mut end) = (found.begin, found.end);
        for span in self.spans[..after].iter().rev().skip(1) {
            if span.end != begin || self.outermost(span.node) != function {
                break;
            }
            begin = span.begin;
        }
        for span in &self.spans[after..] {
            if span.begin != end || self.outermost(span.node) != function {
                break;
            }
            end = span.end;
        }
        Some(begin..end)
    }

    /// The function that a node was inlined into in the end.
    fn outermost(&self, mut id: u32) -> u32 {
        // A parent stands before its children, so this ends.
        while let Some(node) = self.nodes.get(id as usize).filter(|node| node.parent < id) {
            id = node.parent;
        }
        id
    }

    /// Takes over what another thread found.
    /// Returns how far its nodes' ids have moved.
    pub(super) fn absorb(&mut self, other: &Self) -> u32 {
        let strings: Vec<u32> = other.strings.iter().map(|text| self.string(text)).collect();
        let first = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let string = |id: u32| strings.get(id as usize).copied().unwrap_or(NONE);
        let node = |id: u32| if id == NONE { NONE } else { id.saturating_add(first) };
        self.nodes.extend(other.nodes.iter().map(|own| Node {
            parent: node(own.parent),
            name: string(own.name),
            call_file: string(own.call_file),
            call_line: own.call_line,
        }));
        self.spans.extend(other.spans.iter().map(|span| Span {
            node: node(span.node),
            file: string(span.file),
            ..*span
        }));
        first
    }

    /// Restores the order after spans were added. Where two claim the same code, the one that begins earlier, and
    /// of those that begin together the one that was here first, keeps it.
    pub(super) fn settle(&mut self) {
        self.spans.sort_by_key(|span| span.begin);
        let mut reached = 0;
        self.spans.retain_mut(|span| {
            span.begin = span.begin.max(reached);
            let is_kept = span.begin < span.end;
            reached = reached.max(span.end);
            is_kept
        });
    }

    /// Whether so much is known that it is time to forget.
    pub(super) fn is_full(&self) -> bool {
        self.spans.len() > MAX_SPANS || self.nodes.len() > MAX_SPANS
    }

    /// The functions of a span, outermost first.
    pub(super) fn symbols(&self, span: &Span, inlines: bool) -> Vec<Symbol> {
        let text = |id: u32| self.strings.get(id as usize).cloned();
        let mut symbols = Vec::new();
        let (mut id, mut file, mut line) = (span.node, span.file, span.line);
        while let Some(node) = self.nodes.get(id as usize) {
            let is_inlined = node.parent != NONE;
            if inlines || !is_inlined {
                symbols.push(Symbol {
                    name: text(node.name).unwrap_or_else(|| "?".into()),
                    file: text(file),
                    line: Some(line).filter(|line| *line != 0),
                    is_inlined,
                });
            }
            // A parent stands before its children, so this ends.
            id = if node.parent < id { node.parent } else { NONE };
            (file, line) = (node.call_file, node.call_line);
        }
        symbols.reverse();
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(begin: u64, end: u64, node: u32) -> Span {
        Span { begin, end, node, file: NONE, line: 0 }
    }

    #[test]
    fn an_address_is_found_only_inside_a_span() {
        let mut places = Places::default();
        let node = places.function("f");
        places.spans = vec![span(20, 30, node), span(10, 15, node)];
        places.settle();
        let found: Vec<u64> = (0..40).filter(|address| places.find(*address).is_some()).collect();
        assert_eq!(found, (10..15).chain(20..30).collect::<Vec<_>>());
    }

    #[test]
    fn the_code_around_an_address_is_that_of_its_function() {
        let mut places = Places::default();
        let (first, second) = (places.function("first"), places.function("second"));
        let name = places.string("inlined");
        let inlined = places.node(Node { parent: first, name, call_file: NONE, call_line: 0 });
        places.spans =
            vec![span(5, 8, first), span(10, 15, first), span(15, 20, inlined), span(20, 30, first)];
        places.spans.push(span(30, 40, second));
        places.settle();
        let around = [4, 5, 9, 10, 17, 29, 30].map(|address| places.function_around(address));
        let expected = [None, Some(5..8), None, Some(10..30), Some(10..30), Some(10..30), Some(30..40)];
        assert_eq!(around, expected);
        assert_eq!(places.within(&(14..30)), &places.spans[1..4]);
        assert_eq!(places.within(&(0..5)), []);
    }

    #[test]
    fn code_claimed_twice_stays_with_the_earlier_span() {
        let mut places = Places::default();
        let (first, second) = (places.function("first"), places.function("second"));
        places.spans = vec![span(10, 20, first), span(15, 25, second), span(12, 14, second)];
        places.settle();
        assert_eq!(places.spans, [span(10, 20, first), span(20, 25, second)]);
    }

    #[test]
    fn what_another_thread_found_keeps_its_chains_and_lines() {
        let mut other = Places::default();
        let outer = other.function("outer");
        let file = other.string("a.rs");
        let name = other.string("inner");
        let inner = other.node(Node { parent: outer, name, call_file: file, call_line: 7 });
        other.spans.push(Span { begin: 1, end: 2, node: inner, file, line: 9 });
        let mut places = Places::default();
        places.function("else");
        places.absorb(&other);
        places.settle();
        let symbols = places.symbols(places.find(1).unwrap(), true);
        let shown: Vec<_> = symbols.iter().map(|it| (&*it.name, it.line, it.is_inlined)).collect();
        assert_eq!(shown, [("outer", Some(7), false), ("inner", Some(9), true)]);
        assert_eq!(places.symbols(places.find(1).unwrap(), false).len(), 1);
    }
}
