//! Written tokens with holes: a template is Rust text in which some identifiers stand for tokens of the user.
//!
//! What fills a hole keeps its span, so that an error in it points to where it was written.

use proc_macro::{Group, Span, TokenStream, TokenTree};

/// Fills a template whose text has a span of its own, so that nothing it declares can collide with a name of the user.
pub(crate) fn fill(text: &str, holes: &[(&str, TokenStream)]) -> TokenStream {
    fill_at(Span::mixed_site(), text, holes)
}

/// Fills a template whose text counts as written at `span`.
pub(crate) fn fill_at(span: Span, text: &str, holes: &[(&str, TokenStream)]) -> TokenStream {
    let text: TokenStream = text.parse().expect("the templates of this crate are valid tokens");
    fill_stream(span, text, holes)
}

fn fill_stream(span: Span, text: TokenStream, holes: &[(&str, TokenStream)]) -> TokenStream {
    let mut filled = TokenStream::new();
    for mut token in text {
        if let TokenTree::Ident(ident) = &token {
            let name = ident.to_string();
            if let Some((_, tokens)) = holes.iter().find(|(hole, _)| *hole == name) {
                filled.extend(tokens.clone());
                continue;
            }
        }
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), fill_stream(span, group.stream(), holes)).into();
        }
        token.set_span(span);
        filled.extend([token]);
    }
    filled
}
