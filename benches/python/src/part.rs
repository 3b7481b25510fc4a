//! The parts: each is a script of its own beside this package, with the peers that it compares with.

use std::path::{Path, PathBuf};

/// One part.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name on the command line, and that of its script.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What pip installs for it. What an interpreter has no wheel of is left out, and the script says so.
    pub(crate) peers: &'static [&'static str],
    /// Whether it runs without being asked for.
    pub(crate) is_usual: bool,
}

/// All parts, in the order of the page.
pub(crate) const ALL: &[Part] = &[
    Part {
        name: "scopes",
        about: "what one scope costs",
        peers: &["nvtx", "viztracer", "opentelemetry-sdk"],
        is_usual: true,
    },
    Part {
        name: "functions",
        about: "what tracing each call of a function costs",
        peers: &["viztracer", "pyinstrument", "yappi"],
        is_usual: true,
    },
    Part {
        name: "numpy_ops",
        about: "what recording operations of NumPy costs",
        peers: &["numpy"],
        is_usual: true,
    },
    // Gigabytes of wheels: only for who asks.
    Part {
        name: "torch_ops",
        about: "what recording operations of PyTorch costs",
        peers: &["numpy", "torch"],
        is_usual: false,
    },
    Part {
        name: "report",
        about: "how large a profile of many operations is, and how long its report takes",
        peers: &["numpy"],
        is_usual: true,
    },
];

impl Part {
    /// Its script.
    pub(crate) fn script(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{}.py", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_a_part() {
        let folder = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the package's folder can be read");
        for entry in folder.flatten() {
            let name = entry.file_name().into_string().unwrap_or_default();
            if let Some(script) = name.strip_suffix(".py") {
                assert!(ALL.iter().any(|part| part.name == script), "{script} is in no table");
            }
        }
    }
}
