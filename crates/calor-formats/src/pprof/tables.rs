//! The tables of a file that is being written: strings, mappings, functions and locations, each stored once and
//! numbered from 1 (strings from 0). They are written after the samples, which need their numbers.

use std::collections::{BTreeMap, HashMap};

use super::kind;
use super::message::{Function, Label, Line, Location, Mapping, ValueType};
use super::run::BUILD_ID;
use calor_model::FrameKind;

/// Places and texts by their content.
pub(super) struct Tables<'a> {
    strings: HashMap<String, i64>,
    pub(super) string_list: Vec<String>,
    mapping_ids: HashMap<String, u64>,
    pub(super) mappings: Vec<Mapping>,
    function_ids: HashMap<(i64, i64), u64>,
    pub(super) functions: Vec<Function>,
    location_ids: HashMap<(u64, Vec<Line>), u64>,
    pub(super) locations: Vec<Location>,
    /// Labels of the runs, among them the build ids of modules.
    run_labels: BTreeMap<&'a str, &'a str>,
}

/// A frame in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) name: &'a str,
    pub(super) kind: FrameKind,
    pub(super) module: Option<&'a str>,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(run_labels: BTreeMap<&'a str, &'a str>) -> Self {
        Self {
            strings: HashMap::new(),
            string_list: vec![String::new()],
            mapping_ids: HashMap::new(),
            mappings: Vec::new(),
            function_ids: HashMap::new(),
            functions: Vec::new(),
            location_ids: HashMap::new(),
            locations: Vec::new(),
            run_labels,
        }
    }

    /// The index of a text. It is never 0, which means that there is none; so an empty text is stored again.
    pub(super) fn string(&mut self, text: &str) -> i64 {
        if let Some(index) = self.strings.get(text) {
            return *index;
        }
        let index = self.string_list.len() as i64;
        self.string_list.push(text.to_owned());
        self.strings.insert(text.to_owned(), index);
        index
    }

    pub(super) fn value_type(&mut self, name: &str, unit: &str) -> ValueType {
        ValueType { name: self.string(name), unit: self.string(unit) }
    }

    pub(super) fn text_label(&mut self, key: &str, text: &str) -> Label {
        Label { key: self.string(key), text: self.string(text), number: 0, unit: 0 }
    }

    pub(super) fn number_label(&mut self, key: &str, number: i64) -> Label {
        Label { key: self.string(key), text: 0, number, unit: 0 }
    }

    /// The number of a mapping; 0 for no mapping.
    pub(super) fn mapping(&mut self, place: &Place<'_>) -> u64 {
        let Some(name) = kind::mapping_name(place.kind, place.module, place.file) else { return 0 };
        if let Some(id) = self.mapping_ids.get(&name) {
            return *id;
        }
        let id = self.mappings.len() as u64 + 1;
        let build_id =
            place.module.and_then(|module| self.run_labels.get(&*format!("{BUILD_ID}{module}"))).copied();
        let mapping = Mapping {
            id,
            // Addresses are not known. Ranges of their own keep readers from taking two mappings for one, and
            // what is said to be there keeps them from looking for symbols.
            memory_start: id << 12,
            memory_limit: (id << 12) + 0x800,
            file_offset: 0,
            file: self.string(&name),
            build_id: build_id.map_or(0, |build_id| self.string(build_id)),
            has_functions: true,
            has_files: true,
            has_lines: true,
            has_inlined: true,
        };
        self.mappings.push(mapping);
        self.mapping_ids.insert(name, id);
        id
    }

    pub(super) fn line(&mut self, place: &Place<'_>) -> Line {
        let name = self.string(place.name);
        let file = place.file.map_or(0, |file| self.string(file));
        let new = self.functions.len() as u64 + 1;
        let function_id = *self.function_ids.entry((name, file)).or_insert(new);
        if function_id == new {
            self.functions.push(Function { id: new, name, system_name: 0, file, start_line: 0 });
        }
        Line { function_id, line: place.line.map_or(0, i64::from) }
    }

    /// The number of a location with these lines, innermost first.
    pub(super) fn location(&mut self, mapping_id: u64, lines: Vec<Line>) -> u64 {
        let new = self.locations.len() as u64 + 1;
        let id = *self.location_ids.entry((mapping_id, lines.clone())).or_insert(new);
        if id == new {
            self.locations.push(Location { id, mapping_id, address: 0, lines });
        }
        id
    }
}
