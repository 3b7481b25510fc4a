//! Names of Rust functions as people write them. The compiler's names carry hashes, whole types and every generic
//! argument; a report has room for the function.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Names nested deeper than this are left alone: no compiler writes them.
const MAX_NESTING: usize = 64;

/// The name behind a mangled Rust symbol, without its hash. Any other name stays as it is; those of C++ too.
#[must_use]
pub fn demangle(name: &str) -> Cow<'_, str> {
    let Ok(symbol) = rustc_demangle::try_demangle(name) else { return Cow::Borrowed(name) };
    let (mut with_hash, mut plain) = (String::new(), String::new());
    if write!(with_hash, "{symbol}").is_err() || write!(plain, "{symbol:#}").is_err() {
        return Cow::Borrowed(name);
    }
    // C++ has symbols of the same outer shape as Rust's older scheme; only Rust's end in a hash.
    let is_rust = name.trim_start_matches('_').starts_with('R') || with_hash != plain;
    if is_rust { Cow::Owned(plain) } else { Cow::Borrowed(name) }
}

/// A Rust name without what a reader can do without. It is demangled first, if need be; then
///
/// - the hash at the end goes: `run::h0123456789abcdef` becomes `run`;
/// - generic arguments go: `Vec<T>::push::<u8>` becomes `Vec::push`;
/// - a method is named by its type, or by its trait where the type has no name: `<a::B as c::D>::f` becomes
///   `a::B::f`, `<&T as c::D>::f` becomes `c::D::f`, `a::<impl D for B>::f` becomes `a::B::f`;
/// - closures and the like lose numbers and double braces: `f::{{closure}}` and `f::{closure#1}` become
///   `f::{closure}`.
///
/// Names that do not read as Rust, such as those of C++ with their parameters, stay as they are. Simplifying twice
/// is simplifying once.
#[must_use]
pub fn simplify(name: &str) -> Cow<'_, str> {
    let mut simple = demangle(name);
    // One thing removed can bare another, such as a hash in front of generic arguments. Every round makes the
    // name shorter, so there is a last one.
    while let Some(shorter) = shorten(&simple) {
        simple = Cow::Owned(shorter);
    }
    simple
}

/// One round; `None` when nothing can go.
fn shorten(name: &str) -> Option<String> {
    if !reads_as_rust(name) {
        return None;
    }
    let mut short = without_brackets(name);
    while let Some(rest) = without_hash(&short) {
        short.truncate(rest.len());
    }
    let short = plain_braces(&short);
    (!short.is_empty() && short.len() < name.len()).then_some(short)
}

/// Whether the brackets of a name close, not too deep, and nothing but paths stands outside them.
fn reads_as_rust(name: &str) -> bool {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' if previous == '-' => {}
            '>' if depth == 0 => return false,
            '>' => depth -= 1,
            '(' | ')' | ' ' | '~' if depth == 0 => return false,
            _ => {}
        }
        if depth > MAX_NESTING {
            return false;
        }
        previous = c;
    }
    let is_one_bracket = name.starts_with('<') && closing(name).is_some_and(|at| at + 1 == name.len());
    depth == 0 && !is_one_bracket && !name.contains("operator")
}

/// The path without anything in angle brackets, except the type at its beginning or of an `impl`.
fn without_brackets(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(open) = rest.find('<') {
        path.push_str(&rest[..open]);
        rest = &rest[open..];
        let Some(close) = closing(rest) else { break };
        let inside = &rest[1..close];
        rest = &rest[close + 1..];
        let named = if path.is_empty() {
            Some(method_owner(inside))
        } else {
            inside.strip_prefix("impl ").map(|header| {
                let header = split_outside_brackets(header, " for ").map_or(header, |(_, owner)| owner);
                owner_name(header).map_or(String::new(), |owner| last_segment(&owner).to_owned())
            })
        };
        match named {
            Some(named) if !named.is_empty() => path.push_str(&named),
            // What is left out takes its own separator with it.
            _ => path.truncate(path.strip_suffix("::").unwrap_or(&path).len()),
        }
    }
    path.push_str(rest);
    path
}

/// What to call the owner of a method, given as `Type` or `Type as Trait`.
fn method_owner(qualified: &str) -> String {
    let (owner, of_trait) = match split_outside_brackets(qualified, " as ") {
        Some((owner, of_trait)) => (owner, Some(of_trait)),
        None => (qualified, None),
    };
    owner_name(owner).or_else(|| owner_name(of_trait?)).unwrap_or_default()
}

/// The path of a type; `None` for slices, tuples, pointers to functions and type parameters, which have no path.
fn owner_name(owner: &str) -> Option<String> {
    let mut owner = owner;
    while let Some(inner) =
        ["&", "mut ", "dyn ", "*const ", "*mut "].iter().find_map(|prefix| owner.strip_prefix(prefix))
    {
        owner = inner;
    }
    let path = without_brackets(owner);
    let is_path = !path.is_empty() && path.chars().all(|c| c.is_alphanumeric() || "_:{}#.".contains(c));
    let is_parameter = path.len() == 1 && path.chars().all(char::is_uppercase);
    (is_path && !is_parameter).then_some(path)
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The place of the `>` that closes the `<` at the beginning.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if previous != b'-' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        previous = byte;
    }
    None
}

fn split_outside_brackets<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_usize;
    let mut previous = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if previous == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && text[at..].starts_with(separator) => {
                return Some((&text[..at], &text[at + separator.len()..]));
            }
            _ => {}
        }
        previous = byte;
    }
    None
}

/// The name before `::h` and sixteen hexadecimal digits.
fn without_hash(name: &str) -> Option<&str> {
    let (rest, last) = name.rsplit_once("::")?;
    let digits = last.strip_prefix('h')?;
    let is_hash =
        digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (is_hash && !rest.is_empty()).then_some(rest)
}

/// Segments such as `{{closure}}` or `{closure#0}` as `{closure}`.
fn plain_braces(name: &str) -> String {
    let segments = name.split("::").map(|segment| {
        let Some(inside) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return segment.to_owned();
        };
        let inside = inside.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(inside);
        match inside.rsplit_once('#') {
            Some((kind, number)) if number.bytes().all(|b| b.is_ascii_digit()) => format!("{{{kind}}}"),
            _ => format!("{{{inside}}}"),
        }
    });
    segments.collect::<Vec<_>>().join("::")
}
