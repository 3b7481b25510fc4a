//! Whose a function is, and which function of the program a path belongs to: advice is for those who can follow it, and
//! nobody changes `memcpy`.

use calor_model::{Frame, FrameKind, Profile, StackId};

use crate::heap::{Claim, is_allocator};
use crate::system_frame::is_of_system;

/// Folders that the sources of other people's Rust, C and Python lie in.
const LIBRARY_SOURCES: [&str; 6] =
    ["/registry/src/", "/.cargo/git/", "/usr/src/", "/usr/include/", "/site-packages/", "/dist-packages/"];

/// Libraries whose operations are recorded as scopes, by the module of those.
const ARRAY_LIBRARIES: [&str; 2] = ["numpy", "torch"];

/// Whose a function is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// The kernel's, the C library's, the language's, or nobody's.
    System,
    /// Of an interpreter.
    Interpreter,
    /// A library's.
    Library,
    /// The program's.
    Program,
}

impl Owner {
    /// The word used in files of rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Interpreter => "interpreter",
            Self::Library => "library",
            Self::Program => "program",
        }
    }
}

/// Whose the functions are that the paths of a profile end in.
#[derive(Clone, Debug)]
pub(super) struct Owners {
    owners: Vec<Owner>,
    sites: Vec<Option<StackId>>,
}

impl Owners {
    pub(super) fn of(profile: &Profile) -> Self {
        let n_stacks = profile.stacks.len();
        let (mut owners, mut sites) = (Vec::with_capacity(n_stacks), Vec::with_capacity(n_stacks));
        // Callers come before callees, so a caller's site is known.
        for (id, stack) in profile.stacks.iter() {
            let owner = owner(profile, id, profile.frames.get(stack.frame));
            let of_caller = || stack.parent.and_then(|parent| sites[parent.index()]);
            let site = if owner == Owner::Program { Some(id) } else { of_caller() };
            owners.push(owner);
            sites.push(site);
        }
        Self { owners, sites }
    }

    pub(super) fn owner(&self, stack: StackId) -> Owner {
        self.owners.get(stack.index()).copied().unwrap_or(Owner::System)
    }

    pub(super) fn site(&self, stack: StackId) -> Option<StackId> {
        self.sites.get(stack.index()).copied().flatten()
    }
}

fn owner(profile: &Profile, stack: StackId, frame: Frame) -> Owner {
    let text = |id| profile.strings.get(id);
    let file = frame.file.map_or("", text);
    match frame.kind {
        FrameKind::Kernel | FrameKind::Synthetic => Owner::System,
        FrameKind::Python if Claim::of(profile, frame) == Claim::Library => Owner::Library,
        FrameKind::Native => match Claim::of(profile, frame) {
            _ if is_allocator(profile, frame) => Owner::System,
            Claim::Interpreter => Owner::Interpreter,
            _ if is_of_system(profile, stack) => Owner::System,
            _ if LIBRARY_SOURCES.iter().any(|folder| file.contains(folder)) => Owner::Library,
            // A library whose lines are not known was not built here.
            _ if file.is_empty() && is_library(frame.module.map_or("", text)) => Owner::Library,
            _ => Owner::Program,
        },
        // Operations on arrays, whose line stands above them.
        FrameKind::Scope if file.is_empty() && ARRAY_LIBRARIES.contains(&frame.module.map_or("", text)) => {
            Owner::Library
        }
        _ => Owner::Program,
    }
}

fn is_library(module: &str) -> bool {
    let name = module.rsplit('/').next().unwrap_or(module);
    name.contains(".so") || name.ends_with(".dylib") || name.ends_with(".dll")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn a_path_belongs_to_the_nearest_function_of_the_program() {
        let profile = Draft::new()
            .cpu(
                &[
                    "app::main@src/main.rs:3",
                    "serde::parse@/h/.cargo/registry/src/serde/lib.rs:9",
                    "memcpy!libc.so.6",
                ],
                1,
            )
            .cpu(&["py:<module>@train.py:1", "_PyEval_EvalFrameDefault!python3.11", "add!_multiarray.so"], 1)
            .cpu(&["start_thread!libc.so.6"], 1)
            .cpu(&["py:<module>@train.py:1", "_PyEval_EvalFrameDefault!python3.11"], 1)
            .profile();
        let facts = Facts::new(&profile, None);
        let told: Vec<_> = profile
            .samples
            .iter()
            .map(|(key, _)| {
                (facts.owner(key.stack), facts.program_site(key.stack).map(|site| facts.name(site)))
            })
            .collect();
        let expected = [
            (Owner::System, Some("app::main")),
            (Owner::Library, Some("<module>")),
            (Owner::System, None),
            (Owner::Interpreter, Some("<module>")),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_library_with_known_lines_is_the_programs_unless_it_was_installed() {
        let owner_of = |frame: &str| {
            let profile = Draft::new().cpu(&[frame], 1).profile();
            let stack = profile.samples.iter().next().expect("one sample").0.stack;
            Facts::new(&profile, None).owner(stack)
        };
        assert_eq!(owner_of("my_kernel!_mine.so@src/kernel.c:4"), Owner::Program);
        assert_eq!(owner_of("blas_gemm!libopenblas.so.0"), Owner::Library);
        assert_eq!(owner_of("py:norm@/v/lib/python3.12/site-packages/numpy/linalg.py:4"), Owner::Library);
        assert_eq!(owner_of("py:norm@/home/me/linalg.py:4"), Owner::Program);
        assert_eq!(owner_of("malloc!app"), Owner::System);
        assert_eq!(owner_of("long_add!libpython3.12.so.1.0"), Owner::Interpreter);
        let of_python = |file: &str| owner_of(&format!("f!zlib.cpython-311-x86_64-linux-gnu.so@{file}"));
        assert_eq!(of_python("/build/Python-3.11.7/./Modules/zlibmodule.c:245"), Owner::Interpreter);
        assert_eq!(of_python("./Include/object.h:500"), Owner::Interpreter);
        assert_eq!(of_python("src/MyModules/kernel.c:4"), Owner::Program);
    }
}
