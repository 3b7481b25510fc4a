//! The tables of one thread: strings, functions, frames and call paths, each a handful of columns. Only what the
//! thread uses is in them.

use std::collections::HashMap;

use calor_model::{FrameId, StackId};
use serde::Serialize;

use super::category;
use crate::Weights;

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTable {
    length: usize,
    address: Vec<i8>,
    inline_depth: Vec<u8>,
    category: Vec<usize>,
    subcategory: Vec<u8>,
    func: Vec<usize>,
    native_symbol: Vec<Option<usize>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<u8>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FuncTable {
    length: usize,
    name: Vec<usize>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    resource: Vec<isize>,
    file_name: Vec<Option<usize>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
}

/// The modules that functions belong to.
#[derive(Default, Serialize)]
pub(super) struct ResourceTable {
    length: usize,
    lib: Vec<Option<usize>>,
    name: Vec<usize>,
    host: Vec<Option<usize>>,
    #[serde(rename = "type")]
    kind: Vec<u8>,
}

#[derive(Default, Serialize)]
pub(super) struct StackTable {
    length: usize,
    prefix: Vec<Option<usize>>,
    frame: Vec<usize>,
}

/// Nothing is symbolicated by the viewer, so there are no symbols.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NativeSymbols {
    length: usize,
    address: [u8; 0],
    function_size: [u8; 0],
    lib_index: [u8; 0],
    name: [u8; 0],
}

/// The tables while they are filled.
pub(super) struct Tables<'w> {
    weights: &'w Weights<'w>,
    pub(super) strings: Vec<&'w str>,
    pub(super) frames: FrameTable,
    pub(super) funcs: FuncTable,
    pub(super) resources: ResourceTable,
    pub(super) stacks: StackTable,
    string_places: HashMap<&'w str, usize>,
    frame_places: HashMap<FrameId, usize>,
    resource_places: HashMap<usize, usize>,
    stack_places: HashMap<StackId, usize>,
}

impl<'w> Tables<'w> {
    pub(super) fn new(weights: &'w Weights<'w>) -> Self {
        Self {
            weights,
            strings: Vec::new(),
            frames: FrameTable::default(),
            funcs: FuncTable::default(),
            resources: ResourceTable::default(),
            stacks: StackTable::default(),
            string_places: HashMap::new(),
            frame_places: HashMap::new(),
            resource_places: HashMap::new(),
            stack_places: HashMap::new(),
        }
    }

    pub(super) fn string(&mut self, text: &'w str) -> usize {
        *self.string_places.entry(text).or_insert_with(|| {
            self.strings.push(text);
            self.strings.len() - 1
        })
    }

    /// The place of a call path; its callers get theirs before it.
    pub(super) fn stack(&mut self, stack: StackId) -> usize {
        let mut missing = Vec::new();
        let mut next = Some(stack);
        let mut prefix = None;
        while let Some(id) = next {
            prefix = self.stack_places.get(&id).copied();
            if prefix.is_some() {
                break;
            }
            missing.push(id);
            next = self.weights.stacks.get(id).parent;
        }
        for id in missing.into_iter().rev() {
            let frame = self.frame(self.weights.stacks.get(id).frame);
            self.stacks.prefix.push(prefix);
            self.stacks.frame.push(frame);
            prefix = Some(self.stacks.length);
            self.stack_places.insert(id, self.stacks.length);
            self.stacks.length += 1;
        }
        self.stack_places[&stack]
    }

    /// A frame, and with it the function that it is in: one each, since a frame knows its function's name only.
    fn frame(&mut self, id: FrameId) -> usize {
        if let Some(&place) = self.frame_places.get(&id) {
            return place;
        }
        let weights = self.weights;
        let frame = weights.frames.get(id);
        let name = self.string(weights.strings.get(frame.name));
        let file = frame.file.map(|file| self.string(weights.strings.get(file)));
        let resource = frame.module.map(|module| self.resource(weights.strings.get(module)));
        let funcs = &mut self.funcs;
        funcs.length += 1;
        funcs.name.push(name);
        funcs.is_js.push(false);
        funcs.relevant_for_js.push(false);
        funcs.resource.push(resource.map_or(-1, |resource| resource as isize));
        funcs.file_name.push(file);
        funcs.line_number.push(frame.line);
        funcs.column_number.push(None);
        let frames = &mut self.frames;
        frames.address.push(-1);
        frames.inline_depth.push(u8::from(frame.is_inlined));
        frames.category.push(category::of(frame.kind));
        frames.subcategory.push(0);
        frames.func.push(funcs.length - 1);
        frames.native_symbol.push(None);
        frames.inner_window_id.push(0);
        frames.line.push(frame.line);
        frames.column.push(None);
        frames.length += 1;
        self.frame_places.insert(id, frames.length - 1);
        frames.length - 1
    }

    fn resource(&mut self, module: &'w str) -> usize {
        let name = self.string(module);
        let resources = &mut self.resources;
        *self.resource_places.entry(name).or_insert_with(|| {
            resources.lib.push(None);
            resources.name.push(name);
            resources.host.push(None);
            // Of no kind that the viewer would look up somewhere.
            resources.kind.push(0);
            resources.length += 1;
            resources.length - 1
        })
    }
}
