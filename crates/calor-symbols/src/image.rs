//! An ELF file that is mapped into a process: the one place that knows its layout, for unwinding and for
//! symbols alike. It is opened once and shared by all processes that map it.

#![expect(
    unsafe_code,
    reason = "files are mapped, not read: debug information is large and mostly not looked at"
)]

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use object::elf::{PF_X, PT_GNU_EH_FRAME};
use object::read::elf::ProgramHeader;
use object::{CompressedFileRange, Endianness, Object, ObjectSection};

/// Why a file cannot be used as an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// It cannot be read.
    #[error("cannot read it: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is no ELF file, or a damaged one.
    #[error("it is not a whole ELF file of this architecture: {0}")]
    Malformed(String),
}

/// A part of the file that is loaded into memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Where it stands by the file's own reckoning.
    pub address: u64,
    /// Where its bytes are in the file.
    pub offset: u64,
    /// How many bytes of the file it takes.
    pub size: u64,
    /// Whether its code can run.
    pub is_executable: bool,
}

#[derive(Debug)]
struct Section {
    name: String,
    address: u64,
    range: Range<usize>,
    /// How its bytes are packed, where they are, and how many they become.
    compression: Option<CompressedFileRange>,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// An ELF file's layout and bytes.
#[derive(Debug)]
pub struct Image {
    name: String,
    file: Option<PathBuf>,
    bytes: Bytes,
    segments: Vec<Segment>,
    sections: Vec<Section>,
    entry: u64,
    is_x86_64: bool,
    unwind_header: Option<Range<u64>>,
    build_id: Option<Vec<u8>>,
    debug_link: Option<(Vec<u8>, u32)>,
}

impl Image {
    /// Opens the file at `path`, which is called `name` in the process that maps it: the two differ in
    /// containers and for files that are gone.
    ///
    /// # Errors
    /// If it cannot be read or is not an ELF file.
    pub fn open(name: &str, path: &Path) -> Result<Self, ImageError> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(ImageError::Malformed("not a regular file".to_owned()));
        }
        // SAFETY: the mapping is private and read-only. A file cut short by another program while it is being
        // looked at would end this process; linkers and package managers replace files instead of that.
        let map = unsafe { Mmap::map(&file)? };
        Self::new(name, Some(path.to_owned()), Bytes::Mapped(map))
    }

    /// The image of a file that is not to be had, such as the vdso, from its bytes.
    ///
    /// # Errors
    /// If they are not an ELF file.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, ImageError> {
        Self::new(name, None, Bytes::Owned(bytes))
    }

    fn new(name: &str, file: Option<PathBuf>, bytes: Bytes) -> Result<Self, ImageError> {
        let malformed = |error: object::Error| ImageError::Malformed(error.to_string());
        let elf = object::read::elf::ElfFile64::<Endianness>::parse(bytes.all()).map_err(malformed)?;
        let endian = elf.endian();
        let (mut segments, mut unwind_header) = (Vec::new(), None);
        for header in elf.elf_program_headers() {
            let (address, offset) = (header.p_vaddr(endian), header.p_offset(endian));
            match header.p_type(endian) {
                object::elf::PT_LOAD => segments.push(Segment {
                    address,
                    offset,
                    size: header.p_filesz(endian),
                    is_executable: header.p_flags(endian).0 & PF_X.0 != 0,
                }),
                PT_GNU_EH_FRAME => {
                    unwind_header = Some(address..address.saturating_add(header.p_memsz(endian)));
                }
                _ => {}
            }
        }
        let length = bytes.all().len();
        let sections = elf
            .sections()
            .filter_map(|section| {
                let (offset, size) = section.file_range()?;
                let start = usize::try_from(offset).ok()?;
                let end = start.checked_add(usize::try_from(size).ok()?).filter(|end| *end <= length)?;
                let compression = section
                    .compressed_file_range()
                    .ok()
                    .filter(|range| range.format != object::CompressionFormat::None);
                Some(Section {
                    name: section.name().ok()?.to_owned(),
                    address: section.address(),
                    range: start..end,
                    compression,
                })
            })
            .collect();
        let build_id = elf.build_id().ok().flatten().map(<[u8]>::to_vec);
        let debug_link = elf.gnu_debuglink().ok().flatten().map(|(name, crc)| (name.to_vec(), crc));
        Ok(Self {
            name: name.to_owned(),
            file,
            segments,
            sections,
            entry: elf.entry(),
            is_x86_64: elf.architecture() == object::Architecture::X86_64,
            unwind_header,
            build_id,
            debug_link,
            bytes,
        })
    }

    /// What the process that maps it calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its bytes were found, if in a file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The whole file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    /// Where the program begins, by the file's own reckoning; 0 for libraries.
    #[must_use]
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// Whether its code is for x86-64.
    #[must_use]
    pub fn is_x86_64(&self) -> bool {
        self.is_x86_64
    }

    /// The parts that are loaded.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The linker's number of this very build.
    #[must_use]
    pub fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_deref()
    }

    /// The name and checksum of the file that debug information was moved to.
    #[must_use]
    pub fn debug_link(&self) -> Option<(&[u8], u32)> {
        self.debug_link.as_ref().map(|(name, crc)| (name.as_slice(), *crc))
    }

    /// A section's address and bytes; `None` when it is not there or compressed.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<(u64, &[u8])> {
        let (address, range) = self.section_range(name)?;
        Some((address, self.bytes().get(range)?))
    }

    /// A section's address and where its bytes are in the file; `None` when it is not there or compressed.
    #[must_use]
    pub fn section_range(&self, name: &str) -> Option<(u64, Range<usize>)> {
        let section =
            self.sections.iter().find(|section| section.name == name && section.compression.is_none())?;
        Some((section.address, section.range.clone()))
    }

    /// A section's bytes, unpacked if they are compressed; `None` when it is not there, damaged, or larger than
    /// `limit` once unpacked: the size it claims comes from the file.
    #[must_use]
    pub fn unpacked_section(&self, name: &str, limit: u64) -> Option<Cow<'_, [u8]>> {
        if let Some((_, bytes)) = self.section(name) {
            return Some(Cow::Borrowed(bytes));
        }
        // Compressed sections had names of their own before the format knew compression.
        let old_name = name.strip_prefix(".debug_").map(|rest| format!(".zdebug_{rest}"));
        let section = self
            .sections
            .iter()
            .find(|section| section.name == name || Some(&section.name) == old_name.as_ref())?;
        let range = section.compression.filter(|range| range.uncompressed_size <= limit)?;
        range.data(self.bytes()).ok()?.decompress().ok()
    }

    /// Whether there is a section of that name, compressed or not.
    #[must_use]
    pub fn has_section(&self, name: &str) -> bool {
        self.sections.iter().any(|section| section.name == name)
    }

    /// Where the table for finding unwind information stands, by the program headers: it is there even when
    /// the section headers have been stripped.
    #[must_use]
    pub fn unwind_header(&self) -> Option<Range<u64>> {
        self.unwind_header.clone()
    }

    /// The bytes from `address` to the end of the loaded part it is in.
    #[must_use]
    pub fn loaded_from(&self, address: u64) -> Option<&[u8]> {
        self.bytes().get(self.loaded_range(address)?)
    }

    /// Where in the file the bytes from `address` to the end of the loaded part it is in are.
    #[must_use]
    pub fn loaded_range(&self, address: u64) -> Option<Range<usize>> {
        let segment = self
            .segments
            .iter()
            .find(|segment| address >= segment.address && address - segment.address < segment.size)?;
        let start = usize::try_from(segment.offset.checked_add(address - segment.address)?).ok()?;
        let end = usize::try_from(segment.offset.checked_add(segment.size)?).ok()?.min(self.bytes().len());
        (start <= end).then_some(start..end)
    }

    /// The difference between where a mapping of this file is in a process and where the file says: `offset` is
    /// the file's offset at the mapping's start. The executable segment counts, since a mapping's first page
    /// may also be claimed by the end of the segment before.
    #[must_use]
    pub fn bias(&self, start: u64, size: u64, offset: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| {
            segment.is_executable
                && offset < segment.offset.saturating_add(segment.size)
                && segment.offset < offset.saturating_add(size)
        })?;
        Some(start.wrapping_sub(offset).wrapping_sub(segment.address.wrapping_sub(segment.offset)))
    }
}
