//! CPython inside a file: a program or a library that holds the interpreter, whatever it is called.

use object::Endianness;
use object::elf::{FileHeader64, SHN_UNDEF, STT_FUNC};
use object::read::elf::{ElfFile64, Sym, SymbolTable};

use super::constants::version_in;
use super::layout::Version;
use super::roles::{EVALUATES, Role};
use super::split;
use calor_symbols::image::Image;

/// What PyPy's functions begin with, where CPython's begin with `Py`.
const PYPY: &[u8] = b"PyPyObject_Call";

/// The interpreter in a file, by the file's own reckoning.
#[derive(Debug)]
pub(crate) struct Interpreter {
    /// What it is called in messages.
    pub(crate) name: String,
    pub(crate) version: Option<Version>,
    /// Where its runtime is.
    pub(crate) runtime: Option<u64>,
    /// Where the type of code objects is.
    pub(crate) code_type: Option<u64>,
    /// Functions with their roles, in order.
    functions: Vec<(u64, u64, Role)>,
}

/// What a file holds.
#[derive(Debug)]
pub(crate) enum Found {
    CPython(Interpreter),
    /// Another Python, of which only native frames are seen.
    PyPy,
}

/// Looks for an interpreter in a file.
pub(crate) fn find(image: &Image) -> Option<Found> {
    let names = [".dynstr", ".strtab"].map(|section| image.section(section).map_or(&[][..], |it| it.1));
    let has = |needle: &[u8]| names.iter().any(|names| memchr::memmem::find(names, needle).is_some());
    if !has(EVALUATES.as_bytes()) {
        return has(PYPY).then_some(Found::PyPy);
    }
    let elf = ElfFile64::<Endianness>::parse(image.bytes()).ok()?;
    let mut interpreter = Interpreter {
        name: image.name().rsplit('/').next().unwrap_or_default().to_owned(),
        version: None,
        runtime: image.section_range(".PyRuntime").map(|(address, _)| address),
        code_type: None,
        functions: Vec::new(),
    };
    let mut version_at = None;
    for table in [elf.elf_symbol_table(), elf.elf_dynamic_symbol_table()] {
        interpreter.read(table, elf.endian(), &mut version_at);
    }
    // Files that only call the interpreter know its names too.
    if !interpreter.functions.iter().any(|(_, _, role)| *role == Role::Evaluates) {
        return None;
    }
    interpreter.functions.sort_unstable();
    interpreter.functions.dedup();
    interpreter.add_split_parts(image);
    let word = version_at.and_then(|address| image.loaded_from(address)?.first_chunk().copied());
    interpreter.version = word
        .and_then(|word| Version::from_word(u32::from_ne_bytes(word)))
        .or_else(|| Version::from_name(&interpreter.name))
        .or_else(|| version_in(image.section(".rodata").map_or(&[][..], |it| it.1)));
    Some(Found::CPython(interpreter))
}

impl Interpreter {
    fn read(
        &mut self,
        table: &SymbolTable<'_, FileHeader64<Endianness>>,
        endian: Endianness,
        version_at: &mut Option<u64>,
    ) {
        for symbol in table.iter().filter(|symbol| symbol.st_shndx(endian) != SHN_UNDEF) {
            let Ok(name) = table.symbol_name(endian, symbol) else { continue };
            let (begin, size) = (symbol.st_value(endian), symbol.st_size(endian));
            if symbol.st_type() == STT_FUNC {
                let name = std::str::from_utf8(name).unwrap_or_default();
                if size > 0 {
                    self.functions.push((begin, begin.saturating_add(size), Role::of(name)));
                }
                continue;
            }
            match name {
                b"_PyRuntime" => self.runtime = Some(begin),
                b"PyCode_Type" => self.code_type = Some(begin),
                b"Py_Version" => *version_at = Some(begin),
                _ => {}
            }
        }
    }

    /// Finds the parts of the loop that runs Python code that have no names.
    fn add_split_parts(&mut self, image: &Image) {
        let loops: Vec<_> =
            self.functions.iter().filter(|(_, _, role)| *role == Role::Evaluates).copied().collect();
        for (begin, end, role) in loops {
            let parts = split::parts(image, &(begin..end), |address| self.role(address).is_some());
            self.functions.extend(parts.into_iter().map(|part| (part.start, part.end, role)));
        }
        self.functions.sort_unstable();
    }

    /// The role of the function at an address; `None` where the file has no name for it.
    pub(crate) fn role(&self, address: u64) -> Option<Role> {
        let behind = self.functions.partition_point(|(begin, _, _)| *begin <= address);
        // Names for parts of a function are few: the nearest ones before are enough.
        let before = self.functions[..behind].iter().rev().take(4);
        before.filter(|(_, end, _)| address < *end).map(|(_, _, role)| *role).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_only_names_the_interpreter_is_none() {
        let own = std::env::current_exe().expect("tests are files");
        let image = Image::open("own", &own).expect("tests are ELF files");
        assert!(find(&image).is_none(), "the names stand in this file's data only");
    }

    #[test]
    fn the_smallest_function_around_an_address_tells_its_role() {
        let functions = vec![
            (0x1000, 0x2000, Role::Evaluates),
            (0x2000, 0x2100, Role::Works),
            (0x2000, 0x2100, Role::Passes),
            (0x3000, 0x3010, Role::Starts),
        ];
        let name = "python".to_owned();
        let interpreter = Interpreter { name, version: None, runtime: None, code_type: None, functions };
        let roles = [0xfff, 0x1000, 0x1fff, 0x2010, 0x2100, 0x300f].map(|address| interpreter.role(address));
        let (evaluates, passes) = (Some(Role::Evaluates), Some(Role::Passes));
        assert_eq!(roles, [None, evaluates, evaluates, passes, None, Some(Role::Starts)]);
    }
}
