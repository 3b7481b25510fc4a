//! The locations of a file as frames: mappings, functions and lines put together. A location with several lines
//! is a function and those that the compiler put inside it.

use std::collections::{BTreeMap, HashMap};

use calor_model::{Frame, FrameId, FrameKind, Profile, StringId, Warning};

use super::file::{File, decode};
use super::id_map::IdMap;
use super::kind;
use super::message::{Function, Line, Location, Mapping};
use super::run::BUILD_ID;
use super::texts::Texts;
use crate::Error;

/// What is longer is neither a build id nor a path, and would be copied for every mapping.
const MAX_BUILD_ID_BYTES: usize = 128;
const MAX_PATH_BYTES: usize = 4096;

/// The frames of each location.
pub(super) struct Places {
    frames: Vec<FrameId>,
    /// Where the frames of a location begin and end.
    ranges: IdMap<(u32, u32)>,
    unknown: FrameId,
    n_missing: u64,
}

/// A mapping as far as frames need it.
#[derive(Clone, Copy, Default)]
struct Module {
    name: Option<StringId>,
    kind: Option<FrameKind>,
}

/// A function with its strings in the profile.
#[derive(Clone, Copy)]
struct Named {
    name: StringId,
    file: Option<StringId>,
    start_line: i64,
}

impl Places {
    pub(super) fn read(
        file: &File<'_>,
        texts: &mut Texts<'_>,
        profile: &mut Profile,
        run_labels: &mut BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let modules = modules(file, texts, profile, run_labels)?;
        let functions = functions(file, texts, profile)?;
        let name = profile.strings.intern("(unknown)");
        let unknown = profile.frames.intern(Frame::new(name, FrameKind::Synthetic));
        let mut places =
            Self { frames: Vec::new(), ranges: IdMap::new(file.locations.len()), unknown, n_missing: 0 };
        for &piece in &file.locations {
            let location: Location = decode(piece, "a location")?;
            let module = modules.get(location.mapping_id).unwrap_or_default();
            let start = places.frames.len() as u32;
            if location.lines.is_empty() {
                let name = profile.strings.intern(&format!("{:#x}", location.address));
                let kind = module.kind.unwrap_or_else(|| guess(profile, module.name, None));
                let frame = Frame { module: module.name, ..Frame::new(name, kind) };
                places.frames.push(profile.frames.intern(frame));
            }
            for (place, line) in location.lines.iter().enumerate().rev() {
                let is_inlined = place + 1 < location.lines.len();
                let frame = places.frame(*line, module, &functions, profile);
                places.frames.push(profile.frames.intern(Frame { is_inlined, ..frame }));
            }
            places.ranges.insert(location.id, (start, places.frames.len() as u32));
        }
        Ok(places)
    }

    fn frame(&self, line: Line, module: Module, functions: &IdMap<Named>, profile: &Profile) -> Frame {
        let Some(function) = functions.get(line.function_id) else {
            return profile.frames.get(self.unknown);
        };
        // Tools that know no lines at least tell where the function begins.
        let number = if line.line == 0 { function.start_line } else { line.line };
        Frame {
            name: function.name,
            kind: module.kind.unwrap_or_else(|| guess(profile, module.name, function.file)),
            module: module.name,
            file: function.file,
            line: u32::try_from(number).ok().filter(|&number| number > 0),
            is_inlined: false,
        }
    }

    /// The frames of a location, outermost first. One that the file does not have is unknown and counted.
    pub(super) fn frames(&mut self, location: u64) -> &[FrameId] {
        let range = self.ranges.get(location).unwrap_or_else(|| {
            let start = self.frames.len() as u32;
            self.n_missing += 1;
            self.frames.push(self.unknown);
            self.ranges.insert(location, (start, start + 1));
            (start, start + 1)
        });
        &self.frames[range.0 as usize..range.1 as usize]
    }

    /// The frame of a sample that says nothing of where it was.
    pub(super) fn unknown(&self) -> FrameId {
        self.unknown
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        if self.n_missing > 0 {
            let message = "samples name locations that the file does not have; they are shown as (unknown)";
            profile.warn(Warning::counted("locations_missing", message, self.n_missing));
        }
    }
}

fn guess(profile: &Profile, module: Option<StringId>, file: Option<StringId>) -> FrameKind {
    kind::guess(module.map(|id| profile.strings.get(id)), file.map(|id| profile.strings.get(id)))
}

fn modules(
    file: &File<'_>,
    texts: &mut Texts<'_>,
    profile: &mut Profile,
    run_labels: &mut BTreeMap<String, String>,
) -> Result<IdMap<Module>, Error> {
    let mut modules = IdMap::new(file.mappings.len());
    // Mappings share names, which may be long: each is looked at once.
    let mut by_name: HashMap<StringId, Module> = HashMap::new();
    for &piece in &file.mappings {
        let mapping: Mapping = decode(piece, "a mapping")?;
        let text = texts.intern(&mut profile.strings, mapping.file, piece.offset)?;
        let module = *by_name.entry(text).or_insert_with(|| {
            let (name, kind) = kind::parse(profile.strings.get(text));
            let name = name.map(str::to_owned);
            Module { name: name.map(|name| profile.strings.intern(&name)), kind }
        });
        if mapping.build_id != 0 {
            let build_id = texts.intern(&mut profile.strings, mapping.build_id, piece.offset)?;
            let build_id = profile.strings.get(build_id);
            let name = module.name.map_or("", |name| profile.strings.get(name));
            if build_id.len() <= MAX_BUILD_ID_BYTES && name.len() <= MAX_PATH_BYTES {
                run_labels.insert(format!("{BUILD_ID}{name}"), build_id.to_owned());
            }
        }
        modules.insert(mapping.id, module);
    }
    Ok(modules)
}

fn functions(file: &File<'_>, texts: &mut Texts<'_>, profile: &mut Profile) -> Result<IdMap<Named>, Error> {
    let mut functions = IdMap::new(file.functions.len());
    for &piece in &file.functions {
        let function: Function = decode(piece, "a function")?;
        let strings = &mut profile.strings;
        let name = match (function.name, function.system_name) {
            (0, 0) => strings.intern("(unknown)"),
            (0, name) | (name, _) => texts.intern(strings, name, piece.offset)?,
        };
        let file = match function.file {
            0 => None,
            file => Some(texts.intern(strings, file, piece.offset)?),
        };
        functions.insert(function.id, Named { name, file, start_line: function.start_line });
    }
    Ok(functions)
}
