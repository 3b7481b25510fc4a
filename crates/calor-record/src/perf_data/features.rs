//! What a recording tells beside its records: the machine, the command, clocks, build ids.

use calor_model::{Host, Run};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::build_ids::BuildIds;
use super::error::PerfDataError;
use super::tracepoint;
use crate::perf::{Fields, until_zero};

/// The numbers of features.
pub(super) mod kind {
    pub(in super::super) const TRACING_DATA: u32 = 1;
    pub(in super::super) const BUILD_ID: u32 = 2;
    pub(in super::super) const HOST_NAME: u32 = 3;
    pub(in super::super) const KERNEL: u32 = 4;
    pub(in super::super) const ARCHITECTURE: u32 = 6;
    pub(in super::super) const PROCESSORS: u32 = 7;
    pub(in super::super) const PROCESSOR_NAME: u32 = 8;
    pub(in super::super) const MEMORY: u32 = 10;
    pub(in super::super) const COMMAND_LINE: u32 = 11;
    pub(in super::super) const EVENT_DESCRIPTIONS: u32 = 12;
    pub(in super::super) const COUNTS: u32 = 19;
    pub(in super::super) const DIRECTORY: u32 = 24;
    pub(in super::super) const CLOCK: u32 = 29;
}

/// The features of a file.
#[derive(Debug, Default)]
pub(super) struct Features<'a> {
    sections: HashMap<u32, &'a [u8], RandomState>,
    pub(super) build_ids: BuildIds,
}

impl<'a> Features<'a> {
    pub(super) fn add(&mut self, number: u32, section: &'a [u8]) {
        if number == kind::BUILD_ID {
            self.build_ids.add_all(section);
        } else {
            self.sections.insert(number, section);
        }
    }

    /// A feature as it stands in the file; empty when it is not there.
    pub(super) fn get(&self, number: u32) -> &'a [u8] {
        self.sections.get(&number).copied().unwrap_or_default()
    }

    /// Whether the samples can be expected to make sense here.
    pub(super) fn check(&self) -> Result<(), PerfDataError> {
        if self.sections.contains_key(&kind::COUNTS) {
            return Err(PerfDataError::Counts);
        }
        let architecture = self.architecture();
        let is_narrow = ["i386", "i486", "i586", "i686", "arm", "armv6l", "armv7l", "mips", "ppc", "riscv32"]
            .contains(&architecture.as_str());
        if is_narrow {
            let found = format!("one of a 32-bit machine ({architecture})");
            return Err(PerfDataError::OtherMachine { found, place: "the feature ARCH" });
        }
        Ok(())
    }

    /// Whether samples are in other files of the same folder.
    pub(super) fn is_directory(&self) -> bool {
        self.sections.contains_key(&kind::DIRECTORY)
    }

    /// What the machine calls its architecture; empty when not told.
    pub(super) fn architecture(&self) -> String {
        self.text(kind::ARCHITECTURE)
    }

    /// Whether it was recorded here, as far as can be told.
    pub(super) fn is_of_this_machine(&self) -> bool {
        let here = calor_host::host();
        let (name, kernel) = (self.text(kind::HOST_NAME), self.text(kind::KERNEL));
        !name.is_empty() && name == here.name && kernel == here.kernel
    }

    /// Where the tracepoint for switches has the thread that is switched to.
    pub(super) fn next_tid_offset(&self) -> usize {
        tracepoint::next_tid_offset(self.get(kind::TRACING_DATA))
    }

    /// An instant of the recording's clock by that of the wall, where the recording relates them.
    pub(super) fn unix_nanos(&self, at_nanos: u64) -> Option<u64> {
        const VERSION: u32 = 1;
        let mut clock = Fields(self.get(kind::CLOCK));
        let (version, _clock) = (clock.u32(), clock.u32());
        let (wall, same_instant) = (clock.u64(), clock.u64());
        (version == VERSION).then(|| wall.checked_add(at_nanos)?.checked_sub(same_instant)).flatten()
    }

    /// The run, as far as features tell.
    pub(super) fn run(&self) -> Run {
        let words = self.words(kind::COMMAND_LINE);
        let is_known = |number| self.sections.contains_key(&number);
        let processors = Fields(self.get(kind::PROCESSORS)).u32();
        let kilobytes = Fields(self.get(kind::MEMORY)).u64();
        Run {
            command: (!words.is_empty()).then(|| words.join(" ")),
            host: Host {
                name: self.text(kind::HOST_NAME),
                os: if is_known(kind::KERNEL) { "linux".to_owned() } else { String::new() },
                kernel: self.text(kind::KERNEL),
                arch: self.architecture(),
                cpu: self.text(kind::PROCESSOR_NAME),
                cores: is_known(kind::PROCESSORS).then_some(processors),
                memory_bytes: is_known(kind::MEMORY).then(|| kilobytes.saturating_mul(1024)),
                ..Host::default()
            },
            ..Run::default()
        }
    }

    fn text(&self, number: u32) -> String {
        text(&mut Fields(self.get(number)))
    }

    fn words(&self, number: u32) -> Vec<String> {
        let mut list = Fields(self.get(number));
        let count = list.u32();
        // The count is not believed: the list ends with its bytes.
        (0..count).map_while(|_| (!list.0.is_empty()).then(|| text(&mut list))).collect()
    }
}

/// A text with its length in front, filled up with zeros.
fn text(fields: &mut Fields<'_>) -> String {
    let length = fields.u32() as usize;
    String::from_utf8_lossy(until_zero(fields.bytes(length))).into_owned()
}
