//! Where functions begin and end, for code without symbols: unwind information stays in a stripped file, and addresses
//! of one loop belong together even if nobody knows its name.

use std::ops::Range;

use gimli::UnwindSection;

use super::compile::Slice;
use super::search::{Kind, Search, Section};
use crate::image::Image;

/// The functions that an image's unwind information covers.
pub struct FunctionStarts<'i> {
    image: &'i Image,
    search: Search,
}

impl<'i> FunctionStarts<'i> {
    /// Those of an image.
    #[must_use]
    pub fn new(image: &'i Image) -> Self {
        Self { image, search: Search::new(image) }
    }

    /// The first address of the function that `svma` is in; `None` where nothing covers it.
    pub fn start_of(&mut self, svma: u64) -> Option<u64> {
        self.range_of(svma).map(|range| range.start)
    }

    /// All addresses of the function that `svma` is in; `None` where nothing covers it.
    pub fn range_of(&mut self, svma: u64) -> Option<Range<u64>> {
        let file = self.image.bytes();
        Kind::ALL.into_iter().find_map(|kind| {
            let (section, offset) = self.search.candidate(kind, self.image, svma)?;
            match kind {
                Kind::Eh => range(&section.eh_frame(file), section, offset.into(), svma),
                Kind::Debug => range(&section.debug_frame(file), section, offset.into(), svma),
            }
        })
    }
}

fn range<'a, S: UnwindSection<Slice<'a>>>(
    frames: &S,
    section: &Section,
    offset: S::Offset,
    svma: u64,
) -> Option<Range<u64>> {
    let fde = frames.fde_from_offset(&section.bases(), offset, S::cie_from_offset).ok()?;
    let begin = fde.initial_address();
    fde.contains(svma).then(|| begin..begin.saturating_add(fde.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSymbol, SymbolKind};

    #[test]
    fn functions_begin_and_end_where_the_symbol_table_says() {
        let path = std::env::current_exe().expect("a test has a file");
        let image = Image::open("test", &path).expect("it is an ELF file");
        let file = object::File::parse(image.bytes()).expect("it is an ELF file");
        let mut functions_of = FunctionStarts::new(&image);
        let is_own = |name: &str| name.contains("calor_symbols");
        let functions = file.symbols().filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.size() > 0 && symbol.name().is_ok_and(is_own)
        });
        let mut n_checked = 0;
        for function in functions {
            let (first, last) = (function.address(), function.address() + function.size() - 1);
            assert_eq!(
                (functions_of.start_of(first), functions_of.range_of(last)),
                (Some(first), Some(first..last + 1)),
                "{function:?}"
            );
            n_checked += 1;
        }
        assert!(n_checked > 100, "only {n_checked} functions");
        assert_eq!(functions_of.start_of(0), None);
    }
}
