//! Which of the library's functions a block came through: the innermost address of its path lies there. Memory that a
//! program maps itself is told apart by that.

use std::ops::Range;
use std::sync::OnceLock;

use object::{Object, ObjectSymbol};

/// The functions that map memory.
const MAPPING: [&str; 3] = ["mmap", "mmap64", "mremap"];

/// Whether an address in the library's file is in a function that maps memory.
pub(super) fn is_mapping(address: u64) -> bool {
    static DOORS: OnceLock<Vec<Range<u64>>> = OnceLock::new();
    let doors = DOORS.get_or_init(|| ranges(calor_preload::LIBRARY));
    doors.iter().any(|door| door.contains(&address))
}

fn ranges(library: &[u8]) -> Vec<Range<u64>> {
    let Ok(library) = object::File::parse(library) else { return Vec::new() };
    let functions = library.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let mapping = functions.filter(|symbol| symbol.name().is_ok_and(|name| MAPPING.contains(&name)));
    mapping.map(|symbol| symbol.address()..symbol.address() + symbol.size()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_has_every_function_that_maps() {
        assert_eq!(ranges(calor_preload::LIBRARY).len(), MAPPING.len());
        assert!(ranges(b"not a library").is_empty());
        assert!(!is_mapping(0));
    }
}
