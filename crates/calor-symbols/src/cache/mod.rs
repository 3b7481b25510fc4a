//! The folder that keeps what was found, one file for each build of each image.
//!
//! Files appear whole, what is put behind them later has a checksum of its own, and whatever cannot be read is as good as absent, so that any number of
//! processes may share the folder and any of them may be killed.

mod format;
mod unpacked;

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calor_host::UNFINISHED;

use super::debug_file::{DebugFiles, hexadecimal};
use super::places::Places;
use crate::image::Image;
use format::Decoded;

/// The bound of the folder unless another is chosen.
pub(super) const DEFAULT_BYTES: u64 = 512 << 20;

/// A file of more blocks is written anew.
const MOST_BLOCKS: usize = 16;

const EXTENSION: &str = "symbols";
/// A file that is not whole, and older than this, is nobody's any more.
const ABANDONED: Duration = Duration::from_secs(3_600);
/// How old a file may grow in use before it counts as used just now.
const REFRESH: Duration = Duration::from_secs(3_600);

/// `$CALOR_CACHE_DIR`, else `calor` in the user's folder of caches.
pub(super) fn default_folder() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("CALOR_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("calor")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/calor")))
}

/// The folder.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    max_bytes: u64,
}

impl Cache {
    pub(super) fn new(folder: &Path, max_bytes: u64) -> Self {
        Self { folder: folder.join("symbols"), max_bytes }
    }

    /// What was found earlier for this build, with the same files at hand, and whether more can be put behind it.
    pub(super) fn read(&self, image: &Arc<Image>, files: &DebugFiles) -> Option<(Places, bool)> {
        let path = self.path(image)?;
        let bytes = fs::read(&path).ok()?;
        let Decoded { places, n_blocks, is_whole } =
            format::decode(&bytes, fingerprint(image, files).as_bytes())?;
        // What is in use is not the oldest. That this fails in a folder of somebody else's does no harm.
        if let Ok(file) = File::options().append(true).open(&path)
            && age(&path).is_some_and(|age| age > REFRESH)
        {
            file.set_modified(SystemTime::now()).ok();
        }
        Some((places, is_whole && n_blocks < MOST_BLOCKS))
    }

    /// Puts what was found behind what is kept of the same build: that costs in proportion to what is new. Whether it
    /// could be; a file that is gone is not begun with a part.
    pub(super) fn append(&self, image: &Arc<Image>, files: &DebugFiles, places: &Places) -> bool {
        let Some(path) = self.path(image) else { return false };
        let bytes = format::encode(places, fingerprint(image, files).as_bytes());
        // One piece, so that those of several processes do not mix.
        let file = File::options().append(true).open(path);
        file.and_then(|mut file| file.write_all(&bytes)).is_ok()
    }

    /// Keeps what was found.
    pub(super) fn write(&self, image: &Arc<Image>, files: &DebugFiles, places: &Places) -> io::Result<()> {
        let Some(path) = self.path(image) else { return Ok(()) };
        let bytes = format::encode(places, fingerprint(image, files).as_bytes());
        if bytes.len() as u64 > self.max_bytes {
            return Ok(());
        }
        put_whole(&path, &[&bytes])
    }

    /// Removes the files that were used longest ago until the rest is within the bound.
    pub(super) fn trim(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        let mut n_bytes = 0;
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else { continue };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(EXTENSION | unpacked::EXTENSION) => {
                    n_bytes += metadata.len();
                    kept.push((metadata.modified().unwrap_or(UNIX_EPOCH), metadata.len(), path));
                }
                Some(UNFINISHED) if age(&path).is_some_and(|age| age > ABANDONED) => {
                    fs::remove_file(path).ok();
                }
                _ => {}
            }
        }
        kept.sort();
        for (_, length, path) in kept {
            if n_bytes <= self.max_bytes {
                break;
            }
            // Another process may have removed it already.
            fs::remove_file(path).ok();
            n_bytes = n_bytes.saturating_sub(length);
        }
        Ok(())
    }

    /// By build id; by path where there is none. `None` for what has neither.
    fn path(&self, image: &Image) -> Option<PathBuf> {
        let name = match image.build_id().filter(|id| id.len() >= 8 && id.len() <= 64) {
            Some(id) => hexadecimal(id),
            None => {
                let path = image.file()?.as_os_str().as_encoded_bytes();
                format!("path-{:08x}-{:x}", crc32fast::hash(path), path.len())
            }
        };
        Some(self.folder.join(name).with_extension(EXTENSION))
    }
}

/// Writes a file of these pieces that appears whole or not at all.
fn put_whole(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    calor_host::replace_pieces(path, pieces)
}

/// What the answer depends on beside the build: which files were at hand. Debug information that is installed
/// later has to be looked at, and a file without a build id is known by its age and size alone.
fn fingerprint(image: &Arc<Image>, files: &DebugFiles) -> String {
    let mut text = format!("{}\n", image.bytes().len());
    let own = image.build_id().is_none().then_some(image);
    for file in own.into_iter().chain(files.others(image)) {
        let path = file.file().unwrap_or(Path::new(""));
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(UNIX_EPOCH);
        let nanos = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        text.push_str(&format!("{} {} {nanos}\n", path.display(), file.bytes().len()));
    }
    text
}

fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}
