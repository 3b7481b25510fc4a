//! The modules and styles of Calor's pages: written by hand, checked by `tsc` and run as they are. This crate carries
//! their text, so that `cargo install` brings them and nothing has to be built.
//!
//! **You bring** the name of a module, as it stands in the folder `modules`. **You get** its text with [`file`], for
//! whoever serves it, or with [`script`] one script of the module and all that it imports, for a page that is one file.
//!
//! ```
//! let page = format!("<style>\n{}</style>", calor_web::style(&["page/page.css"]));
//! let page = format!("{page}<script type=\"module\">\n{}</script>", calor_web::script("pages/sections.js"));
//! assert!(!page.contains("import "));
//! ```

mod files;
mod inline;

/// The text of a module or style; `None` where there is none of this name.
#[must_use]
pub fn file(name: &str) -> Option<&'static str> {
    files::FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// One script that does what the module does, with all that it imports in front of it. In a page it is the inside of a
/// `script` element of the type `module`.
///
/// # Panics
/// When there is no such module: names are written in the program.
#[must_use]
pub fn script(module: &str) -> String {
    inline::script(module, file)
}

/// The styles one behind the other, for the inside of a `style` element.
///
/// # Panics
/// When there is no such style: names are written in the program.
#[must_use]
pub fn style(names: &[&str]) -> String {
    names.iter().map(|name| file(name).unwrap_or_else(|| panic!("there is no style {name}"))).collect()
}
