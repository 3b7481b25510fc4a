//! The programs of this package: which of them are built how, and where they are then.

use std::path::PathBuf;

use harness::watched::{beside, build};

/// How a program is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Build {
    /// As `cargo build --release` does it: without frame pointers.
    Usual,
    /// With frame pointers, in a target folder of its own.
    FramePointers,
}

/// One program.
#[derive(Debug)]
pub(crate) struct Variant {
    /// Its name.
    pub(crate) name: &'static str,
    /// The feature that it is built with; none when empty.
    pub(crate) feature: &'static str,
}

/// The program without any profiler.
pub(crate) const PLAIN: Variant = Variant { name: "plain", feature: "" };
/// The program with Calor's allocator as it is meant to be left on.
pub(crate) const CALOR_ALWAYS: Variant = Variant { name: "calor-always", feature: "calor" };
/// The program with Calor's allocator that keeps every call path.
pub(crate) const CALOR_EXACT: Variant = Variant { name: "calor-exact", feature: "calor" };

/// The folder, beside this program, of those with frame pointers.
const FRAME_POINTERS: &str = "frame-pointers";

impl Variant {
    /// Where it is once it is made.
    pub(crate) fn path(&self, build: Build) -> PathBuf {
        match build {
            Build::Usual => beside(self.name),
            Build::FramePointers => beside(FRAME_POINTERS).join("release").join(self.name),
        }
    }

    /// Has cargo build it.
    pub(crate) fn make(&self, how: Build) -> Result<(), String> {
        // The first time it takes minutes.
        eprintln!("building {}, {how:?}", self.name);
        build(env!("CARGO_MANIFEST_DIR"), |cargo| {
            cargo.args(["--bin", self.name, "--features", self.feature]);
            match how {
                Build::Usual => cargo,
                Build::FramePointers => cargo
                    .env("RUSTFLAGS", "-C force-frame-pointers=yes")
                    .env("CARGO_TARGET_DIR", beside(FRAME_POINTERS)),
            }
        })
    }
}
