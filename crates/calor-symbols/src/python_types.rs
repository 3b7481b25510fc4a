//! Names for the functions of a stripped CPython, as distributions ship it: its types are known to other files by name, and
//! each has tables of the functions that stand behind its operators and methods. So `list_pop` is known where the symbol table
//! has nothing between `PyList_Append` and `PyList_Insert`.
//!
//! A function is named after its type and what it does, as CPython's authors do; where a function ends is told by unwind
//! information. One that several types share is not named: whichever was taken could be wrong.

use std::collections::HashMap;

use object::Endianness;
use object::elf::{R_X86_64_RELATIVE, SHN_UNDEF, STT_OBJECT};
use object::read::elf::{ElfFile64, Sym};

use crate::image::Image;
use crate::unwind::FunctionStarts;

/// The functions of a type itself, by their place in `PyTypeObject`, which has been the same since Python 3.8.
const OWN: [(u64, &str); 14] = [
    (48, "dealloc"),
    (88, "repr"),
    (120, "hash"),
    (128, "call"),
    (136, "str"),
    (144, "getattro"),
    (152, "setattro"),
    (184, "traverse"),
    (192, "clear"),
    (200, "richcompare"),
    (216, "iter"),
    (224, "iternext"),
    (296, "init"),
    (312, "new"),
];
/// Where it says what it is called.
const NAME: u64 = 24;
/// Where it says which methods it has.
const METHODS: u64 = 232;
/// A type is at least so long.
const LEAST_BYTES: u64 = 320;

/// Its tables of operators: where it says where they are, and their functions by their places there.
const OPERATORS: [(u64, &[(u64, &str)]); 3] = [
    (
        96,
        &[
            (0, "add"),
            (8, "subtract"),
            (16, "multiply"),
            (24, "remainder"),
            (32, "divmod"),
            (40, "power"),
            (48, "negative"),
            (64, "absolute"),
            (72, "bool"),
            (80, "invert"),
            (88, "lshift"),
            (96, "rshift"),
            (104, "and"),
            (112, "xor"),
            (120, "or"),
            (144, "float"),
            (232, "floor_divide"),
            (240, "true_divide"),
        ],
    ),
    (
        104,
        &[
            (0, "length"),
            (8, "concat"),
            (16, "repeat"),
            (24, "item"),
            (40, "ass_item"),
            (56, "contains"),
            (64, "inplace_concat"),
            (72, "inplace_repeat"),
        ],
    ),
    (112, &[(8, "subscript"), (16, "ass_subscript")]),
];

/// From one method to the next in its table, and where the function stands in one.
const METHOD_BYTES: u64 = 32;
const METHOD_FUNCTION: u64 = 8;
/// More methods, or longer names, no type has.
const MOST_METHODS: u64 = 256;
const LONGEST: usize = 64;

/// Functions by where they begin.
#[derive(Debug)]
pub(super) struct PythonTypes {
    names: HashMap<u64, String>,
}

impl PythonTypes {
    /// Those of an image that holds the interpreter; `None` of any other.
    pub(super) fn of(image: &Image) -> Option<Self> {
        // Most files are none, and are not parsed to find that out.
        let (_, strings) = image.section(".dynstr")?;
        memchr::memmem::find(strings, b"\0PyList_Type\0")?;
        let elf = ElfFile64::<Endianness>::parse(image.bytes()).ok().filter(|_| image.is_x86_64())?;
        let (symbols, endian) = (elf.elf_dynamic_symbol_table(), elf.endian());
        let data = Data::of(image);
        let mut found = Gathering::default();
        for symbol in symbols.iter() {
            let is_here = symbol.st_type() == STT_OBJECT && symbol.st_shndx(endian) != SHN_UNDEF;
            let name = symbols.symbol_name(endian, symbol).unwrap_or_default();
            let is_type = is_here && name.ends_with(b"_Type") && symbol.st_size(endian) >= LEAST_BYTES;
            if is_type {
                found.read(&data, symbol.st_value(endian));
            }
        }
        let names: HashMap<u64, String> =
            found.names.into_iter().filter_map(|(address, name)| Some((address, name?))).collect();
        // Lists tell whether types are laid out as expected: all of this is nothing where they are not.
        names.values().any(|name| name == "list_contains").then_some(Self { names })
    }

    /// The function that an address is in, from where to where.
    pub(super) fn find(&self, functions: &mut FunctionStarts<'_>, address: u64) -> Option<(u64, u64, &str)> {
        let range = functions.range_of(address)?;
        self.names.get(&range.start).map(|name| (range.start, range.end, name.as_str()))
    }
}

/// Names as they are found; none where two types claim a function.
#[derive(Default)]
struct Gathering {
    names: HashMap<u64, Option<String>>,
}

impl Gathering {
    fn read(&mut self, data: &Data<'_>, type_at: u64) {
        let at = |table: u64, offset: u64| table.checked_add(offset).and_then(|at| data.pointer(at));
        let Some(type_name) = at(type_at, NAME).and_then(|name| data.text(name)) else { return };
        let mut add = |address: Option<u64>, name: &str| {
            if let Some(address) = address {
                self.add(address, &short(type_name), name);
            }
        };
        for (offset, name) in OWN {
            add(at(type_at, offset), name);
        }
        for (offset, slots) in OPERATORS {
            let Some(table) = at(type_at, offset) else { continue };
            slots.iter().for_each(|(offset, name)| add(at(table, *offset), name));
        }
        let Some(methods) = at(type_at, METHODS) else { return };
        for nth in 0..MOST_METHODS {
            let Some(method) = methods.checked_add(nth * METHOD_BYTES) else { return };
            let Some(name) = data.pointer(method).and_then(|name| data.text(name)) else { return };
            // Those with underscores are the operators once more.
            if !name.starts_with("__") {
                add(at(method, METHOD_FUNCTION), name);
            }
        }
    }

    fn add(&mut self, address: u64, type_name: &str, what: &str) {
        let own = self.names.entry(address).or_insert_with(|| Some(format!("{type_name}_{what}")));
        let is_of_another = |name: &String| !name.starts_with(&format!("{type_name}_"));
        if own.as_ref().is_some_and(is_of_another) {
            *own = None;
        }
    }
}

/// What CPython's authors call a type in the names of its functions.
fn short(type_name: &str) -> String {
    match type_name {
        "int" => "long".to_owned(),
        "str" => "unicode".to_owned(),
        other => other.replace('.', "_"),
    }
}

/// What the file puts into memory.
struct Data<'i> {
    image: &'i Image,
    /// Pointers that are written when the file is loaded, by where they stand.
    moved: HashMap<u64, u64>,
}

impl<'i> Data<'i> {
    fn of(image: &'i Image) -> Self {
        let relocations = image.section(".rela.dyn").map_or(&[][..], |(_, bytes)| bytes);
        let word = |entry: &[u8], at: usize| entry[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let moved = relocations.chunks_exact(24).filter_map(|entry| {
            let is_relative = word(entry, 8) == u64::from(R_X86_64_RELATIVE.0);
            is_relative.then(|| (word(entry, 0), word(entry, 16)))
        });
        Self { image, moved: moved.collect() }
    }

    /// A pointer that stands at an address; `None` where none is.
    fn pointer(&self, at: u64) -> Option<u64> {
        let written = || {
            let bytes = self.image.loaded_from(at)?.first_chunk::<8>()?;
            Some(u64::from_le_bytes(*bytes))
        };
        self.moved.get(&at).copied().or_else(written).filter(|pointer| *pointer != 0)
    }

    /// A short text of letters, digits, underscores and dots.
    fn text(&self, at: u64) -> Option<&'i str> {
        let bytes = self.image.loaded_from(at)?;
        let end = bytes.iter().take(LONGEST).position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&bytes[..end]).ok()?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        (!text.is_empty() && text.chars().all(is_plain)).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::symbol_table::{self, Table};

    /// Interpreters of this machine: a program that is loaded where it says, and libraries, which are moved.
    fn interpreters() -> impl Iterator<Item = Image> {
        let mut paths = vec![Path::new("/usr/bin/python3").to_owned()];
        for folder in ["/usr/lib/x86_64-linux-gnu", "/usr/lib64"] {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let is_python = |name: &str| name.starts_with("libpython3.") && name.contains(".so");
            let files = entries.filter(|entry| is_python(&entry.file_name().to_string_lossy()));
            paths.extend(files.map(|entry| entry.path()));
        }
        paths.into_iter().filter_map(|path| Image::open(&path.to_string_lossy(), &path).ok())
    }

    #[test]
    fn what_lists_do_is_known_of_an_interpreter_without_names() {
        for image in interpreters() {
            // One whose interpreter is in a library has none of it.
            let Some(types) = PythonTypes::of(&image) else { continue };
            let mut functions = FunctionStarts::new(&image);
            let names: Vec<&str> = types.names.values().map(String::as_str).collect();
            for expected in ["list_contains", "list_pop", "list_insert", "long_add", "unicode_concat"] {
                assert!(names.contains(&expected), "{expected} of {}", image.name());
            }
            let mut n_found = 0;
            for (begin, name) in &types.names {
                n_found += usize::from(
                    types
                        .find(&mut functions, begin + 1)
                        .is_some_and(|found| found.2 == name && found.0 == *begin),
                );
            }
            assert!(n_found * 10 > types.names.len() * 9, "{n_found} of {}", types.names.len());
        }
    }

    #[test]
    fn where_the_symbol_table_has_names_they_agree_about_the_type() {
        for image in interpreters() {
            let Some(types) = PythonTypes::of(&image) else { continue };
            let mut begins: Vec<u64> = types.names.keys().copied().collect();
            begins.sort_unstable();
            let known = symbol_table::find(image.bytes(), Table::Full, &begins);
            for (begin, known) in begins.iter().zip(known) {
                let (Some(known), name) = (known, &types.names[begin]) else { continue };
                assert_eq!(known.begin, *begin, "{name} begins with {}", known.name);
            }
        }
    }

    #[test]
    fn a_program_that_is_no_interpreter_has_no_types() {
        let path = std::env::current_exe().expect("a test has a file");
        let image = Image::open("test", &path).expect("it is an ELF file");
        assert!(PythonTypes::of(&image).is_none());
    }
}
