//! Units whose entries were left in another file when the program was linked: a `.dwo` file for each unit, or one
//! `.dwp` package of them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimli::{DwoId, Section as _, UnitHeader, UnitType};

use super::sections::{Kind, Sections};
use super::{DebugInformation, Dwarf, Reader};
use crate::Map;
use crate::image::Image;

/// The files that the units of one call need.
#[derive(Default)]
pub(super) struct SplitFiles {
    files: Map<u64, Sections>,
    /// What is not where it should be.
    pub(super) missing: Vec<PathBuf>,
}

impl SplitFiles {
    /// Opens what the units need beside the package.
    pub(super) fn open(information: &DebugInformation, units: impl Iterator<Item = u32>) -> Self {
        let mut own = Self::default();
        let dwarf = information.dwarf();
        let package = information.package();
        for unit in units {
            let Ok(header) = information.index.places.header(&dwarf, unit) else { continue };
            if !may_be_split(&dwarf, &header) {
                continue;
            }
            let Ok(unit) = dwarf.unit(header) else { continue };
            let Some(id) = unit.dwo_id else { continue };
            let is_packed =
                package.as_ref().is_some_and(|package| matches!(package.find_cu(id, &dwarf), Ok(Some(_))));
            if !is_packed {
                own.open_file(information, &dwarf, &unit, id);
            }
        }
        own
    }

    fn open_file(
        &mut self,
        information: &DebugInformation,
        dwarf: &Dwarf<'_>,
        unit: &gimli::Unit<Reader<'_>>,
        id: DwoId,
    ) {
        let name = unit.dwo_name().ok().flatten().and_then(|name| dwarf.attr_string(unit, name).ok());
        let name = Path::new(OsStr::from_bytes(name.map_or(&[], |name| name.slice())));
        let folder = Path::new(OsStr::from_bytes(unit.comp_dir.map_or(&[], |folder| folder.slice())));
        let path = folder.join(name);
        let beside = information.folders.iter().filter_map(|folder| Some(folder.join(name.file_name()?)));
        for path in std::iter::once(path.clone()).chain(beside) {
            if let Ok(image) = Image::open(&path.to_string_lossy(), &path) {
                let sections = Sections::load(&Arc::new(image), Kind::Split, None);
                if has_id(&sections, id) {
                    self.files.insert(id.0, sections);
                    return;
                }
            }
        }
        self.missing.push(path);
    }

    /// The other part of a unit.
    pub(super) fn find<'a>(
        &'a self,
        package: Option<&gimli::DwarfPackage<Reader<'a>>>,
        dwarf: &Dwarf<'a>,
        id: DwoId,
    ) -> Option<Dwarf<'a>> {
        if let Some(sections) = self.files.get(&id.0) {
            let mut other = sections.dwarf();
            other.make_dwo(dwarf);
            return Some(other);
        }
        package?.find_cu(id, dwarf).ok().flatten()
    }
}

/// Whether a unit has to be opened to know: before DWARF 5 the header did not say, but what is split needs a table
/// of addresses that nothing else had.
fn may_be_split(dwarf: &Dwarf<'_>, header: &UnitHeader<Reader<'_>>) -> bool {
    match header.type_() {
        UnitType::Skeleton(_) => true,
        _ => header.version() < 5 && !dwarf.debug_addr.reader().is_empty(),
    }
}

/// A stale file of an earlier build has the right name and the wrong id.
fn has_id(sections: &Sections, id: DwoId) -> bool {
    let dwarf = sections.dwarf();
    let header = dwarf.units().next().ok().flatten();
    header.and_then(|header| dwarf.unit(header).ok()).is_some_and(|unit| unit.dwo_id == Some(id))
}
