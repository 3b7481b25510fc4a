//! The files that watched processes map, each opened once, whatever number of processes map it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::roots::Roots;
use calor_symbols::image::{Image, ImageError};
use calor_symbols::unwind::{ModuleId, Unwinder};

/// Stands for a file in this recording.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ImageId(u32);

impl ImageId {
    /// Its number: those of a recording are counted from 0.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The one of a number.
    pub(crate) fn of_number(number: u32) -> Self {
        Self(number)
    }
}

#[cfg(test)]
impl ImageId {
    pub(crate) fn of_test(number: u64) -> Self {
        Self(u32::try_from(number).expect("numbers of tests are small"))
    }
}

/// What is to be opened, as the kernel describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) pid: i32,
    pub(crate) name: &'a str,
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
    /// The mapping, by which the kernel's own link to the file can be found.
    pub(crate) range: (u64, u64),
}

/// A file and what became of opening it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) name: String,
    pub(crate) image: Option<Arc<Image>>,
    pub(crate) module: Option<ModuleId>,
    /// Why it could not be used, in words.
    pub(crate) problem: Option<String>,
    /// The file, held open, and its stamp at first: what is mapped changes with it when it is written in place.
    file: Option<(fs::File, Stamp)>,
}

/// When a file was last written, and its size: numbers of files are used again, and files written anew in place.
type Stamp = (i64, i64, u64);

/// Name, device and inode.
pub(crate) type Key = (String, (u32, u32), u64);

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Images {
    opened: Vec<Opened>,
    by_key: HashMap<Key, ImageId, RandomState>,
    roots: Roots,
}

impl Images {
    /// The file behind a mapping.
    pub(crate) fn get(&mut self, request: Request<'_>, unwinder: &mut Unwinder) -> ImageId {
        // Memory without a file is all alike; a program may make any number of pieces of it.
        let inode = if is_file(request.name) { request.inode } else { 0 };
        let key = (request.name.to_owned(), request.device, inode);
        let stamp = stamp(request);
        if let Some(known) = self.by_key.get(&key)
            && let (Some(now), Some((_, then))) = (stamp, &self.opened(*known).file)
            && now != *then
        {
            self.by_key.remove(&key);
        }
        let n_before = self.opened.len();
        let mut roots = std::mem::take(&mut self.roots);
        let open = || open(request, &mut roots).map_err(|missing| missing.to_string());
        let id = self.get_or_open(key, unwinder, open);
        self.roots = roots;
        if let Some(new) = self.opened.get_mut(n_before) {
            new.file = new.image.as_ref().and_then(|image| held(image.file()?));
        }
        id
    }

    /// The file that `key` tells from others; `open` is asked for it once, and answers `None` where no file stands
    /// behind a name.
    pub(crate) fn get_or_open(
        &mut self,
        key: Key,
        unwinder: &mut Unwinder,
        open: impl FnOnce() -> Result<Option<Image>, String>,
    ) -> ImageId {
        if let Some(id) = self.by_key.get(&key) {
            return *id;
        }
        let id = ImageId(u32::try_from(self.opened.len()).unwrap_or(u32::MAX));
        let (image, problem) = match open() {
            Ok(image) => (image.map(Arc::new), None),
            Err(problem) => (None, Some(problem)),
        };
        let module = image.as_ref().map(|image| unwinder.add(Arc::clone(image)));
        self.opened.push(Opened { name: key.0.clone(), image, module, problem, file: None });
        self.by_key.insert(key, id);
        id
    }

    /// A file that was opened by this name, whatever file it was.
    pub(crate) fn by_name(&self, name: &str) -> Option<ImageId> {
        let position = self.opened.iter().position(|opened| opened.name == name && opened.image.is_some())?;
        u32::try_from(position).ok().map(ImageId)
    }

    /// Lets go of files that were written in place since they were opened: names from them would be wrong.
    pub(crate) fn check(&mut self) {
        for opened in &mut self.opened {
            let Some((file, stamp)) = &opened.file else { continue };
            if file.metadata().is_ok_and(|data| stamp_of(&data) != *stamp) {
                (opened.image, opened.file) = (None, None);
                opened.problem = Some(Missing::Overwritten.to_string());
            }
        }
    }

    /// What became of opening it.
    pub(crate) fn opened(&self, id: ImageId) -> &Opened {
        &self.opened[id.0 as usize]
    }

    /// All files that could not be used although they are files.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.opened.iter().filter_map(|opened| Some((opened.name.as_str(), opened.problem.as_deref()?)))
    }
}

/// Why a mapped file is not to be had.
#[derive(Debug, thiserror::Error)]
enum Missing {
    #[error("it was replaced on disk while the program ran, and the old file is not to be had")]
    Replaced,
    #[error("the process had ended before it could be opened, and what has its name here is another file")]
    Ended,
    #[error("it was overwritten on disk while it was recorded")]
    Overwritten,
    #[error("{0}")]
    Image(#[from] ImageError),
}

/// Whether a name is that of a file, and not of memory that the kernel has words for.
fn is_file(name: &str) -> bool {
    let is_memory = ["//", "/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage"];
    name.starts_with('/') && !is_memory.iter().any(|memory| name.starts_with(memory))
}

/// The stamp of the file that has the name now, if it is the one that was mapped.
fn stamp(request: Request<'_>) -> Option<Stamp> {
    let data = is_file(request.name).then(|| fs::metadata(request.name))?.ok()?;
    (data.ino() == request.inode).then(|| stamp_of(&data))
}

fn stamp_of(data: &fs::Metadata) -> Stamp {
    (data.mtime(), data.mtime_nsec(), data.size())
}

fn held(path: &Path) -> Option<(fs::File, Stamp)> {
    let file = fs::File::open(path).ok()?;
    let stamp = stamp_of(&file.metadata().ok()?);
    Some((file, stamp))
}

/// `None` for memory that no file stands behind.
fn open(request: Request<'_>, roots: &mut Roots) -> Result<Option<Image>, Missing> {
    if request.name == "[vdso]" {
        return Ok(own_vdso().and_then(|bytes| Image::from_bytes(request.name, bytes).ok()));
    }
    if !is_file(request.name) {
        return Ok(None);
    }
    match find(request, roots) {
        Some(path) => Ok(Some(Image::open(request.name, &path)?)),
        None if Path::new(&format!("/proc/{}", request.pid)).exists() => Err(Missing::Replaced),
        None => Err(Missing::Ended),
    }
}

/// Where the very file that was mapped can be opened. The name alone is not enough: in another mount namespace
/// it means another file, and a file can be replaced while the program runs.
fn find(request: Request<'_>, roots: &mut Roots) -> Option<PathBuf> {
    let Request { pid, name, range: (start, end), .. } = request;
    let mut inside = PathBuf::from(format!("/proc/{pid}/root{name}"));
    let direct = PathBuf::from(name);
    // What lies beside a file is looked for when the process may have ended, and with it the path that leads through
    // it: where both lead to one file, the other path stays.
    let is_one = is_one_file(&inside, &direct);
    if !is_one && inside.exists() {
        inside = roots.of(pid).join(name.trim_start_matches('/'));
    }
    let candidates = if is_one { [&direct, &inside] } else { [&inside, &direct] };
    if let Some(path) = candidates.into_iter().find(|path| has_inode(path, request.inode)) {
        return Some(path.clone());
    }
    let link = PathBuf::from(format!("/proc/{pid}/map_files/{start:x}-{end:x}"));
    if fs::metadata(&link).is_ok() {
        return Some(link);
    }
    let program = PathBuf::from(format!("/proc/{pid}/exe"));
    if fs::read_link(&program)
        .is_ok_and(|target| target.to_string_lossy().trim_end_matches(" (deleted)") == name)
        && fs::metadata(&program).is_ok()
    {
        return Some(program);
    }
    // Layered file systems give one file several numbers, of several devices. A file that nobody has changed since the
    // machine began to run the program is taken to be the same.
    [inside, direct].into_iter().find(|path| !has_device(path, request.device) && is_old(path))
}

fn is_one_file(first: &Path, second: &Path) -> bool {
    let identity = |path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    identity(first).is_some_and(|file| identity(second) == Some(file))
}

fn has_inode(path: &Path, inode: u64) -> bool {
    fs::metadata(path).is_ok_and(|data| data.ino() == inode || inode == 0)
}

fn has_device(path: &Path, (major, minor): (u32, u32)) -> bool {
    fs::metadata(path).is_ok_and(|data| (libc::major(data.dev()), libc::minor(data.dev())) == (major, minor))
}

fn is_old(path: &Path) -> bool {
    const SETTLED: std::time::Duration = std::time::Duration::from_secs(600);
    let changed = fs::metadata(path).ok().and_then(|data| {
        let changed = u64::try_from(data.ctime()).ok()?;
        Some(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(changed))
    });
    changed.is_some_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLED))
}

/// The kernel maps the same code into every process of an architecture, this one included.
pub(crate) fn own_vdso() -> Option<Vec<u8>> {
    let own = i32::try_from(std::process::id()).ok()?;
    let mapping = crate::process::mappings(own).into_iter().find(|mapping| mapping.name == "[vdso]")?;
    let mut bytes = vec![0; usize::try_from(mapping.size).ok()?];
    let read = crate::process::read_memory(own, mapping.start, &mut bytes);
    bytes.truncate(read);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_same_name_is_not_taken_for_the_one_of_a_process_that_has_ended() {
        let own = fs::read_link("/proc/self/exe").expect("tests are files");
        let data = fs::metadata(&own).expect("it is there");
        let device = (libc::major(data.dev()), libc::minor(data.dev()));
        let name = own.to_str().expect("it is text");
        let request = |inode| Request { pid: i32::MAX, name, device, inode, range: (0, 4096) };
        let mut images = Images::default();
        let mut unwinder = Unwinder::new();
        let id = images.get(request(data.ino()), &mut unwinder);
        assert!(images.opened(id).image.is_some());
        let id = images.get(request(data.ino() + 1), &mut unwinder);
        assert!(images.opened(id).image.is_none());
        let problem = images.opened(id).problem.as_deref().unwrap_or_default();
        assert!(problem.contains("another file"), "{problem}");
    }
}
