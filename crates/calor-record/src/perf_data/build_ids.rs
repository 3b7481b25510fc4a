//! The builds of the files that were mapped, by the linker's numbers for them.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::records::{Split, kind};
use crate::perf::{Fields, until_zero};

const SIZE_IS_TOLD: u16 = 1 << 15;
const LONGEST: usize = 20;

/// Build ids by the name of the file.
#[derive(Debug, Default)]
pub(super) struct BuildIds {
    by_name: HashMap<String, Vec<u8>, RandomState>,
}

impl BuildIds {
    /// Takes in a section of them, which is a sequence of records.
    pub(super) fn add_all(&mut self, section: &[u8]) {
        for record in Split::new(section) {
            // Their kind was not written at first.
            if matches!(record.kind, 0 | kind::BUILD_ID) {
                self.add(record.misc, record.body);
            }
        }
    }

    /// Takes in one: the process, the number in a field of 24 bytes, and the name.
    pub(super) fn add(&mut self, misc: u16, body: &[u8]) {
        let mut fields = Fields(body);
        let _pid = fields.i32();
        let field = fields.bytes(24);
        let size = match field.get(LONGEST) {
            Some(size) if misc & SIZE_IS_TOLD != 0 => usize::from(*size).min(LONGEST),
            _ => LONGEST,
        };
        let name = String::from_utf8_lossy(until_zero(fields.0)).into_owned();
        if let Some(id) = field.get(..size).filter(|id| !id.is_empty() && !name.is_empty()) {
            self.by_name.insert(name, id.to_vec());
        }
    }

    /// The build of a file.
    pub(super) fn of(&self, name: &str) -> Option<&[u8]> {
        self.by_name.get(name).map(Vec::as_slice)
    }
}
