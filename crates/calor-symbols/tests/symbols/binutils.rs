//! Compares every address of a program with what `addr2line` of binutils says, where that is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use calor_testing::{Need, cannot};

use crate::programs::{Workshop, functions, resolve};

/// A function, the last part of its file's path, and its line.
type Frame = (String, String, Option<u32>);

/// What binutils says, outermost first; `None` where it is not installed.
fn oracle(path: &Path, addresses: &[u64]) -> Option<Vec<Vec<Frame>>> {
    use std::io::Write as _;
    let mut child = Command::new("addr2line")
        .args(["-a", "-f", "-i", "-C", "-e"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let input: String = addresses.iter().map(|address| format!("{address:#x}\n")).collect();
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let mut chains: Vec<Vec<Frame>> = Vec::new();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            chains.push(Vec::new());
            continue;
        }
        let place = lines.next().unwrap_or_default().split(" (").next().unwrap_or_default();
        let (file, number) = place.rsplit_once(':').unwrap_or((place, "?"));
        let file = file.rsplit('/').next().unwrap_or_default();
        let number = number.parse().ok().filter(|number| *number != 0);
        chains.last_mut()?.insert(0, (stem(line), file.to_owned(), number));
    }
    Some(chains)
}

/// A name without its arguments, which two demanglers space differently.
fn stem(name: &str) -> String {
    let name = name.split(['(', '<']).next().unwrap_or_default();
    name.rsplit([' ', ':']).next().unwrap_or_default().to_owned()
}

#[track_caller]
fn check(path: &Path) {
    let addresses = functions(path);
    let Some(expected) = oracle(path, &addresses) else {
        cannot(Need::Tool, "addr2line is not installed: nothing to compare with");
        return;
    };
    assert_eq!(expected.len(), addresses.len());
    let found = resolve(path, &addresses);
    let mut n_compared = 0;
    for ((address, expected), found) in addresses.iter().zip(&expected).zip(&found) {
        // Code of the C library's start-up files has no debug information, and binutils guesses there.
        if expected.iter().any(|(_, file, line)| file.starts_with("??") || line.is_none()) {
            continue;
        }
        let found: Vec<Frame> = found
            .iter()
            .map(|symbol| {
                let file = symbol.file.as_deref().unwrap_or_default();
                (stem(&symbol.name), file.rsplit('/').next().unwrap_or_default().to_owned(), symbol.line)
            })
            .collect();
        assert_eq!(&found, expected, "at {address:#x}");
        n_compared += 1;
    }
    assert!(n_compared > 50, "only {n_compared} of {} addresses have lines", addresses.len());
}

#[test]
fn every_address_of_a_c_program_is_as_binutils_has_it() {
    for version in ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
        let workshop = Workshop::new();
        check(&workshop.chain(&["-g", version]));
    }
}

#[test]
fn every_address_of_a_program_with_cold_parts_is_as_binutils_has_it() {
    let workshop = Workshop::new();
    check(&workshop.chain(&["-g", "-O3", "-freorder-blocks-and-partition", "-ffunction-sections"]));
}

#[test]
fn code_that_the_linker_dropped_hides_nothing() {
    // Dropped functions keep their entries, with addresses around 0.
    let workshop = Workshop::new();
    let dropped: String = (0..200)
        .map(|number| {
            format!("int dropped{number}(int x) {{ return x * {number} + dropped{number}(x / 3); }}\n")
        })
        .collect();
    std::fs::write(workshop.path("dropped.c"), dropped).unwrap();
    let options = ["dropped.c", "-g", "-ffunction-sections", "-Wl,--gc-sections", "-Wl,-z,noseparate-code"];
    check(&workshop.chain(&options));
}
