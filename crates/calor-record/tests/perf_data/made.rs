//! Files made word by word: what perf writes seldom, or never.

use std::fmt::Write;

use calor_model::{FrameKind, SampleKind};

use super::{by_thread, n_samples, read, warning_codes};

const IP_TASK_TIME_PERIOD: u64 = 1 | 2 | 4 | 1 << 8;
const CALL_CHAIN: u64 = 1 << 5;
const KERNEL: u16 = 1;
const USER: u16 = 2;

/// What perf would write into a pipe.
struct Pipe {
    bytes: Vec<u8>,
}

impl Pipe {
    /// One event: its class and number, and the fields of its samples.
    fn new(class: u32, config: u64, fields: u64) -> Self {
        let mut pipe = Self { bytes: Vec::new() };
        pipe.bytes.extend(b"PERFILE2");
        pipe.bytes.extend(16_u64.to_le_bytes());
        let (size, identified_everywhere) = (64_u32, 1 << 18);
        let mut body: Vec<u8> = [class.to_le_bytes(), size.to_le_bytes()].concat();
        for word in [config, 1, fields, 0, identified_everywhere, 0, 0] {
            body.extend(word.to_le_bytes());
        }
        pipe.record(64, 0, &body);
        pipe
    }

    fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(misc.to_le_bytes());
        self.bytes.extend(u16::try_from(body.len() + 8).expect("a record is short").to_le_bytes());
        self.bytes.extend(body);
    }

    fn words(&mut self, kind: u32, misc: u16, words: &[u64]) {
        let body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.record(kind, misc, &body);
    }

    /// A record that is no sample, with task and time behind it.
    fn told(&mut self, kind: u32, misc: u16, body: &[u8], time: u64) {
        let body = [body, &task(1, 1).to_le_bytes(), &time.to_le_bytes()].concat();
        self.record(kind, misc, &body);
    }

    fn map(&mut self, pid: u32, misc: u16, start: u64, size: u64, name: &str) {
        let mut body = task(pid, pid).to_le_bytes().to_vec();
        for word in [start, size, 0] {
            body.extend(word.to_le_bytes());
        }
        body.extend(name.bytes());
        body.resize((body.len() + 8) & !7, 0);
        self.told(1, misc, &body, 0);
    }

    fn fork(&mut self, pid: u32, parent: u32, time: u64) {
        let body = [task(pid, parent), task(pid, parent), time].map(u64::to_le_bytes).concat();
        self.told(7, 0, &body, time);
    }
}

fn task(pid: u32, tid: u32) -> u64 {
    u64::from(pid) | u64::from(tid) << 32
}

#[test]
fn the_kernel_of_another_machine_is_shown_as_offsets() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD | CALL_CHAIN);
    let start = 0xffff_ffff_8100_0000;
    pipe.map(u32::MAX, KERNEL, start, 0x100_0000, "[kernel.kallsyms]_text");
    pipe.map(7, USER, 0x1000, 0x1000, "/not/here/program");
    let (in_kernel, in_user) = (128_u64.wrapping_neg(), 512_u64.wrapping_neg());
    let chain = [in_kernel, start + 0x20, start + 0x41, in_user, 0x1010, 0x1021];
    let sample = [&[start + 0x20, task(7, 8), 50, 4_000_000, chain.len() as u64], chain.as_slice()].concat();
    pipe.words(9, KERNEL, &sample);
    let profile = read(&pipe.bytes).unwrap();
    let (key, weight) = profile.samples.iter().next().unwrap();
    assert_eq!(
        profile.path_names(key.stack),
        ["program+0x20", "program+0x10", "[kernel]+0x40", "[kernel]+0x20"]
    );
    let kind = profile.frames.get(profile.stacks.get(key.stack).frame).kind;
    assert_eq!((kind, weight.count, weight.nanos), (FrameKind::Kernel, 1, 4_000_000));
    assert_eq!(warning_codes(&profile), ["image_unreadable", "kernel_symbols_missing"]);
}

#[test]
fn cycles_are_worth_the_usual_time_between_samples() {
    let mut pipe = Pipe::new(0, 0, IP_TASK_TIME_PERIOD);
    for time in [10, 20, 30, 1_000] {
        pipe.words(9, USER, &[0x1010, task(7, 7), time, 123_456]);
    }
    let profile = read(&pipe.bytes).unwrap();
    assert!(profile.samples.iter().all(|(_, weight)| weight.nanos == 10), "{:?}", profile.samples);
    assert!(warning_codes(&profile).contains(&"time_estimated"));
}

#[test]
fn records_are_taken_in_the_order_of_time_and_a_thread_has_its_last_name() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD);
    // Written before what it depends on, as by another processor.
    pipe.words(9, USER, &[0x1010, task(9, 9), 60, 1_000]);
    pipe.map(7, USER, 0x1000, 0x1000, "/not/here/program");
    pipe.fork(9, 7, 50);
    let named = [&task(9, 9).to_le_bytes()[..], b"late one"].concat();
    pipe.told(3, 0, &[&named[..], &[0; 8]].concat(), 70);
    let profile = read(&pipe.bytes).unwrap();
    assert_eq!(by_thread(&profile, SampleKind::Cpu).into_keys().collect::<Vec<_>>(), ["late one"]);
    assert_eq!(profile.stack_name(profile.samples.iter().next().unwrap().0.stack), "program+0x10");
}

#[test]
fn what_perf_lost_is_counted() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD);
    pipe.words(9, USER, &[0x1010, task(7, 7), 60, 1_000]);
    pipe.told(2, 0, &[1_u64, 40].map(u64::to_le_bytes).concat(), 61);
    pipe.told(13, 0, &2_u64.to_le_bytes(), 62);
    let profile = read(&pipe.bytes).unwrap();
    let lost = profile.warnings.iter().find(|warning| warning.code == "samples_lost").unwrap();
    assert_eq!(lost.count, Some(42));
}

#[test]
fn a_chain_is_cut_where_nothing_is_mapped() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD | CALL_CHAIN);
    pipe.map(7, USER, 0x1000, 0x1000, "/not/here/program");
    let chain = [512_u64.wrapping_neg(), 0x1010, 0x1021, 0xdead_0000, 0x1031];
    pipe.words(9, USER, &[&[0x1010, task(7, 7), 5, 1_000, 5], chain.as_slice()].concat());
    let profile = read(&pipe.bytes).unwrap();
    let names = profile.path_names(profile.samples.iter().next().unwrap().0.stack);
    assert_eq!(names, ["(stack cut off)", "program+0x20", "program+0x10"]);
    assert!(warning_codes(&profile).contains(&"stacks_strayed"));
}

#[test]
fn more_mappings_than_a_program_has_are_left_out_and_counted() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD);
    let mut name = String::new();
    for number in 0..17_000_u64 {
        name.clear();
        write!(name, "[made-{}]", number % 3).unwrap();
        pipe.map(7, USER, 0x1_0000 + number * 0x2000, 0x1000, &name);
    }
    // Each would be a copy of all those.
    for child in 1_000..1_400 {
        pipe.fork(child, 7, 1);
    }
    pipe.words(9, USER, &[0x1_0010, task(1_399, 1_399), 60, 1_000]);
    let profile = read(&pipe.bytes).unwrap();
    assert_eq!(n_samples(&profile, SampleKind::Cpu), 1);
    let left_out = profile.warnings.iter().find(|warning| warning.code == "mappings_left_out").unwrap();
    assert!(left_out.count.unwrap() > 600, "{left_out:?}");
}

#[test]
fn records_that_unpack_to_more_than_perf_writes_are_refused() {
    let mut pipe = Pipe::new(1, 0, IP_TASK_TIME_PERIOD);
    // A frame with a window of a megabyte, and blocks of four bytes that each stand for 128 KiB of zeros.
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
    let block = (128_u32 << 10) << 3 | 1 << 1;
    for _ in 0..2_100 {
        packed.extend(&block.to_le_bytes()[..3]);
        packed.push(0);
    }
    pipe.record(81, 0, &packed);
    let error = read(&pipe.bytes).unwrap_err().to_string();
    assert!(error.contains("unpack to more than 268435456"), "{error}");
}
