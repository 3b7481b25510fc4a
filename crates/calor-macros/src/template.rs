//! Written tokens with holes: a template is Rust text in which some identifiers stand for tokens of the user.
//!
//! The text gets a span of its own, so that what it declares cannot collide with a name of the user; what fills a
//! hole keeps its span, so that an error in it points to where it was written.

use proc_macro::{Group, Span, TokenStream, TokenTree};

pub(crate) fn fill(text: &str, holes: &[(&str, TokenStream)]) -> TokenStream {
    let text: TokenStream = text.parse().expect("the templates of this crate are valid tokens");
    fill_stream(text, holes)
}

fn fill_stream(text: TokenStream, holes: &[(&str, TokenStream)]) -> TokenStream {
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
            token = Group::new(group.delimiter(), fill_stream(group.stream(), holes)).into();
        }
        token.set_span(Span::mixed_site());
        filled.extend([token]);
    }
    filled
}
