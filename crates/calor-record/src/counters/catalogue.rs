//! The counters there are, by the names that `perf` made common.

use std::borrow::Cow;

use perf_event_open_sys::bindings as sys;

use super::usage::Figure;

/// Who counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CounterSource {
    /// The processor.
    Hardware,
    /// The kernel.
    Software,
}

/// What a counter counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unit {
    /// Bare events.
    Count,
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
}

/// An event of the kernel's interface: its type and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EventNumber {
    pub(super) kind: u32,
    pub(super) config: u64,
}

/// One thing that can be counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    name: Cow<'static, str>,
    unit: Unit,
    /// Events of one number are counted together or not at all, so that they can be put in relation.
    pub(super) group: u8,
    pub(super) event: Option<EventNumber>,
    /// What the system tells of an ended process, where that is the same or nearly so.
    pub(super) figure: Option<Figure>,
}

/// A name that stands for no counter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no counter `{name}`: the names are {known}, and rNNNN for a raw event of the processor", known = Counter::names().join(", "))]
pub struct UnknownCounter {
    /// The name.
    pub name: String,
}

/// A row of the table below.
struct Entry {
    name: &'static str,
    other_name: &'static str,
    unit: Unit,
    group: u8,
    event: Option<EventNumber>,
    figure: Option<Figure>,
    /// Whether it is counted unless others are asked for.
    is_usual: bool,
}

const fn told(name: &'static str, unit: Unit, figure: Figure) -> Entry {
    Entry { name, other_name: "", unit, group: 0, event: None, figure: Some(figure), is_usual: true }
}

const fn software(
    name: &'static str,
    other_name: &'static str,
    number: u32,
    figure: Option<Figure>,
) -> Entry {
    let event = Some(EventNumber { kind: sys::PERF_TYPE_SOFTWARE, config: number as u64 });
    Entry { name, other_name, unit: Unit::Count, group: 0, event, figure, is_usual: true }
}

const fn hardware(group: u8, name: &'static str, other_name: &'static str, number: u32) -> Entry {
    let event = Some(EventNumber { kind: sys::PERF_TYPE_HARDWARE, config: number as u64 });
    Entry { name, other_name, unit: Unit::Count, group, event, figure: None, is_usual: true }
}

/// Events of caches: which one, whether it is read or written, and whether only misses count.
const fn cache(group: u8, name: &'static str, which: u32, access: u32, outcome: u32) -> Entry {
    let config = (which | access << 8 | outcome << 16) as u64;
    let event = Some(EventNumber { kind: sys::PERF_TYPE_HW_CACHE, config });
    Entry { name, other_name: "", unit: Unit::Count, group, event, figure: None, is_usual: true }
}

const fn on_demand(entry: Entry) -> Entry {
    Entry { is_usual: false, ..entry }
}

const fn in_nanos(entry: Entry) -> Entry {
    Entry { unit: Unit::Nanos, ..entry }
}

const READ: u32 = sys::PERF_COUNT_HW_CACHE_OP_READ;
const WRITE: u32 = sys::PERF_COUNT_HW_CACHE_OP_WRITE;
const ALL: u32 = sys::PERF_COUNT_HW_CACHE_RESULT_ACCESS;
const MISS: u32 = sys::PERF_COUNT_HW_CACHE_RESULT_MISS;
const L1D: u32 = sys::PERF_COUNT_HW_CACHE_L1D;
const L1I: u32 = sys::PERF_COUNT_HW_CACHE_L1I;
const LLC: u32 = sys::PERF_COUNT_HW_CACHE_LL;
const DTLB: u32 = sys::PERF_COUNT_HW_CACHE_DTLB;
const ITLB: u32 = sys::PERF_COUNT_HW_CACHE_ITLB;

/// Groups are small: processors have four to eight counters, and one may be taken by the kernel's watchdog.
const CATALOGUE: &[Entry] = &[
    told("elapsed", Unit::Nanos, Figure::Elapsed),
    in_nanos(software("task-clock", "cpu-clock", sys::PERF_COUNT_SW_TASK_CLOCK, Some(Figure::CpuTime))),
    told("user-time", Unit::Nanos, Figure::UserTime),
    told("system-time", Unit::Nanos, Figure::SystemTime),
    told("max-rss", Unit::Bytes, Figure::PeakMemory),
    software("page-faults", "faults", sys::PERF_COUNT_SW_PAGE_FAULTS, Some(Figure::Faults)),
    software("minor-faults", "", sys::PERF_COUNT_SW_PAGE_FAULTS_MIN, Some(Figure::MinorFaults)),
    software("major-faults", "", sys::PERF_COUNT_SW_PAGE_FAULTS_MAJ, Some(Figure::MajorFaults)),
    software("context-switches", "cs", sys::PERF_COUNT_SW_CONTEXT_SWITCHES, Some(Figure::Switches)),
    software("cpu-migrations", "migrations", sys::PERF_COUNT_SW_CPU_MIGRATIONS, None),
    on_demand(software("alignment-faults", "", sys::PERF_COUNT_SW_ALIGNMENT_FAULTS, None)),
    on_demand(software("emulation-faults", "", sys::PERF_COUNT_SW_EMULATION_FAULTS, None)),
    hardware(1, "cycles", "cpu-cycles", sys::PERF_COUNT_HW_CPU_CYCLES),
    hardware(1, "instructions", "", sys::PERF_COUNT_HW_INSTRUCTIONS),
    hardware(1, "branches", "branch-instructions", sys::PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
    hardware(1, "branch-misses", "", sys::PERF_COUNT_HW_BRANCH_MISSES),
    hardware(2, "cache-references", "", sys::PERF_COUNT_HW_CACHE_REFERENCES),
    hardware(2, "cache-misses", "", sys::PERF_COUNT_HW_CACHE_MISSES),
    cache(3, "L1-dcache-loads", L1D, READ, ALL),
    cache(3, "L1-dcache-load-misses", L1D, READ, MISS),
    cache(4, "LLC-loads", LLC, READ, ALL),
    cache(4, "LLC-load-misses", LLC, READ, MISS),
    hardware(
        5,
        "stalled-cycles-frontend",
        "idle-cycles-frontend",
        sys::PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
    ),
    hardware(5, "stalled-cycles-backend", "idle-cycles-backend", sys::PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
    on_demand(hardware(6, "ref-cycles", "", sys::PERF_COUNT_HW_REF_CPU_CYCLES)),
    on_demand(hardware(6, "bus-cycles", "", sys::PERF_COUNT_HW_BUS_CYCLES)),
    on_demand(cache(7, "L1-dcache-stores", L1D, WRITE, ALL)),
    on_demand(cache(7, "L1-icache-load-misses", L1I, READ, MISS)),
    on_demand(cache(8, "LLC-stores", LLC, WRITE, ALL)),
    on_demand(cache(8, "LLC-store-misses", LLC, WRITE, MISS)),
    on_demand(cache(9, "dTLB-loads", DTLB, READ, ALL)),
    on_demand(cache(9, "dTLB-load-misses", DTLB, READ, MISS)),
    on_demand(cache(10, "iTLB-load-misses", ITLB, READ, MISS)),
];

/// The group of raw events, which nothing is known of.
const RAW_GROUP: u8 = u8::MAX;

impl Counter {
    /// What is counted unless something else is asked for.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        CATALOGUE.iter().filter(|entry| entry.is_usual).map(Self::of).collect()
    }

    /// All counters with their numbers, which hold within this version.
    pub(crate) fn all() -> impl Iterator<Item = (u8, Self)> {
        (0_u8..).zip(CATALOGUE).map(|(number, entry)| (number, Self::of(entry)))
    }

    pub(crate) fn by_number(number: u8) -> Option<Self> {
        CATALOGUE.get(usize::from(number)).map(Self::of)
    }

    /// The number of the counter that is called exactly so.
    pub(crate) fn number(name: &str) -> Option<u8> {
        u8::try_from(CATALOGUE.iter().position(|entry| entry.name == name)?).ok()
    }

    /// The names of all counters.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        CATALOGUE.iter().map(|entry| entry.name).collect()
    }

    /// The counter of a name; `rNNNN` is a raw event of the processor, in hexadecimal as its manual has it.
    ///
    /// # Errors
    /// If there is no such name.
    pub fn named(name: &str) -> Result<Self, UnknownCounter> {
        let is_meant = |entry: &&Entry| {
            let is = |known: &str| !known.is_empty() && known.eq_ignore_ascii_case(name);
            is(entry.name) || is(entry.other_name)
        };
        if let Some(entry) = CATALOGUE.iter().find(is_meant) {
            return Ok(Self::of(entry));
        }
        let raw = name.strip_prefix('r').and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let config = raw.ok_or_else(|| UnknownCounter { name: name.to_owned() })?;
        let event = Some(EventNumber { kind: sys::PERF_TYPE_RAW, config });
        let name = Cow::Owned(name.to_owned());
        Ok(Self { name, unit: Unit::Count, group: RAW_GROUP, event, figure: None })
    }

    fn of(entry: &Entry) -> Self {
        let Entry { name, unit, group, event, figure, .. } = *entry;
        Self { name: Cow::Borrowed(name), unit, group, event, figure }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it counts in.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Who counts it.
    #[must_use]
    pub fn source(&self) -> CounterSource {
        match self.event {
            Some(event) if event.kind != sys::PERF_TYPE_SOFTWARE => CounterSource::Hardware,
            _ => CounterSource::Software,
        }
    }

    /// Its type and number in the kernel's interface; `None` for what is no event.
    pub(crate) fn event_number(&self) -> Option<(u32, u64)> {
        self.event.map(|event| (event.kind, event.config))
    }

    /// Whether it is an event that happens at a place in the code. Clocks tick everywhere, which samples show anyway.
    pub(crate) fn is_of_functions(&self) -> bool {
        self.event.is_some() && self.unit == Unit::Count && self.group != RAW_GROUP
    }

    /// Whether it happens while the kernel is about to let another thread run.
    pub(crate) fn is_of_scheduler(&self) -> bool {
        const SWITCHES: u64 = sys::PERF_COUNT_SW_CONTEXT_SWITCHES as u64;
        const MIGRATIONS: u64 = sys::PERF_COUNT_SW_CPU_MIGRATIONS as u64;
        let is_of = |event: EventNumber| matches!(event.config, SWITCHES | MIGRATIONS);
        self.event.is_some_and(|event| event.kind == sys::PERF_TYPE_SOFTWARE && is_of(event))
    }

    /// Whether it counts how often threads leave their processors.
    pub(crate) fn is_switch(&self) -> bool {
        const SWITCHES: u64 = sys::PERF_COUNT_SW_CONTEXT_SWITCHES as u64;
        self.event == Some(EventNumber { kind: sys::PERF_TYPE_SOFTWARE, config: SWITCHES })
    }

    /// Whether it is counted inside the kernel alone, so that nothing is left of it for those who may not see that.
    pub(super) fn is_of_kernel(&self) -> bool {
        const CLOCK: u64 = sys::PERF_COUNT_SW_TASK_CLOCK as u64;
        self.event.is_some_and(|event| event.kind == sys::PERF_TYPE_SOFTWARE && event.config != CLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_by_their_other_names() {
        for (given, expected) in [
            ("cycles", "cycles"),
            ("cpu-cycles", "cycles"),
            ("l1-dcache-loads", "L1-dcache-loads"),
            ("cs", "context-switches"),
            ("faults", "page-faults"),
            ("r1a2", "r1a2"),
        ] {
            assert_eq!(
                Counter::named(given).map(|counter| counter.name().to_owned()),
                Ok(expected.to_owned())
            );
        }
        for wrong in ["", "cycels", "rxyz", "r"] {
            let error = Counter::named(wrong).expect_err(wrong).to_string();
            assert!(error.contains("branch-misses") && error.contains("rNNNN"), "{error}");
        }
    }

    #[test]
    fn no_two_counters_have_a_name_or_an_event_in_common() {
        for (at, entry) in CATALOGUE.iter().enumerate() {
            for other in &CATALOGUE[at + 1..] {
                assert!(entry.name != other.name && entry.name != other.other_name, "{}", entry.name);
                assert!(entry.event.is_none() || entry.event != other.event, "{} {}", entry.name, other.name);
            }
        }
    }

    #[test]
    fn what_is_put_in_relation_is_counted_together() {
        let group = |name| Counter::named(name).expect(name).group;
        for (one, other) in [
            ("cycles", "instructions"),
            ("branches", "branch-misses"),
            ("cache-references", "cache-misses"),
            ("L1-dcache-loads", "L1-dcache-load-misses"),
            ("LLC-loads", "LLC-load-misses"),
        ] {
            assert_eq!(group(one), group(other), "{one} {other}");
        }
        for group in 1..u8::MAX {
            assert!(CATALOGUE.iter().filter(|entry| entry.group == group).count() <= 4, "{group}");
        }
    }
}
