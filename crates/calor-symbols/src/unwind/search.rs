//! Finds the entry of call frame information (FDE) that covers an address.
//!
//! Linkers write a sorted table for that, which is used as it lies in the file. Where there is none the section is
//! gone through once and the index kept. `.debug_frame` comes last: programs without exceptions may have only that.

use std::ops::Range;

use gimli::{BaseAddresses, CieOrFde, DebugFrame, EhFrame, LittleEndian, UnwindOffset, UnwindSection};

use super::compile::Slice;
use crate::image::Image;

/// One of the two kinds of section that hold call frame information, better first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Eh,
    Debug,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Eh, Self::Debug];
}

/// A section of call frame information.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) kind: Kind,
    /// Where it stands by the file's own reckoning.
    pub(super) address: u64,
    /// Where its bytes are in the file.
    pub(super) range: Range<usize>,
}

impl Section {
    pub(super) fn bases(&self) -> BaseAddresses {
        BaseAddresses::default().set_eh_frame(self.address)
    }

    pub(super) fn eh_frame<'a>(&self, file: &'a [u8]) -> EhFrame<Slice<'a>> {
        let mut section = EhFrame::new(file.get(self.range.clone()).unwrap_or_default(), LittleEndian);
        section.set_address_size(8);
        section
    }

    pub(super) fn debug_frame<'a>(&self, file: &'a [u8]) -> DebugFrame<Slice<'a>> {
        let mut section = DebugFrame::new(file.get(self.range.clone()).unwrap_or_default(), LittleEndian);
        section.set_address_size(8);
        section
    }
}

/// The ways into an image's call frame information, best first.
pub(super) struct Search {
    table: Option<Table>,
    eh: Option<Section>,
    debug: Option<Section>,
    eh_index: Option<Index>,
    debug_index: Option<Index>,
}

impl Search {
    pub(super) fn new(image: &Image) -> Self {
        let header = Header::read(image);
        let eh = image
            .section_range(".eh_frame")
            .or_else(|| {
                let address = header.as_ref()?.eh_frame?;
                Some((address, image.loaded_range(address)?))
            })
            .map(|(address, range)| Section { kind: Kind::Eh, address, range });
        let debug = image.section_range(".debug_frame").map(|(address, range)| Section {
            kind: Kind::Debug,
            address,
            range,
        });
        let table = header.and_then(|header| header.table);
        Self { table, eh, debug, eh_index: None, debug_index: None }
    }

    /// The section and the offset in it of the entry that is nearest below `svma`. Whether it covers it is known
    /// when it has been read.
    pub(super) fn candidate(&mut self, kind: Kind, image: &Image, svma: u64) -> Option<(&Section, usize)> {
        let file = image.bytes();
        match kind {
            Kind::Eh => {
                let section = self.eh.as_ref()?;
                let offset = match &self.table {
                    Some(table) => {
                        let entry = table.nearest(file, svma)?;
                        usize::try_from(entry.checked_sub(section.address)?).ok()?
                    }
                    None => self.eh_index.get_or_insert_with(|| Index::read(section, file)).nearest(svma)?,
                };
                Some((section, offset))
            }
            Kind::Debug => {
                let section = self.debug.as_ref()?;
                let index = self.debug_index.get_or_insert_with(|| Index::read(section, file));
                Some((section, index.nearest(svma)?))
            }
        }
    }
}

/// `.eh_frame_hdr`: where `.eh_frame` is, and the sorted table of its entries.
struct Header {
    eh_frame: Option<u64>,
    table: Option<Table>,
}

struct Table {
    /// What the table's figures are counted from.
    base: u64,
    range: Range<usize>,
}

impl Header {
    /// Only the encodings that linkers write are read: 32 bits, relative. Anything else is as good as no header.
    fn read(image: &Image) -> Option<Self> {
        const RELATIVE_TO_HERE: u8 = 0x1B;
        const UNSIGNED: u8 = 0x03;
        const RELATIVE_TO_HEADER: u8 = 0x3B;
        let base = image.unwind_header()?.start;
        let range = image.loaded_range(base)?;
        let bytes = image.bytes().get(range.clone())?;
        let &[1, frame_encoding, count_encoding, table_encoding] = bytes.first_chunk::<4>()? else {
            return None;
        };
        let word = |at: usize| bytes.get(at..)?.first_chunk::<4>().copied();
        let eh_frame = if frame_encoding == RELATIVE_TO_HERE {
            Some(base.wrapping_add(4).wrapping_add_signed(i32::from_le_bytes(word(4)?).into()))
        } else {
            None
        };
        let table =
            if eh_frame.is_some() && (count_encoding, table_encoding) == (UNSIGNED, RELATIVE_TO_HEADER) {
                let count = u32::from_le_bytes(word(8)?) as usize;
                let count = count.min(bytes.len().saturating_sub(12) / Table::ENTRY);
                let start = range.start + 12;
                (count > 0).then(|| Table { base, range: start..start + count * Table::ENTRY })
            } else {
                None
            };
        Some(Self { eh_frame, table })
    }
}

impl Table {
    const ENTRY: usize = 8;

    fn nearest(&self, file: &[u8], svma: u64) -> Option<u64> {
        let (entries, _) = file.get(self.range.clone())?.as_chunks::<{ Self::ENTRY }>();
        let address = |bytes: [u8; 4]| self.base.wrapping_add_signed(i32::from_le_bytes(bytes).into());
        let after = entries.partition_point(|&[a, b, c, d, ..]| address([a, b, c, d]) <= svma);
        let &[.., a, b, c, d] = entries.get(after.checked_sub(1)?)?;
        Some(address([a, b, c, d]))
    }
}

/// The entries of a section by the address they begin at.
struct Index {
    entries: Vec<(u64, usize)>,
}

impl Index {
    fn read(section: &Section, file: &[u8]) -> Self {
        let bases = section.bases();
        let mut entries = match section.kind {
            Kind::Eh => starts(&section.eh_frame(file), &bases),
            Kind::Debug => starts(&section.debug_frame(file), &bases),
        };
        entries.sort_unstable();
        Self { entries }
    }

    fn nearest(&self, svma: u64) -> Option<usize> {
        let after = self.entries.partition_point(|&(start, _)| start <= svma);
        self.entries.get(after.checked_sub(1)?).map(|&(_, offset)| offset)
    }
}

/// Up to the first damaged entry: what follows it cannot be found.
fn starts<'a, S>(section: &S, bases: &BaseAddresses) -> Vec<(u64, usize)>
where
    S: UnwindSection<Slice<'a>>,
    S::Offset: UnwindOffset<usize>,
{
    let mut found = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(fde) = partial.parse(S::cie_from_offset)
            && fde.len() > 0
        {
            found.push((fde.initial_address(), fde.offset()));
        }
    }
    found
}
