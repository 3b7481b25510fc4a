//! The machine code of a function of this process, for whoever wants to know what the compiler made of it.

use std::path::Path;

use crate::process::mappings;
use calor_symbols::image::Image;
use calor_symbols::unwind::FunctionStarts;

/// Larger functions are no kernels.
const MOST_BYTES: u64 = 1 << 20;

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnCode {
    /// Where it begins by the reckoning of its file.
    pub start: u64,
    /// Its code.
    pub bytes: Vec<u8>,
}

/// The code of the function that an address of this process is in, from the file it was loaded from. `None` where that cannot be
/// read or does not tell where its functions begin and end.
#[must_use]
pub fn own_code(address: u64) -> Option<OwnCode> {
    let pid = i32::try_from(std::process::id()).ok()?;
    let maps = mappings(pid);
    let mapping = maps.iter().find(|map| address >= map.start && address - map.start < map.size)?;
    // A program that was replaced on the disk is still the one that runs.
    let gone = || Image::open(&mapping.name, Path::new("/proc/self/exe")).ok();
    let is_program =
        std::env::current_exe().is_ok_and(|path| path.to_string_lossy().starts_with(&mapping.name));
    let opened = if is_program { gone() } else { None };
    let image = opened.or_else(|| Image::open(&mapping.name, Path::new(&mapping.name)).ok())?;
    let svma = address.wrapping_sub(image.bias(mapping.start, mapping.size, mapping.offset)?);
    let range = FunctionStarts::new(&image).range_of(svma)?;
    let size = usize::try_from((range.end - range.start).min(MOST_BYTES)).ok()?;
    let bytes = image.loaded_from(range.start)?;
    Some(OwnCode { start: range.start, bytes: bytes[..bytes.len().min(size)].to_vec() })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[inline(never)]
    fn example(numbers: &[u64]) -> u64 {
        numbers.iter().fold(1, |product, number| product.wrapping_mul(*number))
    }

    #[test]
    fn the_code_of_a_function_is_what_runs() {
        assert_eq!(example(std::hint::black_box(&[2, 3])), 6);
        let address = example as fn(&[u64]) -> u64 as usize as u64;
        let code = own_code(address).expect("tests have unwind information");
        assert!(!code.bytes.is_empty() && code.bytes.len() < 4096, "{} bytes", code.bytes.len());
        let inside = own_code(address + code.bytes.len() as u64 - 1);
        assert_eq!(inside.as_ref(), Some(&code));
        assert_eq!(own_code(0), None);
        let data = Box::new(1_u8);
        assert_eq!(own_code(&raw const *data as u64), None);
    }
}
