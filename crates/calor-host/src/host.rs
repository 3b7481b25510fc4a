//! What a profile says of the machine it was recorded on.

use std::fs;

use calor_model::Host;

use crate::{CpuInfo, memory};

/// This machine, as far as it tells.
#[must_use]
pub fn host() -> Host {
    let line = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let processor = CpuInfo::this();
    Host {
        name: line("/proc/sys/kernel/hostname"),
        os: std::env::consts::OS.to_owned(),
        kernel: line("/proc/sys/kernel/osrelease"),
        arch: std::env::consts::ARCH.to_owned(),
        cpu_features: processor.vector_features(),
        cpu: processor.name,
        cores: processor.cores,
        memory_bytes: memory().total_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn this_machine_tells_what_rules_about_vectors_need() {
        let host = host();
        assert!(host.cpu_features.contains("sse2"), "{host:?}");
        assert!(
            host.cores.is_some_and(|cores| cores > 0) && host.memory_bytes.is_some_and(|bytes| bytes > 0)
        );
    }
}
