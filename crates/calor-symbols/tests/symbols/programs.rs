//! Builds small programs and takes them apart.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use calor_symbols::image::Image;
use calor_symbols::{Symbol, SymbolOptions, Symbolizer};
use object::{Object, ObjectSymbol};
use tempfile::TempDir;

/// `outer` holds `middle`, which holds `inner`, all in one function after inlining.
pub(crate) const CHAIN: &str = r#"
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned inner(unsigned x) {
    for (unsigned i = 0; i < 10; i++)
        x = x * 1103515245u + (x >> 7);
    return x;
}
static inline __attribute__((always_inline)) unsigned middle(unsigned x) {
    unsigned y = inner(x + 1);
    return y ^ inner(y);
}
__attribute__((noinline)) unsigned outer(unsigned x) {
    return middle(x) + 3;
}
static __attribute__((noinline)) unsigned hidden(unsigned x) {
    if (x == 77)
        printf("%u\n", outer(x));
    return outer(x) * 5;
}
int main(int argc, char **argv) {
    (void)argv;
    return (int)(hidden((unsigned)argc) & 1);
}
"#;

/// A folder in which programs are built.
pub(crate) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a tool in the folder; panics with its complaints when it fails.
    #[track_caller]
    pub(crate) fn run(&self, tool: &str, arguments: &[&str]) {
        assert!(self.try_run(tool, arguments), "{tool} {arguments:?} failed");
    }

    pub(crate) fn try_run(&self, tool: &str, arguments: &[&str]) -> bool {
        let result = Command::new(tool).args(arguments).current_dir(self.folder.path()).output();
        let output = result.unwrap_or_else(|error| panic!("{tool} is needed for this test: {error}"));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output.status.success()
    }

    /// Compiles [`CHAIN`] as `chain` with these options.
    pub(crate) fn chain(&self, options: &[&str]) -> PathBuf {
        std::fs::write(self.path("chain.c"), CHAIN).unwrap();
        let mut arguments = vec!["-O2", "-o", "chain", "chain.c"];
        arguments.extend(options);
        self.run("cc", &arguments);
        self.path("chain")
    }
}

/// The code of a function by its name in the symbol table.
#[track_caller]
pub(crate) fn function(path: &Path, name: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name() == Ok(name))
        .unwrap_or_else(|| panic!("no {name} in {}", path.display()));
    assert!(symbol.size() > 0);
    (symbol.address()..symbol.address() + symbol.size()).collect()
}

/// The addresses of all functions of the program.
pub(crate) fn functions(path: &Path) -> Vec<u64> {
    functions_named(path, "")
}

/// The addresses of the functions whose name, as the linker has it, contains a piece of text.
pub(crate) fn functions_named(path: &Path, piece: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let mut addresses: Vec<u64> = file
        .symbols()
        .filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.size() > 0)
        .filter(|symbol| symbol.name().is_ok_and(|name| name.contains(piece)))
        .flat_map(|symbol| symbol.address()..symbol.address() + symbol.size())
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

pub(crate) fn open(path: &Path) -> Arc<Image> {
    Arc::new(Image::open(&path.to_string_lossy(), path).unwrap())
}

pub(crate) fn symbolizer() -> Symbolizer {
    Symbolizer::new(SymbolOptions { cache: None, ..SymbolOptions::default() })
}

pub(crate) fn resolve(path: &Path, addresses: &[u64]) -> Vec<Vec<Symbol>> {
    symbolizer().resolve(&open(path), addresses)
}

/// A chain as a line of text: `outer < middle < inner`.
pub(crate) fn chain_text(symbols: &[Symbol]) -> String {
    symbols.iter().map(|symbol| symbol.name.to_string()).collect::<Vec<_>>().join(" < ")
}

/// Checks that the chain of [`CHAIN`] is whole, with the lines of its calls.
#[track_caller]
pub(crate) fn check_chain(path: &Path, addresses: &[u64]) {
    let found = resolve(path, addresses);
    let deepest: Vec<&Vec<Symbol>> = found.iter().filter(|symbols| symbols.len() == 3).collect();
    assert!(!deepest.is_empty(), "no chain of three in {:?}", found.first());
    let line = |needle: &str| CHAIN.lines().position(|line| line.contains(needle)).map(|at| at as u32 + 1);
    for symbols in deepest {
        assert_eq!(chain_text(symbols), "outer < middle < inner");
        assert_eq!(symbols[0].line, line("return middle(x)"));
        assert!([line("inner(x + 1)"), line("y ^ inner(y)")].contains(&symbols[1].line));
        assert!((4..=6).contains(&symbols[2].line.unwrap()), "{:?}", symbols[2]);
        assert_eq!(symbols.iter().map(|it| it.is_inlined).collect::<Vec<_>>(), [false, true, true]);
        assert!(symbols.iter().all(|it| it.file.as_ref().is_some_and(|file| file.ends_with("/chain.c"))));
    }
}
