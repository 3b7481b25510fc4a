//! What the labels of a row say that it is: an operation on arrays, a traced function, or a scope that somebody opened.

use calor_model::{LabelSetId, Profile, StringId};

/// The label that makes a scope an operation; its value is the library.
const OPERATION: &str = "op";
/// The label that makes a scope a traced function; its value is the language.
const FUNCTION: &str = "function";

/// The labels of a profile that say what rows are, looked up once.
pub(super) struct Kinds<'p> {
    profile: &'p Profile,
    operation: Option<StringId>,
    function: Option<StringId>,
    shape: Option<StringId>,
    dtype: Option<StringId>,
    device: Option<StringId>,
    grain: Option<StringId>,
}

/// What is known of an operation by its labels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct OperationLabels {
    pub(super) library: StringId,
    pub(super) shape: Option<StringId>,
    pub(super) dtype: Option<StringId>,
    pub(super) device: Option<StringId>,
    /// How shapes were put together, where the recorder had too many of them.
    pub(super) grain: Option<StringId>,
}

impl<'p> Kinds<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let find = |name| profile.strings.find(name);
        Self {
            profile,
            operation: find(OPERATION),
            function: find(FUNCTION),
            shape: find("shape"),
            dtype: find("dtype"),
            device: find("device"),
            grain: find("shapes"),
        }
    }

    /// Of an operation; `None` for anything else.
    pub(super) fn operation(&self, labels: LabelSetId) -> Option<OperationLabels> {
        let library = self.value(labels, self.operation)?;
        let [shape, dtype, device, grain] =
            [self.shape, self.dtype, self.device, self.grain].map(|label| self.value(labels, label));
        Some(OperationLabels { library, shape, dtype, device, grain })
    }

    /// Whether the row is of a function that was traced.
    pub(super) fn is_function(&self, labels: LabelSetId) -> bool {
        self.value(labels, self.function).is_some()
    }

    fn value(&self, labels: LabelSetId, label: Option<StringId>) -> Option<StringId> {
        let label = label?;
        let pair = self.profile.labels.get(labels).iter().find(|(name, _)| *name == label)?;
        Some(pair.1)
    }
}
