//! Another process's mappings and memory, as a recording has them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use calor_symbols::image::Image;
use calor_symbols::unwind::{Memory, ModuleId, Place, Space, Unwinder};

struct Mapping {
    start: u64,
    end: u64,
    bias: u64,
    module: ModuleId,
    name: String,
}

/// Where the images of a process are.
pub(crate) struct Mappings {
    mappings: Vec<Mapping>,
    modules: HashMap<String, (ModuleId, Arc<Image>)>,
    last: Cell<usize>,
}

impl Mappings {
    pub(crate) fn new() -> Self {
        Self { mappings: Vec::new(), modules: HashMap::new(), last: Cell::new(0) }
    }

    /// Reads them anew.
    pub(crate) fn refresh(&mut self, pid: u32, unwinder: &mut Unwinder) {
        let text = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("mappings can be read");
        self.mappings.clear();
        for line in text.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [range, access, offset, _, _, name] = fields[..] else { continue };
            if !access.contains('x') {
                continue;
            }
            let number = |text| u64::from_str_radix(text, 16).expect("a hexadecimal number");
            let (start, end) = range.split_once('-').expect("a range");
            let (start, end, offset) = (number(start), number(end), number(offset));
            if !self.modules.contains_key(name)
                && let Some(image) = open(pid, name, start..end)
            {
                let image = Arc::new(image);
                let id = unwinder.add(Arc::clone(&image));
                self.modules.insert(name.to_owned(), (id, image));
            }
            if let Some((module, image)) = self.modules.get(name)
                && let Some(bias) = image.bias(start, end - start, offset)
            {
                self.mappings.push(Mapping { start, end, bias, module: *module, name: name.to_owned() });
            }
        }
    }

    /// An address in words, for failures.
    pub(crate) fn describe(&self, address: u64) -> String {
        match self.at(address) {
            Some(mapping) => {
                let name = mapping.name.rsplit('/').next().unwrap_or_default();
                format!("{name}+{:#x}", address.wrapping_sub(mapping.bias))
            }
            None => format!("{address:#x}"),
        }
    }

    fn at(&self, address: u64) -> Option<&Mapping> {
        let is_around = |mapping: &&Mapping| (mapping.start..mapping.end).contains(&address);
        if let Some(mapping) = self.mappings.get(self.last.get()).filter(is_around) {
            return Some(mapping);
        }
        let found = self.mappings.iter().position(|mapping| is_around(&mapping))?;
        self.last.set(found);
        self.mappings.get(found)
    }
}

fn open(pid: u32, name: &str, range: std::ops::Range<u64>) -> Option<Image> {
    if name == "[vdso]" {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        File::open(format!("/proc/{pid}/mem")).ok()?.read_exact_at(&mut bytes, range.start).ok()?;
        return Image::from_bytes(name, bytes).ok();
    }
    Image::open(name, Path::new(name)).ok()
}

impl Space for Mappings {
    fn find(&self, address: u64) -> Option<Place> {
        let mapping = self.at(address)?;
        Some(Place { module: mapping.module, svma: address.wrapping_sub(mapping.bias) })
    }
}

/// The memory of a process: a copy from the stack pointer upwards, as samples have it, and the rest read when asked for.
/// What lies right below the stack pointer is never to be had: by then others have written there.
pub(crate) struct Copy {
    file: File,
    start: u64,
    bytes: RefCell<Vec<u8>>,
}

impl Copy {
    pub(crate) fn of(pid: u32) -> Self {
        let file = File::open(format!("/proc/{pid}/mem")).expect("memory can be read");
        Self { file, start: 0, bytes: RefCell::default() }
    }

    /// Copies up to `size` bytes from `sp`.
    pub(crate) fn take(&mut self, sp: u64, size: usize) {
        let bytes = self.bytes.get_mut();
        bytes.resize(size, 0);
        let n = self.file.read_at(bytes, sp).unwrap_or(0);
        bytes.truncate(n);
        self.start = sp;
    }
}

impl Memory for Copy {
    fn word(&mut self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.wrapping_sub(self.start)).ok()?;
        if let Some(bytes) = self.bytes.get_mut().get(at..).and_then(|bytes| bytes.first_chunk::<8>()) {
            return Some(u64::from_le_bytes(*bytes));
        }
        const BELOW: u64 = 4_096;
        if (1..BELOW).contains(&self.start.wrapping_sub(address)) {
            return None;
        }
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }
}
