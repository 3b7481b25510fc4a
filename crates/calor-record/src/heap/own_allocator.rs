//! Allocators that are linked into a program under names of their own: the library stands before `malloc`, not before
//! them. What they take from the system is seen, what they hand out of it is not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use calor_heap::{Image, SiteImage};
use calor_model::{Profile, Warning};
use calor_paths::Module;
use memchr::memmem;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, ReadCache};

use super::reason::OF_GO;

/// What only these allocators say in their messages, in two halves: whole, they would be found in us.
const WORDS: [(&str, [&str; 2]); 3] = [
    ("jemalloc", ["<jemal", "loc>: "]),
    ("mimalloc", ["mimal", "loc: warning: "]),
    ("tcmalloc", ["tcmal", "loc: large alloc"]),
];
/// Where constant texts are.
const TEXTS: &str = ".rodata";
/// What came by way of such a file and is less is not worth a word.
const NOTABLE: u64 = 1 << 20;

/// What a file has of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Own {
    /// An allocator that is known.
    allocator: Option<&'static str>,
    /// Functions with the usual names.
    has_malloc: bool,
}

/// Files that were looked into, and those with an allocator by way of which something came.
#[derive(Debug, Default)]
pub(super) struct OwnAllocators {
    files: BTreeMap<String, Own>,
    found: BTreeMap<String, Own>,
}

impl OwnAllocators {
    /// Looks into the files of a process. Whether one has an allocator that counts.
    pub(super) fn see(&mut self, image: &Image) -> bool {
        let mut is_found = false;
        let library: Vec<&Module> = image
            .region
            .modules
            .iter()
            .filter(|module| module.path.ends_with(calor_preload::FILE_NAME))
            .collect();
        // The program's own `malloc` stands before ours: there may be nothing else to be seen of it.
        let program = self.own(&image.region.executable);
        if program.has_malloc {
            is_found = true;
            self.found.insert(image.region.executable.clone(), program);
        }
        for module in &image.region.modules {
            let path = if module.path.is_empty() { &image.region.executable } else { &module.path };
            let own = self.own(path);
            // A library's `malloc` is called by ours.
            if own.allocator.is_none() || own.has_malloc {
                continue;
            }
            let is_of = |site: &&SiteImage| {
                let caller = image.region.paths.outwards(site.native).map(|address| address.wrapping_sub(1));
                caller
                    .filter(|address| !library.iter().any(|own| own.address_in_file(*address).is_some()))
                    .take(1)
                    .any(|address| module.address_in_file(address).is_some())
            };
            let bytes = image.sites.iter().filter(is_of).map(|site| site.allocated_bytes).sum::<u64>();
            if bytes >= NOTABLE {
                is_found = true;
                self.found.insert(path.clone(), own);
            }
        }
        is_found
    }

    fn own(&mut self, path: &str) -> Own {
        self.files.entry(path.to_owned()).or_insert_with(|| Own::of(Path::new(path))).clone()
    }

    /// Says which there are.
    pub(super) fn warn(&self, profile: &mut Profile) {
        for (path, own) in &self.found {
            let allocator = own.allocator.unwrap_or("its own `malloc`");
            profile.warn(Warning::new(
                "heap_own_allocator",
                format!(
                    "an allocator is linked into the program ({allocator}): the blocks that it hands out are not \
                     seen, only the memory that it takes from the system; in a Rust program wrap it as \
                     calor::Alloc::new, in others preload the allocator instead of linking it: {path}"
                ),
            ));
        }
    }
}

impl Own {
    fn of(path: &Path) -> Self {
        let Ok(file) = fs::File::open(path) else { return Self::default() };
        let cache = ReadCache::new(file);
        let Ok(elf) = ElfFile64::<Endianness, _>::parse(&cache) else { return Self::default() };
        let texts = elf.section_by_name(TEXTS).and_then(|section| section.data().ok()).unwrap_or_default();
        let is_there = |words: &[&str; 2]| memmem::find(texts, words.concat().as_bytes()).is_some();
        let known = WORDS.iter().find(|(_, words)| is_there(words)).map(|(name, _)| *name);
        let has = |name: &str| {
            elf.dynamic_symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
        };
        // Python has one in it, which is asked by Python's own functions.
        if has("PyMem_SetAllocator") {
            return Self::default();
        }
        Self {
            allocator: known.or_else(|| elf.section_by_name(OF_GO).map(|_| "Go's runtime")),
            has_malloc: has("malloc"),
        }
    }
}
