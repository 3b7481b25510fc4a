//! The files that were mapped when a recording was made, found again: by build id wherever one of that build lies,
//! else by name if nothing speaks against it. There is no process any more to ask.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::features::Features;
use crate::call_paths::images::own_vdso;
use calor_symbols::image::Image;

/// A mapped file as a recording describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) build_id: Option<&'a [u8]>,
    /// 0 when not told.
    pub(super) inode: u64,
}

/// Finds files.
#[derive(Debug)]
pub(super) struct Files {
    is_this_machine: bool,
}

impl Files {
    pub(super) fn new(features: &Features<'_>) -> Self {
        Self { is_this_machine: features.is_of_this_machine() }
    }

    /// Opens a file; `None` for memory that no file stands behind.
    pub(super) fn open(&self, wanted: Wanted<'_>) -> Result<Option<Image>, String> {
        let name = wanted.name;
        if name == "[vdso]" {
            let image = own_vdso().and_then(|bytes| Image::from_bytes(name, bytes).ok());
            return Ok(image.filter(|image| match wanted.build_id {
                Some(id) => image.build_id() == Some(id),
                None => self.is_this_machine,
            }));
        }
        let is_no_file = ["//", "/memfd:", "/dev/", "/SYSV", "/anon_hugepage"];
        if !name.starts_with('/') || is_no_file.iter().any(|start| name.starts_with(start)) {
            return Ok(None);
        }
        match wanted.build_id {
            Some(id) => same_build(name, id).map(Some),
            None => self.same_file(wanted).map(Some),
        }
    }

    /// A file without a build id is only to be trusted where it was mapped.
    fn same_file(&self, wanted: Wanted<'_>) -> Result<Image, String> {
        if !self.is_this_machine {
            return Err("it was recorded on another machine or kernel and without a build id, so that a file of that \
                        name may be another: copy it here after `perf archive`, or record with `--buildid-mmap`"
                .to_owned());
        }
        let path = PathBuf::from(wanted.name);
        let data = fs::metadata(&path).map_err(|error| format!("cannot read it: {error}"))?;
        if !data.is_file() {
            return Err("it is not a regular file any more".to_owned());
        }
        if wanted.inode != 0 && data.ino() != wanted.inode {
            return Err("it was replaced since it was recorded, and no build id tells where else it may be"
                .to_owned());
        }
        Image::open(wanted.name, &path).map_err(|error| error.to_string())
    }
}

/// A file of that very build: where it was mapped, or where perf and debuggers keep copies.
fn same_build(name: &str, id: &[u8]) -> Result<Image, String> {
    let text: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let home = env::var_os("HOME").map(PathBuf::from);
    let mut paths = vec![PathBuf::from(name)];
    if let Some(home) = &home
        && text.len() > 2
    {
        let (first, rest) = text.split_at(2);
        paths.push(home.join(".debug/.build-id").join(first).join(rest).join("elf"));
        paths.push(home.join(".cache/debuginfod_client").join(&text).join("executable"));
    }
    let mut is_there = false;
    for path in paths {
        // A name may lead anywhere by now: to a pipe, on which opening would wait for ever.
        if !fs::metadata(&path).is_ok_and(|data| data.is_file()) {
            continue;
        }
        is_there = true;
        if let Ok(image) = Image::open(name, &path)
            && image.build_id() == Some(id)
        {
            return Ok(image);
        }
    }
    let what = if is_there { "the file of that name is of another build" } else { "it is not here" };
    Err(format!("{what}: expected build id {text}; fetch it with `debuginfod-find executable {text}`"))
}
