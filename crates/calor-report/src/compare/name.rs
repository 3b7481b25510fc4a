//! Names of functions in a list: short, and told apart where two have the same.

use calor_analysis::short_name;
use calor_analysis::{FunctionDifference, FunctionName, Presence};
use calor_model::{FrameKind, simplify};

use crate::document::Name;

/// What a function that is recognised on both sides was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Former<'f> {
    /// It had another name.
    Called(&'f str),
    /// It had this name in another file, library or program.
    In(&'f str),
}

impl<'f> Former<'f> {
    /// `None` of one that is where it was, but for what differs from build to build.
    pub(super) fn of(function: &'f FunctionDifference) -> Option<Self> {
        let Presence::RenamedFrom(former) = &function.presence else { return None };
        let now = &function.function;
        if simplify(&former.name) != simplify(&now.name) {
            return Some(Self::Called(&former.name));
        }
        let [before, after] = [former, now].map(place);
        before.filter(|_| before != after).map(Self::In)
    }
}

/// Where a function is.
pub(super) fn place(function: &FunctionName) -> Option<&str> {
    function.file.as_deref().or(function.module.as_deref())
}

/// The name of each function of a list.
pub(super) struct Names {
    /// Names that more than one function has.
    shared: std::collections::BTreeSet<String>,
}

impl Names {
    pub(super) fn new(functions: &[FunctionDifference]) -> Self {
        let mut all: Vec<String> = functions.iter().map(|function| short(&function.function)).collect();
        all.sort_unstable();
        let shared = all.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect();
        Self { shared }
    }

    /// In one line.
    pub(super) fn plain(&self, function: &FunctionName) -> String {
        let name = short(function);
        match place(function).filter(|_| self.shared.contains(&name)) {
            Some(place) => format!("{name} ({place})"),
            None => name,
        }
    }

    /// For a table: all that is known of it is in the hint.
    pub(super) fn of(&self, function: &FunctionDifference) -> Name {
        let name = &function.function;
        let module = name.module.as_ref().map(|module| format!(" in {module}")).unwrap_or_default();
        let former = match Former::of(function) {
            Some(Former::Called(former)) => format!(", before {former}"),
            Some(Former::In(place)) => format!(", before in {place}"),
            None => String::new(),
        };
        let whole = Some(format!("{}{module}{former}", name.name));
        Name { leaf: self.plain(name), location: name.file.clone(), whole, ..Name::default() }
    }
}

fn short(function: &FunctionName) -> String {
    // Only compiled code has names with arguments, and those of Python's functions have a file.
    let kind = if function.file.is_some() { FrameKind::Python } else { FrameKind::Native };
    short_name(kind, &function.name).into_owned()
}
