//! Every text of a profile, stored once.

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::StringId;

/// Interned strings in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    strings: IndexSet<Box<str>, RandomState>,
}

impl StringTable {
    /// The handle of `text`, which is stored if it is new.
    pub fn intern(&mut self, text: &str) -> StringId {
        match self.strings.get_index_of(text) {
            Some(index) => StringId::from_index(index),
            None => StringId::from_index(self.strings.insert_full(text.into()).0),
        }
    }

    /// The handle of `text` if it is in the table.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<StringId> {
        self.strings.get_index_of(text).map(StringId::from_index)
    }

    /// The text behind a handle of this table; empty for a handle of another table that is out of range.
    #[must_use]
    pub fn get(&self, id: StringId) -> &str {
        self.strings.get_index(id.index()).map_or("", |text| text)
    }

    /// All strings with their handles.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StringId, &str)> {
        self.strings.iter().enumerate().map(|(index, text)| (StringId::from_index(index), &**text))
    }

    /// How many strings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }
}
