//! The file that cachegrind writes: lines of counts under the function and file they belong to, and their sum.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "line {line} of valgrind's counts: expected {expected}, found `{found}`; is this valgrind older than 3.1?"
)]
pub struct FileError {
    line: usize,
    expected: &'static str,
    found: String,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Events {
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions that were not in the first cache.
    pub l1_instruction_misses: u64,
    /// Reads of data.
    pub data_reads: u64,
    /// Reads of data that was not in the first cache.
    pub l1_read_misses: u64,
    /// Writes of data.
    pub data_writes: u64,
    /// Writes of data that was not in the first cache.
    pub l1_write_misses: u64,
    /// Reads, of instructions and data, that not even the last cache had.
    pub last_level_read_misses: u64,
    /// Writes that not even the last cache had.
    pub last_level_write_misses: u64,
    /// Branches, conditional and indirect.
    pub branches: u64,
    /// Branches that were predicted wrongly.
    pub branch_misses: u64,
}

impl Events {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.fields().into_iter().zip(other.clone_fields()) {
            *own = own.saturating_add(more);
        }
    }

    /// Adds one number by the name that cachegrind has for it; names that are new to us are passed over.
    fn add_named(&mut self, name: &str, value: u64) {
        let field = match name {
            "Ir" => &mut self.instructions,
            "I1mr" => &mut self.l1_instruction_misses,
            "Dr" => &mut self.data_reads,
            "D1mr" => &mut self.l1_read_misses,
            "Dw" => &mut self.data_writes,
            "D1mw" => &mut self.l1_write_misses,
            "ILmr" | "DLmr" => &mut self.last_level_read_misses,
            "DLmw" => &mut self.last_level_write_misses,
            "Bc" | "Bi" => &mut self.branches,
            "Bcm" | "Bim" => &mut self.branch_misses,
            _ => return,
        };
        *field = field.saturating_add(value);
    }

    fn fields(&mut self) -> [&mut u64; 10] {
        [
            &mut self.instructions,
            &mut self.l1_instruction_misses,
            &mut self.data_reads,
            &mut self.l1_read_misses,
            &mut self.data_writes,
            &mut self.l1_write_misses,
            &mut self.last_level_read_misses,
            &mut self.last_level_write_misses,
            &mut self.branches,
            &mut self.branch_misses,
        ]
    }

    fn clone_fields(&self) -> [u64; 10] {
        let mut copy = *self;
        copy.fields().map(|field| *field)
    }
}

/// What one function did itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCounts {
    /// Its name; `None` where there is none.
    pub name: Option<String>,
    /// The file that most of its instructions are from; `None` where that is not known.
    pub file: Option<String>,
    /// What it did.
    pub counts: Events,
}

/// A file, taken apart.
#[derive(Debug, Default)]
pub(super) struct CountsFile {
    pub(super) command: String,
    pub(super) caches: Vec<String>,
    pub(super) totals: Events,
    pub(super) functions: Vec<FunctionCounts>,
}

/// What cachegrind writes where it does not know.
const UNKNOWN: &str = "???";

pub(super) fn parse(text: &str) -> Result<CountsFile, FileError> {
    let mut file = CountsFile::default();
    let mut events: Vec<&str> = Vec::new();
    let mut summary = None;
    let mut source = UNKNOWN;
    let mut at: Option<usize> = None;
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let fault =
            |expected| FileError { line: number + 1, expected, found: line.chars().take(60).collect() };
        let line = line.trim_end();
        if let Some(cache) = line.strip_prefix("desc: ") {
            file.caches.push(cache.to_owned());
        } else if let Some(command) = line.strip_prefix("cmd: ") {
            file.command = command.to_owned();
        } else if let Some(names) = line.strip_prefix("events: ") {
            events = names.split_whitespace().collect();
        } else if let Some(counts) = line.strip_prefix("summary: ") {
            summary = Some(numbers(counts).ok_or_else(|| fault("the sums as numbers"))?);
        } else if let Some(name) = ["fl=", "fi=", "fe="].iter().find_map(|mark| line.strip_prefix(mark)) {
            source = name;
        } else if let Some(name) = line.strip_prefix("fn=") {
            let found = *known.entry((source, name)).or_insert(file.functions.len());
            if found == file.functions.len() {
                let known = |text: &str| (text != UNKNOWN && !text.is_empty()).then(|| text.to_owned());
                let (name, file_name) = (known(name), known(source));
                file.functions.push(FunctionCounts { name, file: file_name, counts: Events::default() });
            }
            at = Some(found);
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let counts = line.split_once(' ').map_or("", |(_, counts)| counts);
            let counts = numbers(counts).ok_or_else(|| fault("a line number and counts"))?;
            let function = at.and_then(|at| file.functions.get_mut(at));
            let function = function.ok_or_else(|| fault("a function (fn=) before its counts"))?;
            for (name, value) in events.iter().zip(counts) {
                function.counts.add_named(name, value);
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            return Err(fault("desc:, cmd:, events:, summary:, fl=, fn= or counts"));
        }
    }
    let Some(summary) = summary.filter(|_| events.contains(&"Ir")) else {
        let line = text.lines().count();
        let found = text.lines().last().unwrap_or_default().chars().take(60).collect();
        return Err(FileError { line, expected: "events with Ir, and a summary at the end", found });
    };
    for (name, value) in events.iter().zip(summary) {
        file.totals.add_named(name, value);
    }
    Ok(file)
}

/// Adds the functions of another process.
pub(super) fn join(functions: &mut Vec<FunctionCounts>, more: Vec<FunctionCounts>) {
    if functions.is_empty() {
        *functions = more;
        return;
    }
    let key = |function: &FunctionCounts| (function.name.clone(), function.file.clone());
    let mut places: HashMap<_, usize> =
        functions.iter().enumerate().map(|(at, own)| (key(own), at)).collect();
    for function in more {
        match places.get(&key(&function)) {
            Some(at) => functions[*at].counts.add(&function.counts),
            None => {
                places.insert(key(&function), functions.len());
                functions.push(function);
            }
        }
    }
}

/// One row a function: code that was put into it from other files is part of it. What has no name is told by its file.
pub(super) fn by_name(mut functions: Vec<FunctionCounts>) -> Vec<FunctionCounts> {
    // The file of the largest part is that of the whole.
    functions.sort_by_key(|function| std::cmp::Reverse(function.counts.instructions));
    let mut places: HashMap<(Option<String>, Option<String>), usize> = HashMap::new();
    let mut merged: Vec<FunctionCounts> = Vec::new();
    for function in functions {
        let file = if function.name.is_none() { function.file.clone() } else { None };
        match places.entry((function.name.clone(), file)) {
            Entry::Occupied(known) => merged[*known.get()].counts.add(&function.counts),
            Entry::Vacant(new) => {
                new.insert(merged.len());
                merged.push(function);
            }
        }
    }
    merged
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    // A count that cannot be is a dot; counts at the end of a line that are 0 may be left out.
    text.split_whitespace().map(|word| if word == "." { Some(0) } else { word.parse().ok() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: ./work 3
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
fl=/src/work.c
fn=inner
4 100 1 1 20 2 1 10 1 1 5 1 2 1
5 50
fn=main
9 7 0 0 . . . 1 0 0
fl=???
fn=???
0 3 1 1
fl=/src/work.c
fn=inner
8 40
summary: 200 2 2 20 2 1 11 1 1 5 1 2 1
";

    #[test]
    fn counts_are_added_up_by_function_and_over_all() {
        let file = parse(FILE).expect("it is whole");
        assert_eq!(file.command, "./work 3");
        assert_eq!(file.caches, ["I1 cache:         32768 B, 64 B, 8-way associative"]);
        assert_eq!((file.totals.instructions, file.totals.last_level_read_misses), (200, 3));
        assert_eq!((file.totals.branches, file.totals.branch_misses), (7, 2));
        let names: Vec<_> = file.functions.iter().map(|function| function.name.as_deref()).collect();
        assert_eq!(names, [Some("inner"), Some("main"), None]);
        assert_eq!(file.functions[0].counts.instructions, 190);
        assert_eq!(file.functions[0].file.as_deref(), Some("/src/work.c"));
        let sum: u64 = file.functions.iter().map(|function| function.counts.instructions).sum();
        assert_eq!(sum, file.totals.instructions);
    }

    #[test]
    fn processes_are_added_up_by_function() {
        let mut functions = parse(FILE).expect("it is whole").functions;
        let mut other = parse(FILE).expect("it is whole").functions;
        other[1].name = Some("other".to_owned());
        join(&mut functions, other);
        let counts: Vec<_> = functions
            .iter()
            .map(|function| (function.name.as_deref().unwrap_or("-"), function.counts.instructions))
            .collect();
        assert_eq!(counts, [("inner", 380), ("main", 7), ("-", 6), ("other", 7)]);
    }

    #[test]
    fn code_from_other_files_belongs_to_the_function_it_was_put_into() {
        let text =
            "events: Ir\nfl=a.h\nfn=work\n1 5\nfl=a.c\nfn=work\n1 20\nfl=???\nfn=???\n0 9\nsummary: 34\n";
        let functions = by_name(parse(text).expect("it is whole").functions);
        let found: Vec<_> = functions
            .iter()
            .map(|one| (one.name.as_deref(), one.file.as_deref(), one.counts.instructions))
            .collect();
        assert_eq!(found, [(Some("work"), Some("a.c"), 25), (None, None, 9)]);
    }

    #[test]
    fn what_is_cut_off_or_no_such_file_is_an_error_with_its_line() {
        for (text, expected) in [
            ("", "summary"),
            ("events: Ir\nfl=a\nfn=b\n1 2\n", "summary"),
            ("events: Ir\n1 2\nsummary: 2\n", "line 2"),
            ("events: Ir\nfn=b\n1 x\nsummary: 2\n", "line 3"),
            ("hello\n", "line 1"),
            ("events: Dr\nsummary: 5\n", "Ir"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
        for length in 0..FILE.len() {
            // Never a panic, whatever is missing.
            let _ = parse(&FILE[..length]);
        }
    }
}
