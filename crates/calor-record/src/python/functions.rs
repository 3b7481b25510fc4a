//! The Python functions that were met: named once, whatever number of processes run them.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use indexmap::IndexSet;

use super::code::{CodeInfo, CodeReader, is_object};
use super::fields::Fields;
use super::layout::{Instruction, Layout};
use super::memory::Memory;

/// More code objects than this are not kept in mind at once: programs that make code as they go make any number.
const MOST_CODES: usize = 100_000;

/// Programs that make functions of ever new names run more than these for days; later ones stay without a name.
const MOST_FUNCTIONS: usize = 1 << 20;

/// For so long a code object is taken to be the one that it was, and for so long if it has the mark that it had.
const CHECKED_NANOS: u64 = 100_000_000;
const MARKED_NANOS: u64 = 1_000_000_000;

/// What tells a code object from another one that its address may come to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Print {
    /// Addresses of file, name and lines, and the first line.
    parts: (u64, u64, u64, i32),
    mark: u32,
}

/// Which Python function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FunctionId(u32);

/// A function as people know it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    pub(crate) file: Arc<str>,
    pub(crate) first_line: u32,
}

impl Function {
    pub(super) fn of(info: &CodeInfo) -> Self {
        Self { name: info.name.as_str().into(), file: info.file.as_str().into(), first_line: info.first_line }
    }

    /// Whether it is code that the interpreter runs between a class and its `__init__`, since 3.13: nobody wrote it, so
    /// nobody is to look for it.
    fn is_interpreters_own(&self) -> bool {
        &*self.name == "__init__" && self.name == self.file
    }
}

/// The functions of all processes.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    all: IndexSet<Function, RandomState>,
}

impl Functions {
    pub(super) fn intern(&mut self, function: Function) -> Option<FunctionId> {
        if self.all.len() >= MOST_FUNCTIONS && !self.all.contains(&function) {
            return None;
        }
        u32::try_from(self.all.insert_full(function).0).ok().map(FunctionId)
    }

    /// Whether a function is one that people know.
    pub(crate) fn is_shown(&self, id: FunctionId) -> bool {
        !self.get(id).is_some_and(Function::is_interpreters_own)
    }

    pub(crate) fn get(&self, id: FunctionId) -> Option<&Function> {
        self.all.get_index(id.0 as usize)
    }
}

/// A code object of one process.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) function: FunctionId,
    pub(crate) info: CodeInfo,
    print: Print,
    /// When it was last looked at.
    checked: u64,
}

impl Known {
    /// The line of an instruction; the function's first one where the compiler gave it none.
    pub(crate) fn line(&self, instruction: Instruction) -> u32 {
        self.info.line_at(instruction).unwrap_or(self.info.first_line)
    }

    /// Whether an address is in its bytecode.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.info.bytecode.contains(&address)
    }
}

/// The code objects of one process.
#[derive(Debug)]
pub(crate) struct Codes {
    layout: Layout,
    code_type: Option<u64>,
    known: HashMap<u64, Known, RandomState>,
    /// By where their bytecode begins.
    by_bytecode: BTreeMap<u64, u64>,
}

impl Codes {
    pub(crate) fn new(layout: Layout, code_type: Option<u64>) -> Self {
        Self { layout, code_type, known: HashMap::default(), by_bytecode: BTreeMap::new() }
    }

    /// The code object at an address, read if it is new or has become another one. `None` if it is not the one that had
    /// the mark, unless that is 0.
    pub(crate) fn at(
        &mut self,
        address: u64,
        mark: u32,
        now: u64,
        memory: &impl Memory,
        functions: &mut Functions,
    ) -> Option<&Known> {
        if !is_object(address) {
            return None;
        }
        let is_marked = |known: &Known| mark == 0 || known.print.mark == mark;
        let patience = if mark == 0 { CHECKED_NANOS } else { MARKED_NANOS };
        let is_fresh = |known: &Known| is_marked(known) && now.saturating_sub(known.checked) < patience;
        if !self.known.get(&address).is_some_and(is_fresh) {
            match (self.print(address, memory), self.known.get_mut(&address)) {
                (Some(print), Some(known)) if known.print == print => known.checked = now,
                (Some(print), _) => self.read(address, print, now, memory, functions)?,
                // The process has ended: nothing became another one since.
                (None, Some(known)) if mark != 0 && known.print.mark == mark => {}
                (None, _) => return None,
            }
        }
        self.known.get(&address).filter(|known| is_marked(known))
    }

    /// The same without looking again.
    pub(crate) fn known(&self, address: u64) -> Option<&Known> {
        self.known.get(&address)
    }

    fn read(
        &mut self,
        address: u64,
        print: Print,
        now: u64,
        memory: &impl Memory,
        functions: &mut Functions,
    ) -> Option<()> {
        if let Some(gone) = self.known.remove(&address) {
            self.by_bytecode.remove(&gone.info.bytecode.start);
        }
        let info = CodeReader::new(memory, &self.layout, self.code_type).read(address).ok()?;
        if self.known.len() >= MOST_CODES {
            self.known.clear();
            self.by_bytecode.clear();
        }
        let function = functions.intern(Function::of(&info))?;
        self.by_bytecode.insert(info.bytecode.start, address);
        self.known.insert(address, Known { function, info, print, checked: now });
        Some(())
    }

    fn print(&self, address: u64, memory: &impl Memory) -> Option<Print> {
        let code = self.layout.code;
        let mut head = vec![0; self.layout.code_bytes()];
        if memory.read(address, &mut head) != head.len() {
            return None;
        }
        let fields = Fields(&head);
        let first_line = fields.int(code.first_line)?;
        let parts = (fields.word(code.file)?, fields.word(code.name)?, fields.word(code.lines)?, first_line);
        // The name follows the file, and what follows the name differs between versions; all of it is the object's own.
        let words = [0, 8, 16].map(|behind| fields.word(code.file + behind));
        let [Some(file), Some(name), Some(third)] = words else { return None };
        let mark = file.wrapping_add(name << 1).wrapping_add(third << 2) as u32;
        Some(Print { parts, mark })
    }

    /// The known code object whose bytecode has one of these addresses in it, and the address.
    pub(crate) fn with_bytecode(&self, addresses: impl IntoIterator<Item = u64>) -> Option<(&Known, u64)> {
        addresses.into_iter().find_map(|address| {
            let (_, code) = self.by_bytecode.range(..=address).next_back()?;
            let known = self.known.get(code)?;
            known.has(address).then_some((known, address))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::{START, Words, function, layout};
    use super::*;

    #[test]
    fn a_code_object_is_not_taken_for_the_one_that_had_its_place() {
        let layout = layout(12, false);
        let (mut memory, mut functions) = (function(&layout), Functions::default());
        let mut codes = Codes::new(layout.clone(), None);
        let mark = codes.at(START, 0, 1, &memory, &mut functions).expect("it is whole").print.mark;
        let mut is_found =
            |mark, now, memory: &_| codes.at(START, mark, now, memory, &mut functions).is_some();
        assert!(is_found(mark, 2, &memory));
        // Another one, with another name, is made there.
        memory.0[layout.code.name as usize / 8] = 0x5000;
        assert!(is_found(mark, 3, &memory), "it is known from before");
        assert!(is_found(mark.wrapping_add(0x5000 << 1), 4, &memory));
        assert!(!is_found(mark, 5, &memory), "it is gone");
    }

    #[test]
    fn what_is_known_of_code_outlives_its_process() {
        let layout = layout(12, false);
        let (memory, mut functions) = (function(&layout), Functions::default());
        let mut codes = Codes::new(layout, None);
        let mark = codes.at(START, 0, 1, &memory, &mut functions).expect("it is whole").print.mark;
        let nothing = Words(Vec::new());
        let mut is_known =
            |mark| codes.at(START, mark, 10 * MARKED_NANOS, &nothing, &mut functions).is_some();
        assert!(is_known(mark));
        assert!(!is_known(mark + 1) && !is_known(0), "another one may have had its place");
    }
}
