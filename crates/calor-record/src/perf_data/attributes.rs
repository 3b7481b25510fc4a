//! The events of a recording: what each counts, which fields its samples have, and which numbers its records bear.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use perf_event_open_sys::bindings;

use crate::perf::{Fields, until_zero};

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) name: String,
    /// Which fields samples have.
    pub(super) fields: u64,
    pub(super) read_format: u64,
    /// Which user registers samples have.
    pub(super) user_registers: u64,
    /// What else stands in a sample's record of branches.
    pub(super) branch_format: u64,
    /// Whether all records bear task, time and number.
    pub(super) is_id_everywhere: bool,
    /// The period of samples that do not tell theirs.
    pub(super) usual_period: Option<u64>,
}

const FREQUENCY: u64 = 1 << 10;
const SAMPLE_ID_ALL: u64 = 1 << 18;

impl Event {
    /// Takes the attributes apart; those that an old perf did not know are zero.
    pub(super) fn parse(attributes: &[u8]) -> Self {
        let size = Fields(attributes.get(4..).unwrap_or_default()).u32() as usize;
        // Files have said 0 for the first version, as the kernel takes it.
        let size = if size == 0 { 64 } else { size };
        let mut fields = Fields(&attributes[..size.min(attributes.len())]);
        let (class, _size, config) = (fields.u32(), fields.u32(), fields.u64());
        let (period, sample_fields, read_format, flags) =
            (fields.u64(), fields.u64(), fields.u64(), fields.u64());
        // Wake-up, breakpoint kind and two more words of configuration.
        fields.bytes(24);
        let (branch_format, user_registers) = (fields.u64(), fields.u64());
        let is_clock = class == bindings::PERF_TYPE_SOFTWARE
            && [bindings::PERF_COUNT_SW_CPU_CLOCK, bindings::PERF_COUNT_SW_TASK_CLOCK]
                .iter()
                .any(|clock| u64::from(*clock) == config);
        let usual_period = match (flags & FREQUENCY != 0, is_clock) {
            (false, _) => Some(period),
            (true, true) => 1_000_000_000_u64.checked_div(period),
            (true, false) => None,
        };
        Self {
            name: usual_name(class, config),
            fields: sample_fields,
            read_format,
            user_registers,
            branch_format,
            is_id_everywhere: flags & SAMPLE_ID_ALL != 0,
            usual_period: usual_period.filter(|period| *period > 0),
        }
    }

    pub(super) fn has(&self, field: u32) -> bool {
        self.fields & u64::from(field) != 0
    }

    /// How many bytes stand behind every record that is no sample, and how many of them from the time on.
    pub(super) fn trailer(&self) -> (usize, Option<usize>) {
        if !self.is_id_everywhere {
            return (0, None);
        }
        let words = |fields: &[u32]| 8 * fields.iter().filter(|field| self.has(**field)).count();
        let all = words(&TRAILER);
        let time = self.has(bindings::PERF_SAMPLE_TIME).then(|| words(&TRAILER[1..]));
        (all, time)
    }
}

/// What stands behind records, in order.
const TRAILER: [u32; 6] = [
    bindings::PERF_SAMPLE_TID,
    bindings::PERF_SAMPLE_TIME,
    bindings::PERF_SAMPLE_ID,
    bindings::PERF_SAMPLE_STREAM_ID,
    bindings::PERF_SAMPLE_CPU,
    bindings::PERF_SAMPLE_IDENTIFIER,
];

/// All events and the numbers of their records.
#[derive(Debug, Default)]
pub(super) struct Events {
    events: Vec<Event>,
    by_id: HashMap<u64, usize, RandomState>,
}

impl Events {
    pub(super) fn add(&mut self, event: Event, ids: &[u8]) {
        for id in ids.chunks_exact(8) {
            self.by_id.insert(Fields(id).u64(), self.events.len());
        }
        self.events.push(event);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event by its place; that of an unknown number is the first.
    pub(super) fn get(&self, place: usize) -> &Event {
        self.events.get(place).unwrap_or(&self.events[0])
    }

    /// The event whose record bears a number; the first where none is known.
    pub(super) fn of(&self, id: u64) -> usize {
        self.by_id.get(&id).copied().unwrap_or(0)
    }

    pub(super) fn is_one(&self) -> bool {
        self.events.len() == 1
    }

    /// Names events as the recording's list of events does, which is in the same order.
    pub(super) fn name(&mut self, descriptions: &[u8]) {
        let mut list = Fields(descriptions);
        let (_count, attribute_bytes) = (list.u32(), list.u32() as usize);
        for place in 0..self.events.len() {
            list.bytes(attribute_bytes);
            let (n_ids, length) = (list.u32() as usize, list.u32() as usize);
            let name = until_zero(list.bytes(length));
            if name.is_empty() {
                return;
            }
            self.events[place].name = String::from_utf8_lossy(name).into_owned();
            for id in list.bytes(n_ids.saturating_mul(8)).chunks_exact(8) {
                self.by_id.insert(Fields(id).u64(), place);
            }
        }
    }

    /// Takes in a name that came later.
    pub(super) fn update(&mut self, body: &[u8]) {
        const NAME: u64 = 2;
        let mut fields = Fields(body);
        let (what, id) = (fields.u64(), fields.u64());
        let name = until_zero(fields.0);
        if let Some(place) = self.by_id.get(&id).filter(|_| what == NAME && !name.is_empty()) {
            self.events[*place].name = String::from_utf8_lossy(name).into_owned();
        }
    }
}

/// What an event is called when the recording does not say.
fn usual_name(class: u32, config: u64) -> String {
    const SOFTWARE: [&str; 8] = [
        "cpu-clock",
        "task-clock",
        "page-faults",
        "context-switches",
        "cpu-migrations",
        "minor-faults",
        "major-faults",
        "alignment-faults",
    ];
    const HARDWARE: [&str; 10] = [
        "cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "stalled-cycles-frontend",
        "stalled-cycles-backend",
        "ref-cycles",
    ];
    let of = |names: &[&'static str], number: u64| {
        usize::try_from(number).ok().and_then(|number| names.get(number)).copied()
    };
    let known = match class {
        bindings::PERF_TYPE_SOFTWARE => of(&SOFTWARE, config),
        // The upper half says which kind of core, on machines with several.
        bindings::PERF_TYPE_HARDWARE => of(&HARDWARE, config & 0xffff_ffff),
        _ => None,
    };
    match (known, class) {
        (Some(name), _) => name.to_owned(),
        (None, bindings::PERF_TYPE_TRACEPOINT) => format!("tracepoint-{config}"),
        (None, _) => format!("event-{class}-{config:#x}"),
    }
}
