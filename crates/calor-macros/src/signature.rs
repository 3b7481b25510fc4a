//! What is read from between an item's keyword and its body: a return type, the name of an implementing type.

use proc_macro::{TokenStream, TokenTree};

use crate::tokens::{AngleDepth, is_ident, is_punct};

/// The tokens of the return type, given what lies between a function's name and its body.
pub(crate) fn output(signature: &[TokenTree]) -> Vec<TokenTree> {
    let outside: Vec<usize> = outside_angles(signature);
    let end = outside.iter().copied().find(|&idx| is_ident(signature.get(idx), "where"));
    let end = end.unwrap_or(signature.len());
    let arrow = outside
        .into_iter()
        .find(|&idx| is_punct(signature.get(idx), '-') && is_punct(signature.get(idx + 1), '>'))
        .filter(|&idx| idx < end);
    arrow.map(|idx| signature[idx + 2..end].to_vec()).unwrap_or_default()
}

/// How the type of an `impl` header is called in the name of a scope: `Tree` for `impl<T> Walk for a::Tree<T>`.
pub(crate) fn self_type(header: &[TokenTree]) -> String {
    let outside = outside_angles(header);
    let find = |name| outside.iter().copied().find(|&idx| is_ident(header.get(idx), name));
    let end = find("where").unwrap_or(header.len());
    // The first `for` separates trait and type; a later one is the `for<'a>` of a function pointer.
    let start = find("for").filter(|&idx| idx < end).map_or(0, |idx| idx + 1);
    let mut name = None;
    for &idx in outside.iter().filter(|&&idx| (start..end).contains(&idx)) {
        match &header[idx] {
            TokenTree::Ident(ident) => {
                let is_lifetime = idx > 0 && is_punct(header.get(idx - 1), '\'');
                let word = ident.to_string();
                if !is_lifetime && !matches!(word.as_str(), "dyn" | "mut" | "const") {
                    name = Some(word);
                }
            }
            // `dyn Fn(u8) -> u8 + Send` is called for its first bound.
            TokenTree::Punct(punct) if matches!(punct.as_char(), '+' | '-') && name.is_some() => break,
            _ => {}
        }
    }
    name.unwrap_or_else(|| header[start..end].iter().cloned().collect::<TokenStream>().to_string())
}

fn outside_angles(trees: &[TokenTree]) -> Vec<usize> {
    let mut angles = AngleDepth::default();
    let mut outside = Vec::new();
    for (idx, token) in trees.iter().enumerate() {
        if angles.is_outside() {
            outside.push(idx);
        }
        angles.step(token);
    }
    outside
}
