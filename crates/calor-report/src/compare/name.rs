//! Names of functions in a list: short, and told apart where two have the same.

use calor_analysis::comparison::{Former, place};
use calor_analysis::{FunctionDifference, FunctionName, short_name};
use calor_model::FrameKind;

use crate::document::Name;

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
