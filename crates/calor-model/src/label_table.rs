//! Labels: key and value pairs that tell the parts of a recording apart (a request kind, a rank, a batch).

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{LabelSetId, StringId};

/// Interned sets of labels. Row 0 is the empty set.
#[derive(Clone, Debug)]
pub struct LabelTable {
    sets: IndexSet<Box<[(StringId, StringId)]>, RandomState>,
}

impl Default for LabelTable {
    fn default() -> Self {
        let mut sets = IndexSet::default();
        sets.insert(Box::default());
        Self { sets }
    }
}

impl LabelTable {
    /// The set without any label.
    #[must_use]
    pub fn none() -> LabelSetId {
        LabelSetId::from_index(0)
    }

    /// The handle of a set, whatever the order the labels are given in; of two values for a key the last counts.
    pub fn intern(&mut self, labels: &[(StringId, StringId)]) -> LabelSetId {
        let mut sorted: Vec<(StringId, StringId)> = Vec::with_capacity(labels.len());
        for &(key, value) in labels {
            match sorted.iter_mut().find(|(known, _)| *known == key) {
                Some(entry) => entry.1 = value,
                None => sorted.push((key, value)),
            }
        }
        sorted.sort_unstable();
        LabelSetId::from_index(self.sets.insert_full(sorted.into_boxed_slice()).0)
    }

    /// The labels of a set of this table, sorted by key; empty for a handle that is out of range.
    #[must_use]
    pub fn get(&self, id: LabelSetId) -> &[(StringId, StringId)] {
        self.sets.get_index(id.index()).map_or(&[], |set| set)
    }

    /// All sets with their handles.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (LabelSetId, &[(StringId, StringId)])> {
        self.sets.iter().enumerate().map(|(index, set)| (LabelSetId::from_index(index), &**set))
    }

    /// How many sets there are, the empty one included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether only the empty set is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.len() == 1
    }
}
