//! The symbol table of an ELF file: names without lines, for code that has no debug information.
//!
//! It is read from end to end against the addresses that were asked, so that nothing has to be sorted or kept: a
//! large library has a million symbols and a profile asks for a few hundred.

use object::Endianness;
use object::elf::{
    FileHeader64, SHN_ABS, SHN_UNDEF, STB_GLOBAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, Sym64,
};
use object::read::elf::{ElfFile64, Sym, SymbolTable};

/// A name and the code it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Named<'a> {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) name: &'a str,
}

/// Which table to look in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Table {
    /// All names, `.symtab`.
    Full,
    /// Only names that other files may use, `.dynsym`. What lies between two of them is something else.
    Dynamic,
}

type Symbols<'a> = SymbolTable<'a, FileHeader64<Endianness>>;

/// The names for `asked`, which is in order, from the file `bytes`.
pub(super) fn find<'a>(bytes: &'a [u8], table: Table, asked: &[u64]) -> Vec<Option<Named<'a>>> {
    let mut found = vec![None; asked.len()];
    let Ok(elf) = ElfFile64::<Endianness>::parse(bytes) else { return found };
    let symbols = match table {
        Table::Full => elf.elf_symbol_table(),
        Table::Dynamic => elf.elf_dynamic_symbol_table(),
    };
    let endian = elf.endian();
    let mut best: Vec<Option<&Sym64<Endianness>>> = vec![None; asked.len()];
    sized(symbols, endian, asked, &mut best);
    for (found, symbol) in found.iter_mut().zip(&best) {
        *found = symbol.and_then(|symbol| named(symbols, endian, symbol, symbol.st_size(endian)));
    }
    if table == Table::Full {
        unsized_labels(symbols, endian, asked, &mut found);
    }
    found
}

/// Whether the file has any names of functions in the table.
pub(super) fn has_functions(bytes: &[u8], table: Table) -> bool {
    let Ok(elf) = ElfFile64::<Endianness>::parse(bytes) else { return false };
    let symbols = match table {
        Table::Full => elf.elf_symbol_table(),
        Table::Dynamic => elf.elf_dynamic_symbol_table(),
    };
    symbols.iter().any(|symbol| is_code(symbol, elf.endian()) && symbol.st_size(elf.endian()) > 0)
}

fn sized<'a>(
    symbols: &Symbols<'a>,
    endian: Endianness,
    asked: &[u64],
    best: &mut [Option<&'a Sym64<Endianness>>],
) {
    let (Some(first), Some(last)) = (asked.first(), asked.last()) else { return };
    for symbol in symbols.iter() {
        let (begin, size) = (symbol.st_value(endian), symbol.st_size(endian));
        let end = begin.saturating_add(size);
        if size == 0 || begin > *last || end <= *first || !is_code(symbol, endian) {
            continue;
        }
        let from = asked.partition_point(|address| *address < begin);
        for (place, _) in best[from..].iter_mut().zip(asked[from..].iter().take_while(|it| **it < end)) {
            let is_better =
                place.is_none_or(|other| rank(symbols, endian, symbol) < rank(symbols, endian, other));
            if is_better {
                *place = Some(symbol);
            }
        }
    }
}

/// Of several names for the same code the smaller wins; then what the author made public, then what has fewer
/// marks of being internal: `malloc` rather than `__libc_malloc`.
fn rank(symbols: &Symbols<'_>, endian: Endianness, symbol: &Sym64<Endianness>) -> (u64, u8, usize) {
    let binding = match symbol.st_bind() {
        STB_GLOBAL => 0,
        STB_WEAK => 1,
        _ => 2,
    };
    let name = symbols.symbol_name(endian, symbol).unwrap_or_default();
    let n_marks = name.iter().take_while(|byte| **byte == b'_').count();
    (symbol.st_size(endian), binding, n_marks)
}

/// Labels of assembly without a size reach to the next symbol of their section.
fn unsized_labels<'a>(
    symbols: &Symbols<'a>,
    endian: Endianness,
    asked: &[u64],
    found: &mut [Option<Named<'a>>],
) {
    if found.iter().all(Option::is_some) {
        return;
    }
    // For each address the last symbol before it, sized or not, and the first behind it.
    let mut before: Vec<Option<&Sym64<Endianness>>> = vec![None; asked.len()];
    let mut behind = vec![u64::MAX; asked.len()];
    for symbol in symbols.iter().filter(|symbol| is_code(symbol, endian)) {
        let value = symbol.st_value(endian);
        let from = asked.partition_point(|address| *address < value);
        if let Some(place) = from.checked_sub(1) {
            behind[place] = behind[place].min(value);
        }
        if let Some(place) = before.get_mut(from) {
            let key = |symbol: &Sym64<Endianness>| (symbol.st_value(endian), symbol.st_size(endian));
            if place.is_none_or(|other| key(other) < key(symbol)) {
                *place = Some(symbol);
            }
        }
    }
    let (mut last, mut next) = (None, u64::MAX);
    for place in before.iter_mut() {
        last = place.or(last);
        *place = last;
    }
    for (place, address) in behind.iter_mut().zip(asked).rev() {
        next = next.min(*place);
        *place = next.max(*address);
    }
    for ((found, symbol), end) in found.iter_mut().zip(before).zip(behind) {
        if found.is_none()
            && let Some(symbol) = symbol.filter(|symbol| symbol.st_size(endian) == 0)
            && end != u64::MAX
        {
            *found = named(symbols, endian, symbol, end - symbol.st_value(endian));
        }
    }
}

fn named<'a>(
    symbols: &Symbols<'a>,
    endian: Endianness,
    symbol: &Sym64<Endianness>,
    size: u64,
) -> Option<Named<'a>> {
    let name = std::str::from_utf8(symbols.symbol_name(endian, symbol).ok()?).ok()?;
    let begin = symbol.st_value(endian);
    (!name.is_empty()).then(|| Named { begin, end: begin.saturating_add(size), name })
}

fn is_code(symbol: &Sym64<Endianness>, endian: Endianness) -> bool {
    let section = symbol.st_shndx(endian);
    matches!(symbol.st_type(), STT_FUNC | STT_GNU_IFUNC | STT_NOTYPE)
        && section != SHN_UNDEF
        && section != SHN_ABS
        && symbol.st_value(endian) != 0
}
