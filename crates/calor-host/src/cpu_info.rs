//! The processor, as `/proc/cpuinfo` tells it: all cores of a machine say the same there, and the first is asked.

use std::collections::BTreeSet;
use std::fs;

/// What is known of the processor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuInfo {
    /// Its name, empty where the system does not tell.
    pub name: String,
    /// The version of its microcode.
    pub microcode: Option<String>,
    /// Cores that a program may use.
    pub cores: Option<u32>,
    /// What it can do, as the kernel names it; empty on processors other than x86.
    flags: BTreeSet<String>,
}

impl CpuInfo {
    /// That of this machine.
    #[must_use]
    pub fn this() -> Self {
        let cores = std::thread::available_parallelism();
        Self {
            cores: cores.ok().and_then(|count| u32::try_from(count.get()).ok()),
            ..Self::parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
        }
    }

    /// What such a text tells.
    #[must_use]
    pub fn parse(cpuinfo: &str) -> Self {
        let field = |key: &str| {
            let line =
                cpuinfo.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'));
            line.map(str::trim).filter(|value| !value.is_empty())
        };
        Self {
            name: field("model name").unwrap_or_default().to_owned(),
            microcode: field("microcode").map(str::to_owned),
            cores: None,
            flags: field("flags").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Whether the kernel says what it can do.
    #[must_use]
    pub fn has_flags(&self) -> bool {
        !self.flags.is_empty()
    }

    /// Whether it can do this, by the kernel's word for it.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }

    /// Of all that it can do, what tells how wide it computes.
    #[must_use]
    pub fn vector_features(&self) -> BTreeSet<String> {
        const BEGINNINGS: [&str; 6] = ["sse", "ssse", "avx", "fma", "f16c", "amx"];
        let is_of_vectors = |flag: &&String| BEGINNINGS.iter().any(|beginning| flag.starts_with(beginning));
        self.flags.iter().filter(is_of_vectors).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_read_from_what_the_kernel_says() {
        let text = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nmicrocode\t: 0x1000065\n";
        let processor = CpuInfo::parse(text);
        assert_eq!((&*processor.name, processor.microcode.as_deref()), ("AMD EPYC", Some("0x1000065")));
        assert!(!processor.has_flags() && processor.vector_features().is_empty());
        assert_eq!(CpuInfo::parse("Features : fp asimd\n"), CpuInfo::default());
    }

    #[test]
    fn flags_are_whole_words_and_those_of_vectors_are_told_apart() {
        let text =
            "flags\t\t: fpu sse2 avx2 avx512f constant_tsc nonstop_tsc_s3 fma\nmodel name : hypervisor\n";
        let processor = CpuInfo::parse(text);
        assert!(
            processor.has("constant_tsc") && !processor.has("nonstop_tsc") && !processor.has("hypervisor")
        );
        assert!(processor.vector_features().iter().eq(["avx2", "avx512f", "fma", "sse2"]));
    }
}
