//! A use of an attribute that cannot be expanded, told by the compiler at the token that caused it.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

pub(crate) struct Misuse {
    span: Span,
    message: String,
}

impl Misuse {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }

    /// The error and then the item as it was written, so that one mistake does not become ten
    /// "cannot find function" errors elsewhere.
    pub(crate) fn before(self, item: TokenStream) -> TokenStream {
        let mut tokens = self.compile_error();
        tokens.extend(item);
        tokens
    }

    fn compile_error(self) -> TokenStream {
        let punct = |c, spacing| TokenTree::Punct(Punct::new(c, spacing));
        let ident = |name| TokenTree::Ident(Ident::new(name, self.span));
        let message = TokenTree::Literal(Literal::string(&self.message));
        let tokens = [
            punct(':', Spacing::Joint),
            punct(':', Spacing::Alone),
            ident("core"),
            punct(':', Spacing::Joint),
            punct(':', Spacing::Alone),
            ident("compile_error"),
            punct('!', Spacing::Alone),
            TokenTree::Group(Group::new(Delimiter::Brace, message.into())),
        ];
        let at_cause = |mut token: TokenTree| {
            token.set_span(self.span);
            token
        };
        tokens.into_iter().map(at_cause).collect()
    }
}
