//! Paths that differ in nothing but lines, as one. A sampled frame tells the line it was found in, so one function
//! comes as many frames; a list of functions that shows it once a line hides how much it takes.

use calor_model::{FrameId, FrameKind, FunctionKey, Profile, StackId, StackTable};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// The paths of a profile over functions instead of frames.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    /// The paths, over the first frame of each function.
    paths: StackTable,
    /// Which of them each path of the profile is.
    of: Vec<StackId>,
    /// For each of them the first path of the profile that is it.
    firsts: Vec<StackId>,
}

impl Merged {
    /// The paths of a profile; `None` when no function comes as more than one frame.
    pub(crate) fn new(profile: &Profile) -> Option<Self> {
        let functions = first_frames(profile)?;
        let mut merged = Self {
            paths: StackTable::default(),
            of: Vec::with_capacity(profile.stacks.len()),
            firsts: Vec::new(),
        };
        for (id, stack) in profile.stacks.iter() {
            let caller = stack.parent.map(|parent| merged.of[parent.index()]);
            let path = merged.paths.intern(caller, functions[stack.frame.index()]);
            if path.index() == merged.firsts.len() {
                merged.firsts.push(id);
            }
            merged.of.push(path);
        }
        Some(merged)
    }

    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Which path a path of the profile is.
    #[inline]
    pub(crate) fn of(&self, stack: StackId) -> StackId {
        self.of[stack.index()]
    }

    /// The caller of a path.
    pub(super) fn parent(&self, index: usize) -> Option<StackId> {
        self.paths.get(StackId::from_index(index)).parent
    }

    /// A path of the profile that is this path.
    pub(super) fn first(&self, index: usize) -> StackId {
        self.firsts[index]
    }
}

/// For each frame the first of its function; `None` when every frame is.
fn first_frames(profile: &Profile) -> Option<Vec<FrameId>> {
    let mut functions: IndexMap<FunctionKey, FrameId, RandomState> = IndexMap::default();
    let firsts: Vec<FrameId> = profile
        .frames
        .iter()
        .map(|(id, frame)| {
            // A scope is opened in one line: another line is another scope.
            let is_scope = matches!(frame.kind, FrameKind::Scope | FrameKind::Context);
            if is_scope { id } else { *functions.entry(frame.function()).or_insert(id) }
        })
        .collect();
    let is_one = firsts.iter().enumerate().all(|(index, first)| first.index() == index);
    (!is_one).then_some(firsts)
}
