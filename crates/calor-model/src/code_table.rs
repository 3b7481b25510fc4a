//! The machine code of the hottest compiled functions, and how often each of their instructions was met. It is kept
//! with the profile because a program is rebuilt sooner than its profile is looked at, and then its file tells of
//! other code. A recorder keeps few functions, so that a file stays small.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{StringId, StringTable};

/// What a row of the [`CodeTable`] is about: one function of one build of a program or library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodeKey {
    /// The function's name, as frames have it.
    pub name: StringId,
    /// The program or library it belongs to, as frames have it.
    pub module: Option<StringId>,
    /// Which build of it: the linker's number, or a checksum of the function where there is none. Rows that are equal
    /// in this have the same code.
    pub build: StringId,
    /// Where the function begins by the file's own reckoning.
    pub start: u64,
}

/// The source of a piece of code, which reaches up to the next piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodeLine {
    /// Where the piece begins, from the function's start.
    pub offset: u32,
    /// The innermost function that the compiler put there; `None` where the source is not known.
    pub function: Option<StringId>,
    /// The source file.
    pub file: Option<StringId>,
    /// The line in it, from 1.
    pub line: Option<u32>,
}

/// A function's code and the samples in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionCode {
    /// How many bytes the whole function has.
    pub size: u64,
    /// Its x86-64 code from the start on; less than the whole where it is too large to keep, empty where it was not to
    /// be had.
    pub bytes: Vec<u8>,
    /// Where the code comes from, by ascending offset.
    pub lines: Vec<CodeLine>,
    /// Samples of running threads by the offset of the instruction that they were found at.
    pub counts: BTreeMap<u32, u64>,
}

impl FunctionCode {
    /// All samples in the function itself.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The source of the instruction at an offset.
    #[must_use]
    pub fn line_at(&self, offset: u32) -> Option<CodeLine> {
        let after = self.lines.partition_point(|line| line.offset <= offset);
        self.lines[..after].last().copied()
    }

    /// An order by content alone, in which what tells more comes last.
    fn compare_told(&self, other: &Self, strings: &StringTable) -> Ordering {
        let text = |id: Option<StringId>| id.map(|id| strings.get(id));
        let line = |line: &CodeLine| (line.offset, text(line.function), text(line.file), line.line);
        let by_length = (self.bytes.len(), self.lines.len()).cmp(&(other.bytes.len(), other.lines.len()));
        by_length
            .then_with(|| self.bytes.cmp(&other.bytes))
            .then_with(|| self.lines.iter().map(line).cmp(other.lines.iter().map(line)))
    }
}

/// The functions, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct CodeTable {
    functions: IndexMap<CodeKey, FunctionCode, RandomState>,
}

impl CodeTable {
    /// Takes in a function, whose handles are of `strings`. Samples of a known one add up; of two accounts of its code
    /// the one that tells more counts.
    pub fn add(&mut self, key: CodeKey, code: FunctionCode, strings: &StringTable) {
        let Some(known) = self.functions.get_mut(&key) else {
            self.functions.insert(key, code);
            return;
        };
        known.size = known.size.max(code.size);
        for (&offset, &count) in &code.counts {
            let sum = known.counts.entry(offset).or_default();
            *sum = sum.saturating_add(count);
        }
        if known.compare_told(&code, strings) == Ordering::Less {
            (known.bytes, known.lines) = (code.bytes, code.lines);
        }
    }

    /// A function.
    #[must_use]
    pub fn get(&self, key: &CodeKey) -> Option<&FunctionCode> {
        self.functions.get(key)
    }

    /// All functions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (CodeKey, &FunctionCode)> {
        self.functions.iter().map(|(key, code)| (*key, code))
    }

    /// Puts the functions in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.functions.sort_by_cached_key(|key, _| (key.name, key.module, key.build, key.start));
    }

    /// How many functions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(bytes: &[u8], line: Option<u32>, counts: &[(u32, u64)]) -> FunctionCode {
        let line = CodeLine { offset: 2, function: None, file: None, line };
        let counts = counts.iter().copied().collect();
        FunctionCode { size: 9, bytes: bytes.to_vec(), lines: vec![line], counts }
    }

    #[test]
    fn samples_add_up_and_the_fuller_account_of_the_code_counts_whichever_comes_first() {
        let mut strings = StringTable::default();
        let text = strings.intern("f");
        let key = CodeKey { name: text, module: None, build: text, start: 16 };
        let parts = [
            function(&[], None, &[(0, 1), (4, 2)]),
            function(&[1, 2, 3], Some(7), &[(4, 3)]),
            function(&[1, 2, 3], Some(8), &[(8, u64::MAX)]),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut table = CodeTable::default();
            order.into_iter().for_each(|part| table.add(key, parts[part].clone(), &strings));
            let sum = table.get(&key).expect("it was added");
            assert_eq!(*sum, function(&[1, 2, 3], Some(8), &[(0, 1), (4, 5), (8, u64::MAX)]));
            assert_eq!((table.len(), sum.n_samples()), (1, u64::MAX));
        }
    }

    #[test]
    fn a_line_reaches_up_to_the_next_one() {
        let mut code = function(&[0; 9], Some(7), &[]);
        code.lines.push(CodeLine { offset: 5, line: Some(8), ..code.lines[0] });
        let found = [0, 1, 2, 4, 5, 99].map(|offset| code.line_at(offset).and_then(|line| line.line));
        assert_eq!(found, [None, None, Some(7), Some(7), Some(8), Some(8)]);
    }
}
