//! From one annotated item to all the functions in it that get a scope.

use proc_macro::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};

use crate::arguments::Arguments;
use crate::body;
use crate::item::{Attribute, Block, Item, Kind};
use crate::misuse::Misuse;
use crate::template;
use crate::tokens::{group, unwrapped};

/// Expands the attribute; a misuse comes with the item to put back.
pub(crate) fn expand(
    arguments: TokenStream,
    item: TokenStream,
) -> Result<TokenStream, (Misuse, TokenStream)> {
    let expanded = Arguments::parse(arguments).and_then(|arguments| annotated(arguments, item.clone()));
    expanded.map_err(|misuse| (misuse, item))
}

fn annotated(arguments: Arguments, item: TokenStream) -> Result<TokenStream, Misuse> {
    let trees = unwrapped(item);
    let Item { attributes, kind } = Item::take(&mut trees.as_slice());
    let mut tokens = attribute_tokens(&attributes);
    match kind {
        Kind::Function(function) => {
            if let Some(keyword) = &function.constness {
                return Err(Misuse::new(
                    keyword.span(),
                    "a const fn cannot be profiled, it also runs in the compiler: remove #[profile] or `const`",
                ));
            }
            let name = arguments.name.unwrap_or_else(|| scope_name(None, &function.name));
            tokens.extend(body::measured(function, name, &arguments.krate));
        }
        Kind::Block(block) => {
            if let Some(name) = arguments.name {
                return Err(Misuse::new(
                    name.span(),
                    "a name is for one function: on a block of them leave it out, and name the functions",
                ));
            }
            tokens.extend(measured_block(block, &arguments.krate));
        }
        Kind::Signature(trees) => tokens.extend(trees),
        Kind::Other(trees) => {
            let span = trees.first().map_or_else(Span::call_site, TokenTree::span);
            return Err(Misuse::new(
                span,
                "#[profile] goes on a function, a method, or an `impl`, `trait` or inline `mod` block",
            ));
        }
    }
    Ok(tokens)
}

fn measured_block(block: Block, krate: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = block.body.stream().into_iter().collect();
    let mut rest = trees.as_slice();
    let mut items = TokenStream::new();
    while !rest.is_empty() {
        items.extend(measured_member(Item::take(&mut rest), block.owner.as_deref(), krate));
    }
    let mut body = Group::new(Delimiter::Brace, items);
    body.set_span(block.body.span());
    let mut tokens: TokenStream = block.head.into_iter().collect();
    tokens.extend([TokenTree::Group(body)]);
    tokens
}

/// One item of a block. The attributes `#[skip]` and `#[profile]` of the item itself stay where they are: they
/// expand by themselves, and an import of theirs is then a used one.
fn measured_member(item: Item, owner: Option<&str>, krate: &TokenStream) -> TokenStream {
    let Item { mut attributes, kind } = item;
    let is_skipped = attributes.iter().any(|one| one.arguments("skip", krate).is_some());
    let own = attributes.iter_mut().find(|one| one.arguments("profile", krate).is_some());
    let measured = match (kind, own) {
        (Kind::Function(function), None) if !is_skipped && function.constness.is_none() => {
            let name = scope_name(owner, &function.name);
            body::measured(function, name, krate)
        }
        (Kind::Function(function), Some(own)) => {
            own.complete(|| scope_name(owner, &function.name), krate);
            Kind::Function(function).into_tokens()
        }
        (Kind::Block(block), None) if !is_skipped => measured_block(block, krate),
        (kind, _) => kind.into_tokens(),
    };
    let mut tokens = attribute_tokens(&attributes);
    tokens.extend(measured);
    tokens
}

fn scope_name(owner: Option<&str>, function: &Ident) -> Literal {
    let function = function.to_string();
    let function = function.trim_start_matches("r#");
    match owner {
        Some(owner) => Literal::string(&format!("{owner}::{function}")),
        None => Literal::string(function),
    }
}

fn attribute_tokens(attributes: &[Attribute]) -> TokenStream {
    attributes.iter().flat_map(|one| [one.pound.clone(), TokenTree::Group(one.brackets.clone())]).collect()
}

impl Attribute {
    /// The arguments of this attribute if it is ours and called `name`: as it is imported, or through the crate.
    /// Others have attributes of these names too, `#[rustfmt::skip]` for one.
    fn arguments(&self, name: &str, krate: &TokenStream) -> Option<TokenStream> {
        let mut trees = unwrapped(self.brackets.stream());
        let arguments = match group(trees.last(), Delimiter::Parenthesis) {
            Some(parentheses) => {
                let stream = parentheses.stream();
                trees.pop();
                stream
            }
            None => TokenStream::new(),
        };
        let path: String = trees.iter().map(ToString::to_string).collect();
        let krate: String = krate.clone().into_iter().map(|token| token.to_string()).collect();
        let ours = [
            name.to_owned(),
            format!("calor::{name}"),
            format!("::calor::{name}"),
            format!("{krate}::{name}"),
        ];
        ours.contains(&path).then_some(arguments)
    }

    /// Hands the name and the crate that the block knows to a `#[profile]` that does not say them itself.
    fn complete(&mut self, name: impl FnOnce() -> Literal, krate: &TokenStream) {
        let written = self.arguments("profile", krate).unwrap_or_default();
        // A misuse is left for the attribute's own expansion to report.
        let Ok(arguments) = Arguments::parse(written) else { return };
        let name = TokenStream::from(TokenTree::Literal(arguments.name.unwrap_or_else(name)));
        let krate = if arguments.krate.is_empty() { krate.clone() } else { arguments.krate };
        let path = unwrapped(self.brackets.stream());
        let path = path.into_iter().take_while(|token| !matches!(token, TokenTree::Group(_))).collect();
        let text = if krate.is_empty() { "PATH ( NAME )" } else { "PATH ( NAME , crate = KRATE )" };
        let span = self.brackets.span();
        let completed = template::fill(text, &[("PATH", path), ("NAME", name), ("KRATE", krate)]);
        self.brackets = Group::new(Delimiter::Bracket, completed);
        self.brackets.set_span(span);
    }
}

impl Kind {
    fn into_tokens(self) -> TokenStream {
        let (head, body) = match self {
            Self::Function(function) => (function.head, Some(function.body)),
            Self::Block(block) => (block.head, Some(block.body)),
            Self::Signature(trees) | Self::Other(trees) => (trees, None),
        };
        head.into_iter().chain(body.map(TokenTree::Group)).collect()
    }
}
