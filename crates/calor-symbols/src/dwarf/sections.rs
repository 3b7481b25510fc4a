//! The sections of a file with debug information, unpacked where they are compressed.

use std::borrow::Cow;
use std::sync::Arc;

use gimli::{EndianSlice, LittleEndian, SectionId};

use super::{Dwarf, Reader};
use crate::cache::Cache;
use crate::image::Image;
use crate::own_thread;

/// A compressed section that claims to become larger than this is not read.
const MAX_UNPACKED: u64 = 8 << 30;

/// What is needed for names and lines.
const USED: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

/// What a package has beside: its tables, and sections that are never looked at but whose bounds are checked when a
/// unit is taken out of it.
const PACKAGED: [SectionId; 7] = [
    SectionId::DebugCuIndex,
    SectionId::DebugTuIndex,
    SectionId::DebugLoc,
    SectionId::DebugLocLists,
    SectionId::DebugMacinfo,
    SectionId::DebugMacro,
    SectionId::DebugTypes,
];

/// Which of the two sets of names the sections have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Whole,
    /// A `.dwo` or `.dwp` file.
    Split,
}

#[derive(Debug)]
pub(super) struct Sections {
    image: Arc<Image>,
    kind: Kind,
    unpacked: Vec<(SectionId, Vec<u8>)>,
}

impl Sections {
    pub(super) fn load(image: &Arc<Image>, kind: Kind, cache: Option<&Cache>) -> Self {
        let mut own = Self { image: Arc::clone(image), kind, unpacked: Vec::new() };
        let packed: Vec<SectionId> =
            own.used().filter(|id| own.name(*id).is_some_and(|name| image.section(name).is_none())).collect();
        // Unpacking is most of the time where it is needed at all.
        own.unpacked = std::thread::scope(|scope| {
            let own = &own;
            let threads: Vec<_> = packed
                .into_iter()
                .filter(|id| own.is_packed(*id))
                .map(|id| {
                    let thread = scope.spawn(move || own_thread::run(|| own.unpack(id, cache)));
                    (id, thread)
                })
                .collect();
            threads.into_iter().filter_map(|(id, thread)| Some((id, thread.join().ok()??))).collect()
        });
        own
    }

    fn used(&self) -> impl Iterator<Item = SectionId> {
        let packaged: &[SectionId] = if self.kind == Kind::Split { &PACKAGED } else { &[] };
        USED.iter().chain(packaged).copied()
    }

    fn name(&self, id: SectionId) -> Option<&'static str> {
        match self.kind {
            Kind::Whole => Some(id.name()),
            Kind::Split => id.dwo_name(),
        }
    }

    fn is_packed(&self, id: SectionId) -> bool {
        self.name(id).is_some_and(|name| {
            self.image.has_section(name) || self.image.has_section(&name.replacen(".debug", ".zdebug", 1))
        })
    }

    fn unpack(&self, id: SectionId, cache: Option<&Cache>) -> Option<Vec<u8>> {
        let name = self.name(id)?;
        let unpack = || self.image.unpacked_section(name, MAX_UNPACKED).map(Cow::into_owned);
        match cache {
            Some(cache) => cache.unpacked(&self.image, name, unpack),
            None => unpack(),
        }
    }

    /// The bytes of a section; none when it is not there.
    pub(super) fn reader(&self, id: SectionId) -> Reader<'_> {
        let unpacked =
            self.unpacked.iter().find(|(other, _)| *other == id).map(|(_, bytes)| bytes.as_slice());
        let bytes = unpacked.or_else(|| {
            let name = self.name(id).filter(|_| self.used().any(|used| used == id))?;
            self.image.section(name).map(|(_, bytes)| bytes)
        });
        EndianSlice::new(bytes.unwrap_or_default(), LittleEndian)
    }

    pub(super) fn dwarf(&self) -> Dwarf<'_> {
        let loaded: Result<_, std::convert::Infallible> = gimli::Dwarf::load(|id| Ok(self.reader(id)));
        let Ok(mut dwarf) = loaded;
        if self.kind == Kind::Split {
            dwarf.file_type = gimli::DwarfFileType::Dwo;
        }
        dwarf
    }
}
