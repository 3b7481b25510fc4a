//! Where the debug information of an image lies: in the file itself, or in another file that distributions and
//! build systems put in a few well-known places.
//!
//! A file is taken only when it belongs to this very build: by its build id, or by the checksum in the image.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::image::Image;

/// The files that hold an image's debug information.
#[derive(Clone, Debug)]
pub(super) struct DebugFiles {
    /// The file with the units; the image itself when nothing was moved out of it.
    pub(super) main: Option<Arc<Image>>,
    /// What `dwz` moved out of several files into one.
    pub(super) supplementary: Option<Arc<Image>>,
    /// Split units, gathered in one file.
    pub(super) package: Option<Arc<Image>>,
}

impl DebugFiles {
    pub(super) fn of(image: &Arc<Image>) -> Self {
        let main = if is_informed(image) { Some(Arc::clone(image)) } else { separate(image) };
        let supplementary = main.as_ref().and_then(|main| supplementary(main, image));
        let package = main.as_ref().and_then(|main| package(main, image));
        Self { main, supplementary, package }
    }

    /// All of them but the image itself.
    pub(super) fn others<'a>(&'a self, image: &'a Arc<Image>) -> impl Iterator<Item = &'a Arc<Image>> {
        [&self.main, &self.supplementary, &self.package]
            .into_iter()
            .flatten()
            .filter(move |other| !Arc::ptr_eq(other, image))
    }
}

fn is_informed(image: &Image) -> bool {
    image.has_section(".debug_info") || image.has_section(".zdebug_info")
}

/// Opens a file that may or may not be there. Its name for messages is its path.
fn open(path: &Path) -> Option<Arc<Image>> {
    Image::open(&path.to_string_lossy(), path).ok().map(Arc::new)
}

/// The file that debug information was moved to.
fn separate(image: &Image) -> Option<Arc<Image>> {
    let is_same_build = |other: &Arc<Image>| is_informed(other) && other.build_id() == image.build_id();
    if let Some(id) = image.build_id().filter(|id| id.len() > 2) {
        let found = build_id_paths(image, id).find_map(|path| open(&path).filter(is_same_build));
        if found.is_some() {
            return found;
        }
    }
    let (name, checksum) = image.debug_link()?;
    let name = OsStr::from_bytes(name);
    let folder = image.file()?.parent()?;
    let folder_in_process = Path::new(image.name()).parent().unwrap_or(folder);
    let beside = [folder.join(name), folder.join(".debug").join(name)];
    let global = debug_folders(image)
        .into_iter()
        .map(|root| root.join(folder_in_process.strip_prefix("/").unwrap_or(folder_in_process)).join(name));
    beside.into_iter().chain(global).find_map(|path| {
        open(&path).filter(|other| {
            // Equal build ids say more than a checksum, and need not read the whole file.
            let has_same_id = image.build_id().is_some() && other.build_id() == image.build_id();
            is_informed(other) && (has_same_id || crc32fast::hash(other.bytes()) == checksum)
        })
    })
}

/// `/usr/lib/debug` of this machine, and before it that of the container the image was seen in.
fn debug_folders(image: &Image) -> Vec<PathBuf> {
    let folder = Path::new("/usr/lib/debug");
    let mut folders = vec![folder.to_owned()];
    let file = image.file().map(|file| file.as_os_str().as_bytes()).unwrap_or_default();
    if let Some(root) = file.strip_suffix(image.name().as_bytes()).filter(|root| !root.is_empty()) {
        folders.insert(0, Path::new(OsStr::from_bytes(root)).join("usr/lib/debug"));
    }
    folders
}

fn build_id_paths(image: &Image, id: &[u8]) -> impl Iterator<Item = PathBuf> {
    let text = hexadecimal(id);
    let (first, rest) = text.split_at(2);
    let relative = format!(".build-id/{first}/{rest}.debug");
    let in_folders = debug_folders(image).into_iter().map(move |folder| folder.join(&relative));
    let downloaded = download_folders().into_iter().map(move |folder| folder.join(&text).join("debuginfo"));
    in_folders.chain(downloaded)
}

/// Where `debuginfod-find` and debuggers keep what they fetched. Nothing is fetched from here.
fn download_folders() -> Vec<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("HOME");
    [
        variable("DEBUGINFOD_CACHE_PATH"),
        variable("XDG_CACHE_HOME").map(|folder| folder.join("debuginfod_client")),
        home.as_ref().map(|home| home.join(".cache/debuginfod_client")),
        home.as_ref().map(|home| home.join(".debuginfod_client_cache")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The file that several files share parts of their debug information in.
fn supplementary(main: &Image, image: &Image) -> Option<Arc<Image>> {
    let (_, link) = main.section(".gnu_debugaltlink")?;
    let end = link.iter().position(|byte| *byte == 0)?;
    let (name, id) = (Path::new(OsStr::from_bytes(&link[..end])), &link[end + 1..]);
    let is_meant = |other: &Arc<Image>| other.build_id() == Some(id);
    let folder = main.file().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut paths = vec![folder.join(name)];
    if id.len() > 2 {
        paths.extend(build_id_paths(image, id));
    }
    paths.iter().find_map(|path| open(path).filter(is_meant))
}

/// The package of split units: beside the file, with `.dwp` behind its name.
fn package(main: &Image, image: &Image) -> Option<Arc<Image>> {
    [main.file(), image.file()].into_iter().flatten().find_map(|file| {
        let mut path = file.as_os_str().to_owned();
        path.push(".dwp");
        // `file.debug` and `file` share `file.dwp`.
        open(Path::new(&path)).or_else(|| open(&file.with_extension("dwp")))
    })
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
