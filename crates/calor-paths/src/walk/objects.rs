//! Which loaded file an address belongs to. glibc answers that without a lock since 2.35 (`_dl_find_object`); where it
//! does not, the process's own map is read, without the C library.
//!
//! # Safety
//! The loader's function is called as glibc declares it, for an address whose file is loaded because its code is running; the
//! record that it points to lives as long as the file. Headers are read at the beginning of a mapping of the file itself.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::sys;

/// A loaded file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What is added to the file's addresses.
    pub(crate) bias: usize,
    /// Where its `.eh_frame_hdr` is; 0 when it has none.
    pub(crate) unwind_header: usize,
    pub(crate) path: Path,
}

/// A path, cut where it is very long; empty for the program itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) bytes: [u8; 480],
    pub(crate) length: usize,
}

impl Path {
    fn new(bytes: &[u8]) -> Self {
        let mut path = Self { bytes: [0; 480], length: bytes.len().min(480) };
        path.bytes[..path.length].copy_from_slice(&bytes[..path.length]);
        path
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// glibc's answer.
#[repr(C)]
struct Found {
    flags: u64,
    start: usize,
    end: usize,
    link_map: *const LinkMap,
    unwind_header: usize,
    reserved: [u64; 8],
}

/// The beginning of the loader's record of a file.
#[repr(C)]
struct LinkMap {
    bias: usize,
    name: *const u8,
}

type Find = unsafe extern "C" fn(usize, *mut Found) -> i32;

static FIND: AtomicUsize = AtomicUsize::new(0);

/// Says where glibc's `_dl_find_object` is: with it, finding the file of an address needs no system call.
///
/// # Safety
/// The address is that of this function of glibc.
pub unsafe fn use_loader(address: usize) {
    FIND.store(address, Relaxed);
}

/// Whether two addresses belong to the same loaded file.
#[must_use]
pub fn is_same_file(one: usize, other: usize) -> bool {
    let start = |address| find(address).map(|object| object.start);
    start(one) == start(other)
}

/// The file that `pc` belongs to.
pub(crate) fn find(pc: usize) -> Option<Object> {
    match FIND.load(Relaxed) {
        0 => in_map(pc),
        find => unsafe { by_loader(core::mem::transmute::<usize, Find>(find), pc) },
    }
}

unsafe fn by_loader(find: Find, pc: usize) -> Option<Object> {
    let mut found =
        Found { flags: 0, start: 0, end: 0, link_map: core::ptr::null(), unwind_header: 0, reserved: [0; 8] };
    if unsafe { find(pc, &mut found) } != 0 || found.link_map.is_null() {
        return None;
    }
    let LinkMap { bias, name } = unsafe { found.link_map.read() };
    let mut length = 0;
    while !name.is_null() && length < 480 && unsafe { *name.add(length) } != 0 {
        length += 1;
    }
    let name = if length == 0 { &[] } else { unsafe { core::slice::from_raw_parts(name, length) } };
    Some(Object {
        start: found.start,
        end: found.end,
        bias,
        unwind_header: found.unwind_header,
        path: Path::new(name),
    })
}

/// Searches the process's map for the mapping of `pc` and for the first one of the same file, whose bytes are the
/// file's header.
fn in_map(pc: usize) -> Option<Object> {
    let mut first = Mapping::default();
    let mut found = None;
    each_mapping(|mapping| {
        if found.is_some() {
            return;
        }
        if mapping.offset == 0 && !mapping.path.as_bytes().is_empty() {
            first = *mapping;
        }
        let is_same_file = mapping.path.as_bytes() == first.path.as_bytes();
        if (mapping.start..mapping.end).contains(&pc) && is_same_file {
            found = Some(mapping.end);
        }
    });
    let end = found?;
    let (bias, unwind_header) = unsafe { header_of(first.start)? };
    Some(Object { start: first.start, end, bias, unwind_header, path: first.path })
}

/// What the program headers of a file that is loaded at `base` say: its bias and where its unwind header is.
unsafe fn header_of(base: usize) -> Option<(usize, usize)> {
    const LOAD: u32 = 1;
    const UNWIND_HEADER: u32 = 0x6474_e550;
    let word = |at: usize| unsafe { (at as *const u64).read_unaligned() } as usize;
    let half = |at: usize| unsafe { (at as *const u32).read_unaligned() };
    if half(base) != u32::from_le_bytes(*b"\x7fELF") {
        return None;
    }
    let table = base + word(base + 32);
    let (size, count) = (half(base + 54) as u16 as usize, (half(base + 54) >> 16) as usize);
    let row = |index: usize| table + index * size;
    let virtual_address = |index: usize| word(row(index) + 16);
    let first = (0..count).find(|&index| half(row(index)) == LOAD)?;
    let bias = base.wrapping_sub(virtual_address(first) & !4095);
    let unwind = (0..count).find(|&index| half(row(index)) == UNWIND_HEADER);
    Some((bias, unwind.map_or(0, |index| bias.wrapping_add(virtual_address(index)))))
}

/// A line of the process's map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) start: usize,
    pub(super) end: usize,
    offset: usize,
    path: Path,
}

impl Default for Mapping {
    fn default() -> Self {
        Self { start: 0, end: 0, offset: usize::MAX, path: Path::new(&[]) }
    }
}

/// Tells of every mapping of this process.
pub(super) fn each_mapping(mut tell: impl FnMut(&Mapping)) -> bool {
    let mut buffer = [0; 1024];
    let mut line = [0u8; 640];
    let mut length = 0;
    sys::read_file(b"/proc/self/maps", &mut buffer, |piece| {
        for &byte in piece {
            if byte == b'\n' {
                if let Some(mapping) = parsed(&line[..length]) {
                    tell(&mapping);
                }
                length = 0;
            } else if length < line.len() {
                line[length] = byte;
                length += 1;
            }
        }
    })
}

/// A line such as `55d0-55d1 r-xp 00002000 fe:00 1234    /usr/bin/x`.
fn parsed(line: &[u8]) -> Option<Mapping> {
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let mut range = fields.next()?.split(|byte| *byte == b'-');
    let (start, end) = (hexadecimal(range.next()?)?, hexadecimal(range.next()?)?);
    let offset = hexadecimal(fields.nth(1)?)?;
    let path = match fields.nth(2) {
        // A path may hold blanks: it goes from its first field to the end of the line.
        Some(field) => &line[line.len() - (line.as_ptr_range().end as usize - field.as_ptr() as usize)..],
        None => &[],
    };
    Some(Mapping { start, end, offset, path: Path::new(path) })
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0usize, |value, &digit| {
        let digit = (digit as char).to_digit(16)?;
        Some(value << 4 | digit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::{find, parsed};

    #[test]
    fn lines_of_the_map_are_read() {
        let line =
            b"7f1c2a000000-7f1c2a021000 r-xp 00028000 fe:00 1234                       /usr/lib/a b.so";
        let mapping = parsed(line).expect("a mapping");
        assert_eq!((mapping.start, mapping.end), (0x7f1c_2a00_0000, 0x7f1c_2a02_1000));
        assert_eq!((mapping.offset, mapping.path.as_bytes()), (0x28000, &b"/usr/lib/a b.so"[..]));
        assert!(parsed(b"nonsense").is_none());
    }

    #[test]
    fn the_own_program_is_found_in_the_map() {
        let pc = lines_of_the_map_are_read as *const () as usize;
        let object = find(pc).expect("an object");
        assert!((object.start..object.end).contains(&pc));
        let path = core::str::from_utf8(object.path.as_bytes()).expect("text").to_owned();
        assert!(path.contains("calor_paths"), "{path}");
        let rule = unsafe { crate::walk::cfi::rule(object.unwind_header, pc) };
        assert!(rule.is_some());
    }
}
