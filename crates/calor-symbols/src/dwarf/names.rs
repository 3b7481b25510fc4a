//! The names of functions. An entry often says only "see there": to its declaration, to the function that was
//! inlined, in another unit or in the file that `dwz` made.

use calor_demangle::{demangle, is_mangled};
use gimli::{Attribute, AttributeValue, DebugInfoOffset, EntriesRaw, UnitOffset};

use super::index::UnitPlaces;
use super::{Dwarf, Reader, UnitRef};
use crate::Map;
use crate::places::{NONE, Places};

type Unit<'a> = gimli::Unit<Reader<'a>>;

/// References are followed this far; real ones need three steps.
const MAX_STEPS: usize = 16;

/// Which file an offset is meant in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Home {
    Main,
    Supplementary,
    /// A split unit refers only to itself.
    Split,
}

/// What an entry says about its name.
#[derive(Clone, Copy, Default)]
pub(super) struct NameAttributes<'a> {
    linkage: Option<Reader<'a>>,
    plain: Option<Reader<'a>>,
    origin: Option<AttributeValue<Reader<'a>>>,
}

impl<'a> NameAttributes<'a> {
    pub(super) fn take(&mut self, unit: UnitRef<'a, '_>, attribute: &Attribute<Reader<'a>>) {
        match attribute.name() {
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                self.linkage = unit.attr_string(attribute.value()).ok();
            }
            gimli::DW_AT_name => self.plain = unit.attr_string(attribute.value()).ok(),
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                self.origin = Some(attribute.value());
            }
            _ => {}
        }
    }

    fn read(unit: UnitRef<'a, '_>, offset: UnitOffset) -> gimli::Result<Self> {
        let mut own = Self::default();
        let mut entries: EntriesRaw<'_, _> = unit.entries_raw(Some(offset))?;
        if let Some(abbreviation) = entries.read_abbreviation()? {
            for specification in abbreviation.attributes() {
                own.take(unit, &entries.read_attribute(*specification)?);
            }
        }
        Ok(own)
    }
}

/// A name among the strings, or [`NONE`] for an entry without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) id: u32,
    /// Whether it is the name without namespaces, since the linker never saw the function.
    pub(super) is_short: bool,
}

/// Names already found, and the units they were found in.
pub(super) struct Names<'d, 'a> {
    dwarf: &'d Dwarf<'a>,
    places: &'d UnitPlaces,
    supplementary_places: &'d UnitPlaces,
    /// By the entry that a name was asked for through. Offsets of split units mean nothing outside of them.
    entries: Map<(Home, usize), Name>,
    /// By the name as the linker has it.
    demangled: Map<Box<[u8]>, u32>,
    units: Map<(Home, u32), Unit<'a>>,
}

impl<'d, 'a> Names<'d, 'a> {
    pub(super) fn new(
        dwarf: &'d Dwarf<'a>,
        places: &'d UnitPlaces,
        supplementary_places: &'d UnitPlaces,
    ) -> Self {
        Self {
            dwarf,
            places,
            supplementary_places,
            entries: Map::default(),
            demangled: Map::default(),
            units: Map::default(),
        }
    }

    /// The name that an entry with these attributes has, kept in `strings`.
    pub(super) fn find(
        &mut self,
        strings: &mut Places,
        unit: UnitRef<'a, '_>,
        home: Home,
        attributes: NameAttributes<'a>,
    ) -> Name {
        // Inlined functions refer to one entry from hundreds of places.
        let key = attributes.origin.and_then(|value| target(unit, home, value));
        if attributes.linkage.is_none()
            && attributes.plain.is_none()
            && home != Home::Split
            && let Some(key) = key
        {
            if let Some(name) = self.entries.get(&key) {
                return *name;
            }
            let name = self.follow(strings, unit, home, attributes);
            self.entries.insert(key, name);
            return name;
        }
        self.follow(strings, unit, home, attributes)
    }

    fn follow(
        &mut self,
        strings: &mut Places,
        unit: UnitRef<'a, '_>,
        home: Home,
        attributes: NameAttributes<'a>,
    ) -> Name {
        let (mut plain, mut mangled) = (attributes.plain, attributes.linkage);
        let mut next = attributes.origin.filter(|_| mangled.is_none());
        let mut at = home;
        let mut own_unit = Some(unit);
        let mut other: Option<(Home, u32)> = None;
        for _ in 0..MAX_STEPS {
            let Some(value) = next.take() else { break };
            let read: Option<NameAttributes<'a>> = match (own_unit, value) {
                (Some(unit), AttributeValue::UnitRef(offset)) => NameAttributes::read(unit, offset).ok(),
                (None, AttributeValue::UnitRef(offset)) => match other {
                    Some(key) => self.read_other(key, offset),
                    None => None,
                },
                (_, AttributeValue::DebugInfoRef(offset)) if at != Home::Split => {
                    (own_unit, other) = (None, None);
                    self.read_elsewhere(at, offset, &mut other)
                }
                (_, AttributeValue::DebugInfoRefSup(offset)) => {
                    (own_unit, other, at) = (None, None, Home::Supplementary);
                    self.read_elsewhere(at, offset, &mut other)
                }
                _ => None,
            };
            let Some(read) = read else { break };
            plain = plain.or(read.plain);
            mangled = mangled.or(read.linkage);
            next = read.origin.filter(|_| mangled.is_none());
        }
        // A name that was only replaced for the linker, as the C library does, is not the one people know.
        let is_replaced = |name: &Reader<'a>| !is_mangled(&name.to_string_lossy());
        let for_people = plain.filter(|_| mangled.as_ref().is_none_or(is_replaced));
        let readable = for_people.or(mangled).map(|name| name.slice());
        let is_short = mangled.is_none();
        let Some(name) = readable else { return Name { id: NONE, is_short } };
        if let Some(id) = self.demangled.get(name) {
            return Name { id: *id, is_short };
        }
        let text = String::from_utf8_lossy(name);
        let fallback = plain.map(|name| String::from_utf8_lossy(name.slice()));
        let id = match demangle(&text) {
            Some(readable) => strings.string(&readable),
            // A mangled name that cannot be read: the short name says more.
            None => strings.string(fallback.as_deref().unwrap_or(&text)),
        };
        self.demangled.insert(name.into(), id);
        Name { id, is_short }
    }

    /// Reads an entry of any unit, and says which.
    fn read_elsewhere(
        &mut self,
        home: Home,
        offset: DebugInfoOffset,
        other: &mut Option<(Home, u32)>,
    ) -> Option<NameAttributes<'a>> {
        let (unit, offset) = self.locate(home, offset)?;
        *other = Some((home, unit));
        self.read_other((home, unit), offset)
    }

    fn locate(&self, home: Home, offset: DebugInfoOffset) -> Option<(u32, UnitOffset)> {
        let (places, dwarf) = self.home(home)?;
        let unit = places.at(offset.0)?;
        let header = places.header(dwarf, unit).ok()?;
        Some((unit, offset.to_unit_offset(&header)?))
    }

    fn home(&self, home: Home) -> Option<(&'d UnitPlaces, &'d Dwarf<'a>)> {
        match home {
            Home::Main => Some((self.places, self.dwarf)),
            Home::Supplementary => Some((self.supplementary_places, self.dwarf.sup()?)),
            Home::Split => None,
        }
    }

    fn read_other(&mut self, key: (Home, u32), offset: UnitOffset) -> Option<NameAttributes<'a>> {
        let (places, dwarf) = self.home(key.0)?;
        if !self.units.contains_key(&key) {
            let unit = dwarf.unit(places.header(dwarf, key.1).ok()?).ok()?;
            self.units.insert(key, unit);
        }
        NameAttributes::read(self.units.get(&key)?.unit_ref(dwarf), offset).ok()
    }
}

/// The entry a reference means, as a key.
fn target<'a>(unit: UnitRef<'a, '_>, home: Home, value: AttributeValue<Reader<'a>>) -> Option<(Home, usize)> {
    match value {
        AttributeValue::UnitRef(offset) => Some((home, offset.to_debug_info_offset(&unit.header)?.0)),
        AttributeValue::DebugInfoRef(offset) => Some((home, offset.0)),
        AttributeValue::DebugInfoRefSup(offset) => Some((Home::Supplementary, offset.0)),
        _ => None,
    }
}
