//! The attributes `#[calor::profile]` and `#[calor::skip]`, written on `proc_macro` alone.
//!
//! A program that compiles Calor out must pull in no third-party crate, and the attribute is part of what such a
//! program still builds; so there is no parser library here. The attribute does not need to understand Rust, only
//! to find where a function's body begins (`item`) and to put a scope there (`body`).
//!
//! **You get** the same expansion whatever is recorded: what `scope!`, `site!` and `Scoped` mean is decided by the
//! `calor` crate. **It is not for** direct use: depend on `calor`, which exports these names.

#![forbid(unsafe_code)]

mod arguments;
mod block;
mod body;
mod item;
mod misuse;
mod signature;
mod template;
mod tokens;

use proc_macro::TokenStream;

/// Measures a function as a scope, or every function of an `impl`, `trait` or inline `mod` block.
///
/// The scope is named after the function, `Type::method` when the attribute is on the block; `#[profile("name")]` or
/// `#[profile(name = "name")]` on the function names it otherwise. On a method alone the attribute sees the method and
/// not the block around it, so the scope is called `method`, and its module and line tell it from others of that name:
/// put the attribute on the `impl` block, or write `#[profile("Type::method")]`, to see the type. `crate = path` says where `calor` is when the
/// dependency was renamed; on a `mod` block the path must start with `crate` or `::`.
///
/// In a block, `const fn`s and functions marked `#[calor::skip]` are left alone. An async function is measured from
/// its first poll to its last, with the time it was not being polled told apart. A function that returns a future
/// without being `async` itself is measured while it makes that future, not while the future runs.
#[proc_macro_attribute]
pub fn profile(arguments: TokenStream, item: TokenStream) -> TokenStream {
    block::expand(arguments, item).unwrap_or_else(|(misuse, item)| misuse.before(item))
}

/// What `profile` is when Calor is compiled out: misuse is still reported, the item stays as it was written.
#[proc_macro_attribute]
pub fn profile_off(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match block::expand(arguments, item.clone()) {
        Ok(_) => item,
        Err((misuse, item)) => misuse.before(item),
    }
}

/// Keeps a function out of the scopes of the `#[calor::profile]` on the block around it.
#[proc_macro_attribute]
pub fn skip(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match arguments::none_for_skip(arguments) {
        Ok(()) => item,
        Err(misuse) => misuse.before(item),
    }
}
