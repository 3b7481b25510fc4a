//! The inputs: made once a run, by generators that give the same bytes every time and that use no writer of Calor's
//! for the formats of others, so that a reader is not only shown what its own writer would say.

mod chrome;
mod folded;
mod native;
mod numbers;
mod perf;
pub(crate) mod pprof;

use std::fs;
use std::path::{Path, PathBuf};

/// One input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Input {
    /// 100 MB of samples in a pprof message.
    Pprof,
    /// As much of it with several times the call paths, which no cache holds.
    PprofWide,
    /// The same as programs write it.
    PprofGzip,
    /// 100 MB of spans in a Chrome trace.
    Chrome,
    /// 50 MB of samples as `perf script` prints them.
    Perf,
    /// 100,000 different call paths.
    Folded,
    /// As many call paths as have 100,000 frames together.
    FoldedFrames,
    /// 10 MB of samples in Calor's own format.
    NativeSamples,
    /// 10 MB of scopes and spans in Calor's own format.
    NativeScopes,
    /// A recording of 5,000 functions: scopes, spans and samples.
    Functions,
}

impl Input {
    /// Where it is in a folder of inputs.
    pub(crate) fn path(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::Pprof => "samples.pb",
            Self::PprofWide => "wide.pb",
            Self::PprofGzip => "samples.pb.gz",
            Self::Chrome => "trace.json",
            Self::Perf => "perf.txt",
            Self::Folded => "stacks.folded",
            Self::FoldedFrames => "frames.folded",
            Self::NativeSamples => "samples.calor",
            Self::NativeScopes => "scopes.calor",
            Self::Functions => "functions.calor",
        })
    }

    /// Makes it.
    pub(crate) fn write(self, folder: &Path) -> Result<(), String> {
        let bytes = match self {
            Self::Pprof => pprof::message(6),
            Self::PprofWide => pprof::message(3),
            Self::PprofGzip => pprof::packed(&pprof::message(6))?,
            Self::Chrome => chrome::trace().into_bytes(),
            Self::Perf => perf::script().into_bytes(),
            Self::Folded => folded::stacks().into_bytes(),
            Self::FoldedFrames => folded::frames().into_bytes(),
            Self::NativeSamples => native::samples()?,
            Self::NativeScopes => native::scopes()?,
            Self::Functions => native::functions()?,
        };
        let path = self.path(folder);
        eprintln!("made {} of {:.1} MB", path.display(), bytes.len() as f64 / 1e6);
        fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Its bytes.
    pub(crate) fn read(self, folder: &Path) -> Result<Vec<u8>, String> {
        let path = self.path(folder);
        fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }
}
