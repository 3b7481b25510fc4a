//! Puts a scope into the body of one function.

use proc_macro::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};

use crate::item::Function;
use crate::template;
use crate::tokens::{group, is_ident, is_punct};

/// The function with its body measured under `name`, which lives in the crate at the path `krate`.
pub(crate) fn measured(function: Function, name: Literal, krate: &TokenStream) -> TokenStream {
    let (inner_attributes, statements) = split_inner_attributes(function.body.stream());
    // A site asks the compiler for its line, and that is the one the macro call is written on: the function's, and
    // not the attribute's, which may be on a block far above.
    let line = function.name.span();
    let krate = match krate.is_empty() {
        true => template::fill_at(line, ":: calor", &[]),
        false => moved_to(line, krate.clone()),
    };
    let name = moved_to(line, TokenTree::Literal(name).into());
    let holes = [("KRATE", krate.clone()), ("NAME", name)];
    let body = match function.is_async {
        false => {
            let mut body = template::fill_at(line, "KRATE :: scope ! ( NAME ) ;", &holes);
            body.extend(statements);
            body
        }
        true => {
            let site = template::fill_at(line, "KRATE :: site ! ( NAME )", &holes);
            let future = future(&function, statements);
            let holes = [("KRATE", krate), ("SITE", site), ("FUTURE", future)];
            match is_never(&function.output) {
                false => template::fill(AWAIT, &holes),
                true => template::fill(AWAIT_FOR_EVER, &holes),
            }
        }
    };
    let mut block = inner_attributes;
    block.extend(body);
    let mut tokens: TokenStream = function.head.iter().cloned().collect();
    tokens.extend([with_body(&function.body, block)]);
    tokens
}

const AWAIT: &str = "KRATE :: Scoped :: new ( SITE , async move FUTURE ) . await";

const AWAIT_FOR_EVER: &str = "match KRATE :: Scoped :: new ( SITE , async move FUTURE ) . await { }";

const TYPE_HINT: &str = "
    # [ allow ( unreachable_code , unused_qualifications , clippy :: all , clippy :: pedantic ) ]
    if false { let output : OUTPUT = loop { } ; return output ; }";

/// The block of the inner future. A `?` in it needs to know what it converts to, and an `async` block has no place
/// to write its type; so the block starts with a return of the right type that never happens.
fn future(function: &Function, statements: TokenStream) -> TokenStream {
    let output: TokenStream = function.output.iter().cloned().collect();
    let block = if contains_impl(output.clone()) {
        statements
    } else {
        let output = match function.output.is_empty() {
            true => template::fill("( )", &[]),
            // `!` cannot be written as the type of a variable; the empty enum stands for it.
            false if is_never(&function.output) => template::fill(":: core :: convert :: Infallible", &[]),
            false => output,
        };
        let mut block = template::fill(TYPE_HINT, &[("OUTPUT", output)]);
        block.extend(statements);
        block
    };
    with_body(&function.body, block).into()
}

/// The same tokens, meaning what they mean where they were written, in another place.
fn moved_to(place: Span, stream: TokenStream) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(token.span().located_at(place));
        token
    };
    stream.into_iter().map(moved).collect()
}

/// Braces around `stream` in the place of `original`: errors about the block as a whole point to the function.
fn with_body(original: &Group, stream: TokenStream) -> TokenTree {
    let mut group = Group::new(Delimiter::Brace, stream);
    group.set_span(original.span());
    group.into()
}

fn is_never(output: &[TokenTree]) -> bool {
    matches!(output, [only] if is_punct(Some(only), '!'))
}

fn contains_impl(stream: TokenStream) -> bool {
    stream.into_iter().any(|token| match &token {
        TokenTree::Group(group) => contains_impl(group.stream()),
        _ => is_ident(Some(&token), "impl"),
    })
}

/// `#![...]` and `//!` are allowed only before the first statement, so they go before ours.
fn split_inner_attributes(stream: TokenStream) -> (TokenStream, TokenStream) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut n_tokens = 0;
    while is_punct(trees.get(n_tokens), '#')
        && is_punct(trees.get(n_tokens + 1), '!')
        && group(trees.get(n_tokens + 2), Delimiter::Bracket).is_some()
    {
        n_tokens += 3;
    }
    let (attributes, statements) = trees.split_at(n_tokens);
    (attributes.iter().cloned().collect(), statements.iter().cloned().collect())
}
