//! The builds of this package that a run needs. The runner itself is the one in which every recorder but Tracy is
//! compiled in; the others are made by cargo, from the same sources with other features, in folders beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A choice of features.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Build {
    /// Every recorder but Tracy: this very program.
    Recording,
    /// Tracy alone. Its worker starts before `main` wherever it is linked in, and would disturb everyone else.
    Tracy,
    /// Tracy alone, waiting for a viewer.
    TracyOnDemand,
    /// Every recorder that can be compiled out.
    CompiledOut,
}

impl Build {
    fn feature(self) -> Option<&'static str> {
        match self {
            Build::Recording => None,
            Build::Tracy => Some("tracy"),
            Build::TracyOnDemand => Some("tracy-ondemand"),
            Build::CompiledOut => Some("compiled-out"),
        }
    }

    /// Makes the build if need be, and says where its program is.
    pub(crate) fn program(self) -> Result<PathBuf, String> {
        let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let Some(feature) = self.feature() else { return Ok(own) };
        // <target>/release/<program>
        let (name, target) = own.file_name().zip(own.parent().and_then(Path::parent)).ok_or_else(|| {
            format!("expected this program in <target>/release, found it at {}", own.display())
        })?;
        let target = target.join(feature);
        eprintln!("building with {feature}");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args([
                "build",
                "--release",
                "--locked",
                "--quiet",
                "--no-default-features",
                "--features",
                feature,
            ])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
            .env("CARGO_TARGET_DIR", &target)
            .status()
            .map_err(|error| format!("cannot start cargo to build with {feature}: {error}"))?;
        if !status.success() {
            return Err(format!("cargo could not build with {feature}"));
        }
        Ok(target.join("release").join(name))
    }
}
