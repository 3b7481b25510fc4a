//! What makes one script of modules possible, of every module there is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, with their names relative to it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![PathBuf::from(folder)];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the folder is there");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let name = path.strip_prefix(folder).expect("it is below").to_string_lossy().replace('\\', "/");
        found.insert(name, fs::read_to_string(&path).expect("modules are text"));
    }
    found
}

fn modules() -> BTreeMap<String, String> {
    let mut all = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("modules"));
    all.retain(|name, _| name.ends_with(".js"));
    all
}

/// What a line at the top of a module declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["function ", "class ", "const ", "let "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "_$[{".contains(letter)));
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[test]
fn every_file_of_the_folder_is_carried() {
    for (name, text) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("modules")) {
        assert_eq!(calor_web::file(&name), Some(&*text), "add {name} to the table");
    }
    assert_eq!(calor_web::file("pages/none.js"), None);
}

#[test]
fn a_name_at_the_top_of_a_module_is_in_no_other() {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in modules() {
        for declared in text.lines().filter_map(declared) {
            assert!(
                !declared.starts_with(['[', '{']),
                "{name} takes something apart at its top, which hides names"
            );
            let other = known.insert(declared.to_owned(), name.clone());
            assert_eq!(other, None, "{declared} is in two modules, {name} is one of them");
        }
    }
}

#[test]
fn modules_are_written_so_that_lines_can_be_left_out() {
    for (name, text) in modules() {
        assert!(text.starts_with("// "), "{name} does not say why it exists");
        for (number, line) in (1..).zip(text.lines()) {
            let place = format!("modules/{name}:{number}");
            if line.starts_with("import ") {
                let is_plain =
                    line.starts_with("import { ") && line.ends_with(".js';") && !line.contains(" as ");
                assert!(is_plain, "{place}: imports are lists of names on a line");
            }
            if let Some(rest) = line.strip_prefix("export ") {
                assert!(declared(rest).is_some(), "{place}: exports are declarations");
            }
            assert_eq!(line.matches('`').count() % 2, 0, "{place}: a text goes over several lines");
            assert!(
                !line.contains("</") && !line.contains("<!--") && !line.contains("]]>"),
                "{place}: ends an element"
            );
            assert!(
                !line.contains("eval(") && !line.contains("innerHTML"),
                "{place}: makes code or markup of text"
            );
        }
    }
}

#[test]
fn the_script_of_a_page_has_all_that_it_needs() {
    for name in modules().keys().filter(|name| name.starts_with("pages/")) {
        let script = calor_web::script(name);
        assert!(script.ends_with('\n') && script.contains(&format!("// {name}\n")), "{name}");
        assert!(
            script.lines().all(|line| !line.starts_with("import ") && !line.starts_with("export ")),
            "{name}"
        );
        // Whoever reads the page finds the modules by their names.
        assert!(script.lines().next().is_some_and(|line| line.starts_with("// ")), "{name}");
    }
}

#[test]
fn what_a_module_imports_stands_before_it() {
    for name in modules().keys().filter(|name| name.starts_with("pages/")) {
        let script = calor_web::script(name);
        let places: BTreeMap<&str, usize> =
            script.lines().zip(0..).filter_map(|(line, at)| Some((line.strip_prefix("// ")?, at))).collect();
        for (module, at) in &places {
            let text = calor_web::file(module).expect("each part is a module");
            for import in text.lines().filter_map(|line| line.strip_prefix("import ")?.split('\'').nth(1)) {
                let file = import.rsplit('/').next().expect("an import has a name");
                let stands_before = places.iter().any(|(other, before)| other.ends_with(file) && before < at);
                assert!(stands_before, "{module} and {import} import each other in {name}");
            }
        }
    }
}
