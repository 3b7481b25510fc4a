//! Questions about single tokens.

use proc_macro::{Delimiter, Group, Spacing, TokenStream, TokenTree};

pub(crate) fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident.to_string() == name)
}

pub(crate) fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

pub(crate) fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// The tokens of a stream, taken out of the invisible group that a `macro_rules` fragment travels in.
pub(crate) fn unwrapped(stream: TokenStream) -> Vec<TokenTree> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    match trees.as_slice() {
        [TokenTree::Group(only)] if only.delimiter() == Delimiter::None => unwrapped(only.stream()),
        _ => trees,
    }
}

/// How deep a position is inside `<...>`: braces in there are const arguments, not bodies.
#[derive(Default)]
pub(crate) struct AngleDepth {
    depth: usize,
    /// The last token was the `-` of `->` or the `=` of `=>`, whose `>` closes nothing.
    arrow: bool,
}

impl AngleDepth {
    pub(crate) fn is_outside(&self) -> bool {
        self.depth == 0
    }

    pub(crate) fn step(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            self.arrow = false;
            return;
        };
        match punct.as_char() {
            '<' => self.depth += 1,
            '>' if !self.arrow => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.arrow = matches!(punct.as_char(), '-' | '=') && punct.spacing() == Spacing::Joint;
    }
}
