//! Finds the items in a stream of tokens, and in an item what the attribute needs: its attributes, where its body
//! begins, and for a function its name and return type.
//!
//! This is not a parser of Rust. It knows how items start and how they end, and passes over the rest; what it does
//! not recognise is [`Kind::Other`] and is given back as it came.

use proc_macro::{Delimiter, Group, Ident, TokenTree};

use crate::signature::{output, self_type};
use crate::tokens::{AngleDepth, group, is_ident, is_punct, unwrapped};

pub(crate) struct Item {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) kind: Kind,
}

/// `#[...]`, doc comments included.
pub(crate) struct Attribute {
    pub(crate) pound: TokenTree,
    pub(crate) brackets: Group,
}

pub(crate) enum Kind {
    Function(Function),
    Block(Block),
    /// A method that a trait asks for without giving it a body.
    Signature(Vec<TokenTree>),
    Other(Vec<TokenTree>),
}

pub(crate) struct Function {
    /// All from the visibility to the end of the where clause.
    pub(crate) head: Vec<TokenTree>,
    pub(crate) name: Ident,
    pub(crate) constness: Option<TokenTree>,
    pub(crate) is_async: bool,
    /// What follows `->`; empty when there is no arrow.
    pub(crate) output: Vec<TokenTree>,
    pub(crate) body: Group,
}

/// An `impl`, a `trait` or an inline `mod`.
pub(crate) struct Block {
    pub(crate) head: Vec<TokenTree>,
    /// The type or trait whose methods these are; none for a module.
    pub(crate) owner: Option<String>,
    pub(crate) body: Group,
}

impl Item {
    /// Takes the first item off `trees`, which must not be empty.
    pub(crate) fn take(trees: &mut &[TokenTree]) -> Self {
        let mut attributes = Vec::new();
        while let [pound, TokenTree::Group(brackets), rest @ ..] = *trees
            && is_punct(Some(pound), '#')
            && brackets.delimiter() == Delimiter::Bracket
        {
            attributes.push(Attribute { pound: pound.clone(), brackets: brackets.clone() });
            *trees = rest;
        }
        let (kind, n_tokens) = Kind::read(trees);
        *trees = &trees[n_tokens..];
        Self { attributes, kind }
    }
}

impl Kind {
    /// The item at the start of `trees`, and how many tokens it takes.
    fn read(trees: &[TokenTree]) -> (Self, usize) {
        let start = visibility(trees);
        let keyword = start + qualifiers(&trees[start..]);
        let found = match trees.get(keyword) {
            Some(TokenTree::Ident(ident)) => match ident.to_string().as_str() {
                "fn" => function(trees, keyword).or_else(|| bodiless(trees, keyword)),
                "impl" => implementation(trees, keyword),
                "trait" => block(trees, keyword, name_after(trees, keyword)),
                "mod" => block(trees, keyword, None),
                _ => None,
            },
            _ => None,
        };
        found.unwrap_or_else(|| {
            let n_tokens = other(trees, start);
            (Self::Other(trees[..n_tokens].to_vec()), n_tokens)
        })
    }
}

/// `pub`, `pub(in path)`, or the invisible group that a `$vis` fragment travels in.
fn visibility(trees: &[TokenTree]) -> usize {
    if group(trees.first(), Delimiter::None).is_some() {
        return 1;
    }
    match is_ident(trees.first(), "pub") {
        true => 1 + usize::from(group(trees.get(1), Delimiter::Parenthesis).is_some()),
        false => 0,
    }
}

fn qualifiers(trees: &[TokenTree]) -> usize {
    const QUALIFIERS: [&str; 7] = ["const", "async", "unsafe", "safe", "default", "auto", "extern"];
    let is_qualifier = |(idx, token): (usize, &TokenTree)| match token {
        TokenTree::Ident(ident) => QUALIFIERS.contains(&ident.to_string().as_str()),
        // The ABI.
        TokenTree::Literal(_) => idx > 0 && is_ident(trees.get(idx - 1), "extern"),
        _ => false,
    };
    trees.iter().enumerate().take_while(|&pair| is_qualifier(pair)).count()
}

fn function(trees: &[TokenTree], keyword: usize) -> Option<(Kind, usize)> {
    let Some(TokenTree::Ident(name)) = trees.get(keyword + 1) else { return None };
    let (end, body) = body_after(trees, keyword + 2)?;
    let qualifiers = &trees[..keyword];
    Some((
        Kind::Function(Function {
            head: trees[..end].to_vec(),
            name: name.clone(),
            constness: qualifiers.iter().find(|token| is_ident(Some(token), "const")).cloned(),
            is_async: qualifiers.iter().any(|token| is_ident(Some(token), "async")),
            output: output(&trees[keyword + 2..end]),
            body,
        }),
        end + 1,
    ))
}

fn bodiless(trees: &[TokenTree], keyword: usize) -> Option<(Kind, usize)> {
    let Some(TokenTree::Ident(_)) = trees.get(keyword + 1) else { return None };
    let end = trees.iter().position(|token| is_punct(Some(token), ';'))? + 1;
    Some((Kind::Signature(trees[..end].to_vec()), end))
}

fn implementation(trees: &[TokenTree], keyword: usize) -> Option<(Kind, usize)> {
    let (end, _) = body_after(trees, keyword + 1)?;
    let owner = self_type(&trees[keyword + 1..end]);
    block(trees, keyword, Some(owner))
}

fn block(trees: &[TokenTree], keyword: usize, owner: Option<String>) -> Option<(Kind, usize)> {
    let (end, body) = body_after(trees, keyword + 1)?;
    Some((Kind::Block(Block { head: trees[..end].to_vec(), owner, body }), end + 1))
}

fn name_after(trees: &[TokenTree], keyword: usize) -> Option<String> {
    trees.get(keyword + 1).map(|name| name.to_string())
}

/// The index of the braces that end an item's head, unless a `;` ends it first.
fn body_after(trees: &[TokenTree], start: usize) -> Option<(usize, Group)> {
    let mut angles = AngleDepth::default();
    for (idx, token) in trees.iter().enumerate().skip(start) {
        if angles.is_outside() {
            if is_punct(Some(token), ';') {
                return None;
            }
            if let TokenTree::Group(group) = token
                && let Some(braces) = braces(group)
            {
                return Some((idx, braces));
            }
        }
        angles.step(token);
    }
    None
}

/// Braces, also those in the invisible group of a `$body:block` fragment.
fn braces(group: &Group) -> Option<Group> {
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => match unwrapped(group.stream()).as_slice() {
            [TokenTree::Group(only)] if only.delimiter() == Delimiter::Brace => Some(only.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The length of an item that is none of ours: up to its `;`, or its braces where these can end an item.
fn other(trees: &[TokenTree], start: usize) -> usize {
    // `#![...]` at the start of a block.
    if is_punct(trees.first(), '#') && is_punct(trees.get(1), '!') {
        return trees.len().min(3);
    }
    let ends_in_semicolon =
        ["use", "const", "static", "type"].iter().any(|keyword| is_ident(trees.get(start), keyword));
    let mut angles = AngleDepth::default();
    for (idx, token) in trees.iter().enumerate() {
        let ends = is_punct(Some(token), ';')
            || (!ends_in_semicolon && angles.is_outside() && group(Some(token), Delimiter::Brace).is_some());
        if ends {
            return idx + 1;
        }
        angles.step(token);
    }
    trees.len()
}
