//! Names as the source has them. Linkers see `_ZN4core3fmt…` where people wrote `core::fmt…`; names that no
//! compiler mangled are left as they are.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

/// Longer names are cut: a few bytes of a mangled name can stand for megabytes.
const MAX_NAME: usize = 16 << 10;

/// The name for people, or `None` when `name` looks mangled and cannot be read.
#[must_use]
pub fn demangle(name: &str) -> Option<Cow<'_, str>> {
    // Versions of dynamic symbols are of no interest to a reader.
    let name = name.split_once("@@").map_or(name, |(name, _)| name);
    if !is_mangled(name) {
        return Some(Cow::Borrowed(name));
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        // Without the hash, which changes with every build.
        let mut text = Bounded::default();
        return (fmt::Write::write_fmt(&mut text, format_args!("{rust:#}")).is_ok() || text.is_cut)
            .then_some(Cow::Owned(text.text));
    }
    // What the compiler split off or specialised keeps its suffix: `.cold`, `.constprop.0`, `.llvm.123`.
    let (stem, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
    let symbol = cpp_demangle::Symbol::new(stem.as_bytes()).ok()?;
    let mut text = Bounded::default();
    let is_whole = symbol.structured_demangle(&mut text, &cpp_demangle::DemangleOptions::default()).is_ok();
    if !is_whole && !text.is_cut {
        return None;
    }
    if !suffix.is_empty() && !suffix.starts_with(".llvm.") {
        text.text.push_str(" [");
        text.text.push_str(suffix);
        text.text.push(']');
    }
    Some(Cow::Owned(text.text))
}

/// The name for people, or the mangled one when it cannot be read.
#[must_use]
pub fn readable(name: &str) -> Cow<'_, str> {
    demangle(name).unwrap_or(Cow::Borrowed(name))
}

/// Whether a compiler made the name, with namespaces and types in it.
#[must_use]
pub fn is_mangled(name: &str) -> bool {
    ["_Z", "_R", "__Z", "__R"].iter().any(|mark| name.starts_with(mark))
}

#[derive(Default)]
struct Bounded {
    text: String,
    is_cut: bool,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.text.len() + piece.len() > MAX_NAME {
            if !self.is_cut {
                self.text.push('…');
            }
            self.is_cut = true;
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: &str) {
        assert_eq!(readable(name), expect);
    }

    #[test]
    fn rust_names_lose_their_hash() {
        check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
        check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
    }

    #[test]
    fn cpp_names_are_readable_with_their_arguments() {
        check("_ZN3foo3barEi", "foo::bar(int)");
        check("_ZSt4sortIPiEvT_S1_", "void std::sort<int*>(int*, int*)");
        check("_ZN3foo3barEi.cold", "foo::bar(int) [.cold]");
    }

    #[test]
    fn other_names_stay_as_they_are() {
        for name in
            ["main", "memcpy", "_start", "foo.constprop.0", "_Zebra crossing", "_ZN", "runtime.mallocgc"]
        {
            check(name, name);
        }
        check("memcpy@@GLIBC_2.14", "memcpy");
    }

    #[test]
    fn a_name_that_grows_without_end_is_cut() {
        // Each substitution doubles the name: a template of a pair of what went before.
        let mut name = "_Z1fI1aE".to_owned();
        for depth in 0..30 {
            let last = if depth == 0 { "S_".to_owned() } else { format!("S{}_", radix36(depth - 1)) };
            name.push_str(&format!("1pI{last}{last}E"));
        }
        assert!(readable(&name).len() <= MAX_NAME + 8);
    }

    fn radix36(number: u32) -> String {
        let digit = |n: u32| char::from_digit(n, 36).unwrap().to_ascii_uppercase();
        if number < 36 {
            digit(number).to_string()
        } else {
            format!("{}{}", digit(number / 36), digit(number % 36))
        }
    }
}
