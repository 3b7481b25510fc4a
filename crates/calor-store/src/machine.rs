//! The machine that a run was recorded on: times of one cannot be held against those of another.

use calor_model::Host;

use crate::digest::Digest;

/// A machine, as far as the profile knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// The operating system, such as `linux`.
    pub os: String,
    /// Its kernel's version.
    pub kernel: String,
    /// The architecture, such as `x86_64`.
    pub arch: String,
    /// The processor's name.
    pub cpu: String,
    /// Cores that the program could use.
    pub cores: Option<u32>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
}

impl Machine {
    /// The machine of a profile's run; `None` where the profile does not tell.
    #[must_use]
    pub fn of(host: &Host) -> Option<Self> {
        let machine = Self {
            name: host.name.clone(),
            os: host.os.clone(),
            kernel: host.kernel.clone(),
            arch: host.arch.clone(),
            cpu: host.cpu.clone(),
            cores: host.cores,
            memory_bytes: host.memory_bytes,
        };
        (machine != Self::default()).then_some(machine)
    }

    /// Equal for machines on which times may be held against each other: processor, cores, memory in whole gibibytes,
    /// architecture and kernel. The name does not count, since machines of a pool have one each.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // A kernel keeps some of the memory to itself, a little more or less with each start.
        const GIB: u64 = 1 << 30;
        let memory = self.memory_bytes.map(|bytes| bytes.saturating_add(GIB / 2) / GIB);
        let fields = [
            self.os.clone(),
            self.kernel.clone(),
            self.arch.clone(),
            self.cpu.clone(),
            self.cores.map(|cores| cores.to_string()).unwrap_or_default(),
            memory.map(|gib| gib.to_string()).unwrap_or_default(),
        ];
        let digest = Digest::of(fields.join("\n").as_bytes());
        format!("{:016x}", digest.0 as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_a_pool_are_alike_and_other_processors_are_not() {
        let one = Machine {
            name: "runner-1".to_owned(),
            cpu: "A".to_owned(),
            memory_bytes: Some(16 << 30),
            ..Machine::default()
        };
        let twin =
            Machine { name: "runner-2".to_owned(), memory_bytes: Some((16 << 30) - 4096), ..one.clone() };
        assert_eq!(one.fingerprint(), twin.fingerprint());
        for other in [
            Machine { cpu: "B".to_owned(), ..one.clone() },
            Machine { cores: Some(2), ..one.clone() },
            Machine { memory_bytes: Some(8 << 30), ..one.clone() },
            Machine { kernel: "6.1".to_owned(), ..one.clone() },
        ] {
            assert_ne!(one.fingerprint(), other.fingerprint(), "{other:?}");
        }
    }

    #[test]
    fn a_host_that_tells_nothing_is_no_machine() {
        assert_eq!(Machine::of(&Host::default()), None);
        assert!(Machine::of(&Host { os: "linux".to_owned(), ..Host::default() }).is_some());
    }
}
