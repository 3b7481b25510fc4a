//! Names of the kernel's functions, from the list that the running kernel publishes.

use std::fs;
use std::io;

/// Why the kernel's names are not to be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelSymbolsError {
    /// The list cannot be read.
    #[error("cannot read /proc/kallsyms: {0}")]
    Unreadable(#[from] io::Error),
    /// The kernel hides the addresses from this user.
    #[error(
        "the kernel hides its addresses (kernel.kptr_restrict is {kptr_restrict}): \
         run as root, or allow it with `sudo sysctl kernel.kptr_restrict=0`"
    )]
    Restricted {
        /// The setting, as the kernel shows it.
        kptr_restrict: String,
    },
    /// The list has no functions: the kernel was built without names.
    #[error("/proc/kallsyms lists no functions: the kernel was built without CONFIG_KALLSYMS")]
    Empty,
}

/// A function of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelSymbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// The module it is in, if it is not in the kernel itself.
    pub module: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    address: u64,
    /// Where its line begins in the text, and the lengths of the name and of the module behind it.
    name: u32,
    name_length: u16,
    module_length: u16,
}

/// The kernel's functions by address.
#[derive(Debug)]
pub struct KernelSymbols {
    text: String,
    entries: Vec<Entry>,
}

/// The list has no sizes. A function of the kernel is smaller than this; what is farther from a name than this is
/// not in the function that bears it.
const MAX_DISTANCE: u64 = 1 << 20;

impl KernelSymbols {
    /// Reads the list of the running kernel.
    ///
    /// # Errors
    /// If it cannot be read, or the kernel hides the addresses.
    pub fn load() -> Result<Self, KernelSymbolsError> {
        let text = fs::read("/proc/kallsyms")?;
        let text =
            String::from_utf8(text).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into());
        Self::parse(text, || {
            fs::read_to_string("/proc/sys/kernel/kptr_restrict")
                .map_or_else(|_| "unknown".to_owned(), |setting| setting.trim().to_owned())
        })
    }

    fn parse(text: String, kptr_restrict: impl Fn() -> String) -> Result<Self, KernelSymbolsError> {
        let mut entries = Vec::with_capacity(text.len() / 48);
        let (mut at, mut is_hidden) = (0_usize, true);
        for line in text.split_inclusive('\n') {
            if let Some(entry) = entry(line.trim_end(), at) {
                is_hidden &= entry.address == 0;
                entries.push(entry);
            }
            at += line.len();
        }
        if entries.is_empty() {
            return Err(KernelSymbolsError::Empty);
        }
        if is_hidden {
            return Err(KernelSymbolsError::Restricted { kptr_restrict: kptr_restrict() });
        }
        // Several names of one address: the first is the one the linker put first.
        entries.sort_by_key(|entry| entry.address);
        Ok(Self { text, entries })
    }

    /// The function at an address.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<KernelSymbol<'_>> {
        let after = self.entries.partition_point(|entry| entry.address <= address);
        let nearest = self.entries[..after].last()?.address;
        if address - nearest > MAX_DISTANCE {
            return None;
        }
        let first = self.entries[..after].partition_point(|entry| entry.address < nearest);
        // The first pages bear marks such as `_text` beside the function that begins there.
        let entry = self.entries[first..after]
            .iter()
            .find(|entry| !["_text", "_stext", "startup_64"].contains(&self.name(entry)))
            .or(self.entries[first..after].first())?;
        let module_at = entry.name as usize + entry.name_length as usize + 2;
        let module = self.text.get(module_at..module_at + entry.module_length as usize);
        Some(KernelSymbol { name: self.name(entry), module: module.filter(|name| !name.is_empty()) })
    }

    /// Where something begins, by its name.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u64> {
        self.entries.iter().find(|entry| self.name(entry) == name).map(|entry| entry.address)
    }

    fn name(&self, entry: &Entry) -> &str {
        let at = entry.name as usize;
        self.text.get(at..at + entry.name_length as usize).unwrap_or_default()
    }
}

/// Reads `ffffffff81000000 T name` with `\t[module]` behind it for what is in a module; `None` for data.
fn entry(line: &str, at: usize) -> Option<Entry> {
    let (address, rest) = line.split_once(' ')?;
    let (kind, names) = rest.split_once(' ')?;
    if !matches!(kind, "t" | "T" | "w" | "W") {
        return None;
    }
    let (name, module) = names.split_once('\t').unwrap_or((names, "[]"));
    let module = module.strip_prefix('[')?.strip_suffix(']')?;
    Some(Entry {
        address: u64::from_str_radix(address, 16).ok()?,
        name: u32::try_from(at + line.len() - names.len()).ok()?,
        name_length: u16::try_from(name.len()).ok()?,
        module_length: u16::try_from(module.len()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<KernelSymbols, KernelSymbolsError> {
        KernelSymbols::parse(text.to_owned(), || "1".to_owned())
    }

    #[test]
    fn a_function_reaches_to_the_next_one() {
        let symbols = parse(
            "ffffffff81000000 T _text\nffffffff81000000 t first\nffffffff81000100 T second\n\
             ffffffff81000180 D data\nffffffffc0000000 t inside\t[nvme]\n",
        )
        .unwrap();
        let name = |address| symbols.find(address).map(|symbol| (symbol.name, symbol.module));
        assert_eq!(name(0xffff_ffff_8100_0000), Some(("first", None)));
        assert_eq!(name(0xffff_ffff_8100_00ff), Some(("first", None)));
        assert_eq!(name(0xffff_ffff_8100_0100), Some(("second", None)));
        assert_eq!(name(0xffff_ffff_c000_0010), Some(("inside", Some("nvme"))));
        assert_eq!(name(0xffff_ffff_9000_0000), None, "far from everything");
        assert_eq!(name(0x1000), None);
    }

    #[test]
    fn hidden_addresses_are_an_error_that_names_the_setting_and_the_command() {
        let error = parse("0000000000000000 T first\n0000000000000000 t second\n").unwrap_err().to_string();
        assert!(error.contains("kptr_restrict is 1") && error.contains("sudo sysctl"), "{error}");
    }

    #[test]
    fn a_list_without_functions_is_an_error() {
        for text in ["", "garbage\n\n \n", "zz T name\n", "ffffffff81000000 T", "ffffffff81000180 D data\n"] {
            assert!(matches!(parse(text), Err(KernelSymbolsError::Empty)), "{text:?}");
        }
    }

    #[test]
    fn the_running_kernel_answers_or_says_why_not() {
        match KernelSymbols::load() {
            Ok(symbols) => {
                let entry = symbols.entries[symbols.entries.len() / 2];
                assert!(symbols.find(entry.address).is_some());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
