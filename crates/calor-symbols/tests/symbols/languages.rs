//! Names and chains of C++ and Rust programs.

use std::fs;

use calor_testing::{Need, cannot};

use crate::programs::{Workshop, chain_text, functions, functions_named, resolve};

const CPP: &str = r#"
#include <algorithm>
#include <vector>
namespace shop {
template <typename T> struct Basket {
    std::vector<T> items;
    __attribute__((always_inline)) inline T total(T seed) const {
        auto add = [&](T a, T b) __attribute__((always_inline)) { return a * 31 + b; };
        T sum = seed;
        for (const T &item : items) sum = add(sum, item);
        return sum;
    }
    __attribute__((noinline)) T price(int n) const { return total(T(n)); }
};
}
__attribute__((noinline)) static bool later(const int &a, const int &b) { return a > b; }
int main(int argc, char **) {
    shop::Basket<long> basket;
    std::vector<int> numbers;
    for (int i = 0; i < argc * 40; i++) { basket.items.push_back(i); numbers.push_back(i * 7 % 13); }
    std::sort(numbers.begin(), numbers.end(), later);
    return static_cast<int>(basket.price(numbers[0])) & 1;
}
"#;

const RUST: &str = r#"
mod shop {
    pub struct Basket<T>(pub Vec<T>);
    impl<T: Copy + Into<u64>> Basket<T> {
        #[inline(always)]
        fn total(&self, seed: u64) -> u64 {
            self.0.iter().fold(seed, |sum, item| mix(sum, (*item).into()))
        }
        #[inline(never)]
        pub fn price(&self, n: u64) -> u64 {
            self.total(n)
        }
    }
    #[inline(always)]
    fn mix(a: u64, b: u64) -> u64 {
        (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17)
    }
}
fn main() {
    let n = std::env::args().count() as u64;
    let basket = shop::Basket((0..n as u32 * 50).collect::<Vec<u32>>());
    std::process::exit((basket.price(n) & 1) as i32);
}
"#;

#[test]
fn cpp_names_are_readable_and_lambdas_are_in_their_chain() {
    let workshop = Workshop::new();
    fs::write(workshop.path("shop.cpp"), CPP).unwrap();
    if std::process::Command::new("g++").arg("--version").output().is_err() {
        cannot(Need::Tool, "g++ is not installed");
        return;
    }
    for options in [&["-g"][..], &["-g", "-gsplit-dwarf"], &["-g", "-gdwarf-4", "-gz"]] {
        workshop.run("g++", &[&["-O2", "-o", "shop", "shop.cpp"], options].concat());
        let path = workshop.path("shop");
        let found = resolve(&path, &functions(&path));
        let is_found = |symbols: &&Vec<_>| {
            let text = chain_text(symbols);
            text.starts_with("shop::Basket<long>::price(int) const < shop::Basket<long>::total(long) const")
        };
        let price = found.iter().find(is_found).unwrap_or_else(|| panic!("{options:?}: no chain"));
        assert!(price[1].is_inlined && price[0].line == Some(13), "{price:?}");
        assert!(
            found.iter().any(|symbols| symbols.iter().any(|it| &*it.name == "later(int const&, int const&)"))
        );
        let is_mangled = |name: &str| name.starts_with("_Z");
        let mangled = found.iter().flatten().find(|symbol| is_mangled(&symbol.name));
        assert_eq!(mangled, None);
    }
}

#[track_caller]
fn check_rust(options: &[&str]) -> Workshop {
    let workshop = Workshop::new();
    fs::write(workshop.path("shop.rs"), RUST).unwrap();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    workshop.run(&rustc, &[&["--edition=2021", "-Copt-level=3", "shop.rs"], options].concat());
    check_shop(&workshop, options);
    workshop
}

#[track_caller]
fn check_shop(workshop: &Workshop, options: &[&str]) {
    let path = workshop.path("shop");
    let found = resolve(&path, &functions_named(&path, "shop"));
    let prices: Vec<_> = found
        .iter()
        .filter(|symbols| symbols.first().is_some_and(|it| it.name.ends_with("::price")))
        .collect();
    assert!(!prices.is_empty(), "{options:?}: no price");
    let deepest = prices.iter().max_by_key(|symbols| symbols.len()).unwrap();
    let text = chain_text(deepest);
    assert!(text.contains("total") && text.contains("mix"), "{options:?}: {text}");
    assert!(text.starts_with("shop::shop::Basket<") || text.starts_with("<shop::shop::Basket<"), "{text}");
    assert!(deepest[0].file.as_ref().is_some_and(|file| file.ends_with("shop.rs")), "{deepest:?}");
    let line = |needle: &str| RUST.lines().position(|line| line.contains(needle)).map(|at| at as u32 + 1);
    assert_eq!(deepest[0].line, line("self.total(n)"));
    assert_eq!(deepest[1].line, line("self.0.iter().fold"));
    let hashed = found.iter().flatten().find(|it| it.name.starts_with("_R") || it.name.contains("::h0"));
    assert_eq!(hashed, None, "names are without hashes");
}

#[test]
fn rust_chains_are_whole_with_full_debug_information() {
    check_rust(&["-g"]);
    check_rust(&["-g", "-Csymbol-mangling-version=v0"]);
}

#[test]
fn rust_chains_are_whole_with_line_tables_only() {
    check_rust(&["-Cdebuginfo=line-tables-only"]);
}

#[test]
fn rust_chains_are_whole_when_split_into_files_or_packed() {
    let unpacked = check_rust(&["-g", "-Csplit-debuginfo=unpacked"]);
    drop(unpacked);
    check_rust(&["-g", "-Csplit-debuginfo=packed"]);
}

#[test]
fn a_stripped_rust_program_is_told_how_to_be_built() {
    let workshop = check_rust(&["-g"]);
    workshop.run("strip", &["shop"]);
    let image = crate::programs::open(&workshop.path("shop"));
    let mut symbolizer = crate::programs::symbolizer();
    let code = image.segments().iter().find(|segment| segment.is_executable).unwrap().address;
    symbolizer.resolve(&image, &[code + 100]);
    let told = &symbolizer.shortcomings()[0];
    assert!(
        told.advice.contains("debug = \"line-tables-only\"") && told.advice.contains("strip = false"),
        "{told:?}"
    );
}
