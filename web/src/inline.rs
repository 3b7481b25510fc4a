//! Makes one script of modules. A browser that opened a page from the disk refuses to load modules from beside it, import
//! maps need a `data:` address for each module, which a strict policy forbids and in which traces of errors cannot be
//! read, and addresses of blobs load later than the page. Modules one behind the other, without their `import` lines and
//! the word `export`, run in every browser and at once, and an error names a function and a line of the page.
//!
//! What this takes for granted the tests of this crate check of all modules: each name at the top of a module is unique
//! among all of them, imports are lists of such names, and no text goes over several lines.

use std::fmt::Write as _;

/// The script of a module, whose text and that of its imports `read` knows.
pub(crate) fn script<'t>(entry: &str, read: impl Fn(&str) -> Option<&'t str>) -> String {
    let mut script = String::new();
    let mut known = Vec::new();
    append(entry, &read, &mut known, &mut script);
    script
}

fn append<'t>(
    name: &str,
    read: &impl Fn(&str) -> Option<&'t str>,
    known: &mut Vec<String>,
    script: &mut String,
) {
    if known.iter().any(|known| known == name) {
        return;
    }
    known.push(name.to_owned());
    let text = read(name).unwrap_or_else(|| panic!("there is no module {name}"));
    for import in imports(text) {
        append(&beside(name, import), read, known, script);
    }
    let _ = writeln!(script, "// {name}");
    // Comments are for who reads the module; half of them are types.
    let code = text.lines().filter(|line| !is_comment(line) && imported(line).is_none());
    for line in code.filter(|line| !line.is_empty()) {
        script.push_str(line.strip_prefix("export ").unwrap_or(line));
        script.push('\n');
    }
}

/// What the lines of a module import from, in order.
pub(crate) fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(imported)
}

fn imported(line: &str) -> Option<&str> {
    line.strip_prefix("import ")?.split_once('\'')?.1.strip_suffix("';")
}

/// A line of nothing but a comment. Comments of several lines begin theirs with stars.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_whole = line.starts_with("/**") && (line.ends_with("*/") || !line.contains("*/"));
    is_whole || line.starts_with("// ") || line.starts_with("* ") || line == "*/" || line == "*"
}

/// The name that `import` means inside the module `name`.
fn beside(name: &str, import: &str) -> String {
    let mut path: Vec<&str> = name.split('/').collect();
    path.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(modules: &[(&'static str, &'static str)], entry: &str) -> String {
        script(entry, |name| modules.iter().find(|(known, _)| *known == name).map(|(_, text)| *text))
    }

    #[test]
    fn what_a_module_imports_stands_before_it_and_once() {
        let modules = [
            (
                "pages/a.js",
                "import { b } from '../parts/b.js';\nimport { c } from '../parts/c.js';\n\nb(c);\n",
            ),
            ("parts/b.js", "import { c } from './c.js';\n\nexport function b() {\n  c();\n}\n"),
            ("parts/c.js", "export const c = 1;\n"),
        ];
        let script = of(&modules, "pages/a.js");
        assert_eq!(
            script,
            "// parts/c.js\nconst c = 1;\n// parts/b.js\nfunction b() {\n  c();\n}\n// pages/a.js\nb(c);\n"
        );
    }

    #[test]
    fn comments_stay_where_they_are_written() {
        let text = "// Why.\n\n/**\n * What.\n * @param {number} a\n */\nexport function f(a) {\n  // Here.\n  \
                    const b = /** @type {number} */ (a);\n  /** @type {number} */\n  return b * 2;\n}\n";
        assert_eq!(
            of(&[("f.js", text)], "f.js"),
            "// f.js\nfunction f(a) {\n  const b = /** @type {number} */ (a);\n  return b * 2;\n}\n"
        );
    }

    #[test]
    fn paths_are_followed_from_the_module_that_imports() {
        for (name, import, expected) in [
            ("pages/a.js", "../values.js", "values.js"),
            ("flame/a.js", "./rows.js", "flame/rows.js"),
            ("a.js", "./b/c.js", "b/c.js"),
        ] {
            assert_eq!(beside(name, import), expected);
        }
    }
}
