//! Which machine this is: figures of one are not those of another, nor of the same one with other microcode.

use std::fs;

use calor_host::{CpuInfo, memory};
use serde::{Deserialize, Serialize};

/// Raised whenever a kernel changes: figures of before are then measured again.
const REVISION: u32 = 2;

/// What is measured.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Processor {
    /// The architecture, such as `x86_64`.
    pub arch: String,
    /// The processor's name, empty where the system does not tell.
    pub cpu: String,
    /// The version of its microcode.
    pub microcode: Option<String>,
    /// Cores that a program may use.
    pub cores: u32,
    /// Main memory.
    pub memory_bytes: Option<u64>,
}

impl Processor {
    /// That of this machine.
    #[must_use]
    pub fn this() -> Self {
        let cpu = CpuInfo::this();
        Self {
            arch: std::env::consts::ARCH.to_owned(),
            cpu: cpu.name,
            microcode: cpu.microcode,
            cores: cpu.cores.unwrap_or(1),
            memory_bytes: memory().total_bytes,
        }
    }

    /// Equal as long as figures may be taken over: the same machine, processor, microcode, cores and kernels. It tells
    /// nothing of the machine itself.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"]
            .into_iter()
            .find_map(|path| fs::read_to_string(path).ok())
            .unwrap_or_default();
        self.fingerprint_on(machine.trim())
    }

    fn fingerprint_on(&self, machine: &str) -> String {
        let microcode = self.microcode.as_deref().unwrap_or_default();
        let fields =
            [machine, &self.arch, &self.cpu, microcode, &self.cores.to_string(), &REVISION.to_string()];
        format!("{:016x}", fnv(fields.join("\n").as_bytes()))
    }
}

/// FNV-1a: it only has to tell a few machines apart.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_microcode_cores_or_machines_are_measured_again() {
        let one = Processor { cpu: "A".to_owned(), cores: 2, ..Processor::default() };
        let id = one.fingerprint_on("m");
        assert_eq!(id, Processor { memory_bytes: Some(1), ..one.clone() }.fingerprint_on("m"));
        assert_ne!(id, one.fingerprint_on("n"));
        for other in [
            Processor { cpu: "B".to_owned(), ..one.clone() },
            Processor { microcode: Some("0x1".to_owned()), ..one.clone() },
            Processor { cores: 4, ..one.clone() },
        ] {
            assert_ne!(id, other.fingerprint_on("m"), "{other:?}");
        }
    }
}
