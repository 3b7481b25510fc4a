//! The page that stands below a cell of a notebook, in a frame of a few dozen lines: what the cell did comes first, and what
//! the reader knows already, the machine and the command of the kernel, last or not at all.

use crate::document::{Body, Section};
use crate::report::Report;

/// Before the graphs.
const FIRST: [&str; 2] = ["operations", "scopes"];
/// Behind everything else.
const LAST: [&str; 2] = ["summary", "system"];
/// What the program of a kernel is called, whoever starts it: `ipykernel_launcher`, `colab_kernel_launcher`.
const KERNEL: [&str; 2] = ["kernel_launcher", "ipykernel"];

/// Whether the process that wrote this about itself is the kernel of a notebook.
pub(super) fn is_of_cell(report: &Report<'_>) -> bool {
    let command = report.answer.profile.runs.first().and_then(|run| run.command.as_deref());
    report.options.is_of_itself && command.is_some_and(is_kernel)
}

fn is_kernel(command: &str) -> bool {
    let program = |word: &str| {
        let file = word.rsplit('/').next().unwrap_or(word);
        KERNEL.iter().any(|kernel| file.strip_suffix(".py").unwrap_or(file).ends_with(kernel))
    };
    command.split_whitespace().any(program)
}

/// Puts the sections into their order; what is returned stands behind the graphs.
pub(super) fn arranged(before: &mut Vec<Section>, after: Vec<Section>) -> Vec<Section> {
    let (first, rest): (Vec<Section>, Vec<Section>) =
        before.drain(..).partition(|section| FIRST.contains(&section.id));
    *before = first;
    let mut behind: Vec<Section> = rest.into_iter().chain(after).collect();
    let place = |section: &Section| LAST.iter().position(|id| *id == section.id).map_or(0, |at| at + 1);
    behind.sort_by_key(place);
    for section in &mut behind {
        if let Body::Facts(facts) = &mut section.body {
            facts.retain(|(name, _)| section.id != "system" || name != "command");
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_known_by_their_command() {
        for command in [
            "/usr/bin/python3 -m ipykernel_launcher -f /run/user/0/jupyter/kernel-1.json",
            "python -m ipykernel --f=kernel.json",
            "/venv/lib/python3.11/site-packages/ipykernel_launcher.py -f kernel.json",
            "/usr/bin/python3 -m colab_kernel_launcher -f kernel.json",
        ] {
            assert!(is_kernel(command), "{command}");
        }
        for command in ["python train.py", "python ipykernel_users.py", ""] {
            assert!(!is_kernel(command), "{command}");
        }
    }

    #[test]
    fn what_the_cell_did_comes_first_and_the_machine_last() {
        let section = |id| Section::new(id, id, Body::Lines(Vec::new()));
        let facts = ["command", "host"].map(|name| (name.to_owned(), String::new()));
        let system = Section::new("system", "System", Body::Facts(facts.into()));
        let mut before =
            vec![system, section("summary"), section("findings"), section("operations"), section("scopes")];
        let behind = arranged(&mut before, vec![section("work")]);
        let ids = |list: &[Section]| -> Vec<&str> { list.iter().map(|section| section.id).collect() };
        assert_eq!(ids(&before), ["operations", "scopes"]);
        assert_eq!(ids(&behind), ["findings", "work", "summary", "system"]);
        let Body::Facts(facts) = &behind[3].body else { panic!("facts") };
        assert_eq!(facts.len(), 1);
    }
}
