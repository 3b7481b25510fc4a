//! Why a program does not load the library that watches its heap, and what to do about it: found in its file, or in what
//! the kernel tells of its process.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memchr::memmem;
use object::elf::{ET_EXEC, PT_INTERP};
use object::read::elf::{ElfFile32, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ReadCache};

/// glibc's loader, whose programs the library is made for.
const LOADER: &str = "ld-linux-x86-64.so.2";

/// A section that only Go's programs have.
pub(super) const OF_GO: &str = ".go.buildinfo";

/// What stands in the way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reason {
    /// There is no loader in it that could load anything.
    Static,
    /// The same, and it is written in Go.
    StaticGo,
    /// The loader ignores what the caller wants loaded.
    MoreRights,
    /// The loader is another one.
    OtherLoader(String),
    /// Its code is of another kind than the library's.
    OtherWidth,
    /// Nobody told the loader.
    Untold,
}

impl Reason {
    /// Why a running process does not load the library; `None` when it has. An error when it cannot be told, as when it
    /// has ended.
    pub(super) fn of_process(pid: i32, library: &[u8]) -> io::Result<Option<Self>> {
        let folder = format!("/proc/{pid}");
        let auxiliary = match fs::read(format!("{folder}/auxv")) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Some(Self::MoreRights));
            }
            auxiliary => auxiliary?,
        };
        let mappings = fs::read(format!("{folder}/maps"))?;
        // A process at its end has no memory any more.
        if mappings.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        if memmem::find(&mappings, library).is_some() {
            return Ok(None);
        }
        let reason = Self::of_file(Path::new(&format!("{folder}/exe")));
        let reason = reason.or_else(|| is_secure(&auxiliary).then_some(Self::MoreRights));
        Ok(Some(reason.unwrap_or(Self::Untold)))
    }

    /// Whether it can be told at once; else the loader may still be at work.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::Static | Self::StaticGo | Self::MoreRights | Self::OtherWidth)
    }

    /// Why a program that was started by its name may not have loaded it, as far as its file tells.
    pub(super) fn of_command(name: &str) -> Option<Self> {
        let path = if name.contains('/') {
            PathBuf::from(name)
        } else {
            let folders = std::env::var_os("PATH")?;
            std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?
        };
        const SET_USER_OR_GROUP: u32 = 0o6000;
        let has_more_rights = fs::metadata(&path).is_ok_and(|file| file.mode() & SET_USER_OR_GROUP != 0);
        Self::of_file(&path).or_else(|| has_more_rights.then_some(Self::MoreRights))
    }

    /// What the file of a program says; `None` for one that has glibc's loader, and for scripts.
    fn of_file(path: &Path) -> Option<Self> {
        let cache = ReadCache::new(fs::File::open(path).ok()?);
        let elf = match ElfFile64::<Endianness, _>::parse(&cache) {
            Ok(elf) => elf,
            Err(_) => return ElfFile32::<Endianness, _>::parse(&cache).ok().map(|_| Self::OtherWidth),
        };
        let endian = elf.endian();
        let loader = elf.elf_program_headers().iter().find(|header| header.p_type(endian) == PT_INTERP);
        match loader {
            Some(header) => {
                let loader = header.interpreter(endian, &cache).ok()??;
                let loader = String::from_utf8_lossy(loader);
                (!loader.ends_with(LOADER)).then(|| Self::OtherLoader(loader.into_owned()))
            }
            // A library that can be started, such as the loader itself, has none either.
            None if elf.elf_header().e_type(endian) == ET_EXEC || elf.entry() != 0 => {
                let is_go = elf.section_by_name(OF_GO).is_some();
                let reason = if is_go { Self::StaticGo } else { Self::Static };
                (!path_of(path).ends_with(LOADER)).then_some(reason)
            }
            None => None,
        }
    }

    /// What is the matter with the program.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Static => "it is linked statically, so that no library can be loaded into it".to_owned(),
            Self::StaticGo => {
                "it is linked statically, as programs in Go are, so that no library can be loaded into it".to_owned()
            }
            Self::MoreRights => {
                "it runs with more rights than its caller (setuid, setgid or capabilities), and so the \
                                 system ignores what the caller wants loaded"
                    .to_owned()
            }
            Self::OtherLoader(loader) => {
                format!("it is loaded by {loader}, while the library is made for glibc's {LOADER}")
            }
            Self::OtherWidth => "it is a 32-bit program, while the library is made for 64 bits".to_owned(),
            Self::Untold => {
                "it was started without Calor's library in LD_PRELOAD, which something before it cleared or replaced"
                    .to_owned()
            }
        }
    }

    /// What to do about it.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Static | Self::OtherLoader(_) | Self::OtherWidth => {
                "link it dynamically with glibc, for x86-64, or in a Rust program use calor::Alloc, which counts inside"
            }
            Self::StaticGo => {
                "let it write Go's own heap profile (`pprof.WriteHeapProfile` of runtime/pprof), which `calor heap` reads"
            }
            Self::MoreRights => "run calor as the user whose rights it has, or use a copy without them",
            Self::Untold => {
                "put `calor record --heap --` right before it, with what is to be preloaded as well before that \
                 (`LD_PRELOAD=other.so calor record --heap -- CMD`), or let LD_PRELOAD and CALOR_HEAP through (`sudo \
                 --preserve-env=LD_PRELOAD,CALOR_HEAP`, `env` without -i)"
            }
        }
    }
}

/// Where a link leads, or the path itself.
fn path_of(path: &Path) -> String {
    fs::read_link(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// Whether the kernel told the loader not to trust the caller.
fn is_secure(auxiliary: &[u8]) -> bool {
    const SECURE: u64 = 23;
    let (entries, _) = auxiliary.as_chunks::<16>();
    entries.iter().any(|entry| {
        let [kind, value] =
            [&entry[..8], &entry[8..]].map(|half| half.try_into().map_or(0, u64::from_ne_bytes));
        kind == SECURE && value != 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_word_about_rights_is_read() {
        let words = |pairs: &[[u64; 2]]| -> Vec<u8> {
            pairs.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect()
        };
        assert!(is_secure(&words(&[[6, 4096], [23, 1], [0, 0]])));
        assert!(!is_secure(&words(&[[6, 23], [23, 0], [0, 0]])));
        assert!(!is_secure(&[]));
    }

    #[test]
    fn what_to_do_fits_what_stands_in_the_way() {
        for (reason, remedy) in [
            (Reason::Static, "link it dynamically with glibc"),
            (Reason::StaticGo, "pprof.WriteHeapProfile"),
            (Reason::Untold, "LD_PRELOAD=other.so calor record --heap"),
        ] {
            assert!(reason.remedy().contains(remedy), "{reason:?}");
        }
        assert!(!Reason::StaticGo.remedy().contains("glibc"));
        assert!(Reason::Untold.what().contains("cleared or replaced"));
    }

    #[test]
    fn this_very_program_loads_what_it_is_told_to() {
        let own = std::env::current_exe().expect("it has a file");
        assert_eq!(Reason::of_command(&own.to_string_lossy()), None);
        assert_eq!(Reason::of_command("no-such-program-anywhere"), None);
        let pid = i32::try_from(std::process::id()).expect("a pid is small");
        assert_eq!(Reason::of_process(pid, b"no-such-library").expect("it runs"), Some(Reason::Untold));
    }
}
