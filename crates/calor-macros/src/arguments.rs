//! What may stand between the brackets of `#[profile(...)]`.

use proc_macro::{Literal, Span, TokenStream, TokenTree};

use crate::misuse::Misuse;
use crate::tokens::{is_ident, is_punct, unwrapped};

const ALLOWED: &str =
    "allowed are #[profile], #[profile(\"name\")], #[profile(name = \"name\")] and `crate = path`";

#[derive(Clone, Default)]
pub(crate) struct Arguments {
    /// Kept as the literal that was written, so that escapes and raw strings mean what they say.
    pub(crate) name: Option<Literal>,
    /// Where `calor` is; empty for `::calor`.
    pub(crate) krate: TokenStream,
}

impl Arguments {
    pub(crate) fn parse(stream: TokenStream) -> Result<Self, Misuse> {
        let mut arguments = Self::default();
        let trees = unwrapped(stream);
        for argument in trees.split(|token| is_punct(Some(token), ',')) {
            // `split` yields one empty piece for `#[profile()]` and one after a trailing comma.
            if let Some(first) = argument.first() {
                arguments.take(first, argument)?;
            }
        }
        Ok(arguments)
    }

    fn take(&mut self, first: &TokenTree, argument: &[TokenTree]) -> Result<(), Misuse> {
        if is_ident(Some(first), "crate") && is_punct(argument.get(1), '=') {
            return self.take_crate(first.span(), &argument[2..]);
        }
        if is_ident(Some(first), "name") && is_punct(argument.get(1), '=') {
            return self.take_name(first.span(), &argument[2..]);
        }
        match string(argument) {
            Some(_) => self.take_name(first.span(), argument),
            None => Err(Misuse::new(first.span(), format!("unknown argument `{first}`: {ALLOWED}"))),
        }
    }

    fn take_name(&mut self, span: Span, value: &[TokenTree]) -> Result<(), Misuse> {
        let at = value.first().map_or(span, TokenTree::span);
        let literal = string(value)
            .ok_or_else(|| Misuse::new(at, format!("the name of a scope is a string literal: {ALLOWED}")))?;
        if literal.to_string().trim_matches(['r', '#']) == "\"\"" {
            return Err(Misuse::new(
                at,
                "the name of a scope is empty: write one, or leave the argument out",
            ));
        }
        match self.name.replace(literal) {
            None => Ok(()),
            Some(_) => Err(Misuse::new(at, "the scope is named twice: keep one of the names")),
        }
    }

    fn take_crate(&mut self, span: Span, path: &[TokenTree]) -> Result<(), Misuse> {
        if !self.krate.is_empty() {
            return Err(Misuse::new(span, "`crate` is given twice: keep one of the paths"));
        }
        let stray =
            path.iter().find(|token| !matches!(token, TokenTree::Ident(_)) && !is_punct(Some(token), ':'));
        match (path.last(), stray) {
            (Some(TokenTree::Ident(_)), None) => {
                self.krate = path.iter().cloned().collect();
                Ok(())
            }
            (last, stray) => {
                let at = stray.or(last).map_or(span, TokenTree::span);
                Err(Misuse::new(at, "`crate` takes a path without quotes, as in `crate = my::calor`"))
            }
        }
    }
}

/// `#[skip]` takes nothing.
pub(crate) fn none_for_skip(stream: TokenStream) -> Result<(), Misuse> {
    match stream.into_iter().next() {
        None => Ok(()),
        Some(token) => Err(Misuse::new(token.span(), "#[skip] takes no arguments")),
    }
}

fn string(value: &[TokenTree]) -> Option<Literal> {
    let value = unwrapped(value.iter().cloned().collect());
    match value.as_slice() {
        [TokenTree::Literal(literal)] => {
            let text = literal.to_string();
            let is_string = text.starts_with('"') || text.starts_with("r\"") || text.starts_with("r#");
            // A suffix, as in "name"u8, ends in something other than a quote.
            (is_string && text.trim_end_matches('#').ends_with('"')).then(|| literal.clone())
        }
        _ => None,
    }
}
