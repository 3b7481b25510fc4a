//! A Chrome trace of 100 MB as a profiler of a training loop writes it: one complete event a call, with arguments,
//! inner calls before the end of the outer ones and in the order of their start.

use std::fmt::Write;

use super::numbers::Numbers;

const BYTES: usize = 100_000_000;
const N_THREADS: usize = 8;
const CALLS: [&str; 8] = [
    "aten::linear",
    "aten::addmm",
    "aten::layer_norm",
    "aten::scaled_dot_product_attention",
    "aten::softmax",
    "aten::copy_",
    "aten::empty_strided",
    "aten::gelu",
];

/// The trace.
pub(super) fn trace() -> String {
    let mut text = String::with_capacity(BYTES + 65_536);
    text.push_str("{\n  \"schemaVersion\": 1,\n  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n");
    for thread in 0..N_THREADS {
        let _ = writeln!(
            text,
            "  {{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 4242, \"tid\": {}, \"args\": {{\"name\": \"loader {thread}\"}}}},",
            4242 + thread
        );
    }
    let mut events = Events { text, numbers: Numbers(2), nanos: [1_700_000_000_000_000; N_THREADS], id: 0 };
    while events.text.len() < BYTES {
        for thread in 0..N_THREADS {
            events.step(thread);
        }
    }
    let end = events.text.trim_end_matches([',', '\n']).len();
    events.text.truncate(end);
    events.text.push_str("\n  ]\n}\n");
    events.text
}

struct Events {
    text: String,
    numbers: Numbers,
    /// How far each thread has come.
    nanos: [u64; N_THREADS],
    id: u64,
}

impl Events {
    /// A step of twelve layers with four calls in each, every second of which makes one more call.
    fn step(&mut self, thread: usize) {
        let step = self.nanos[thread];
        // Durations first: an outer event stands before the inner ones.
        let layers: Vec<Vec<(usize, u64)>> = (0..12)
            .map(|_| {
                (0..4).map(|_| (self.numbers.below(8) as usize, 2_000 + self.numbers.below(80_000))).collect()
            })
            .collect();
        let of_layer = |calls: &[(usize, u64)]| calls.iter().map(|call| call.1 + 100).sum::<u64>() + 100;
        let whole = layers.iter().map(|calls| of_layer(calls) + 100).sum::<u64>() + 100;
        self.event(thread, "ProfilerStep#1", step, whole);
        let mut at = step + 100;
        for (number, calls) in layers.iter().enumerate() {
            let name = format!("nn.Module: TransformerEncoderLayer_{number}");
            self.event(thread, &name, at, of_layer(calls));
            let mut inner = at + 100;
            for (index, &(call, duration)) in calls.iter().enumerate() {
                self.event(thread, CALLS[call], inner, duration);
                if index % 2 == 0 {
                    self.event(thread, CALLS[(call + 1) % 8], inner + 500, duration - 1_000);
                }
                inner += duration + 100;
            }
            at += of_layer(calls) + 100;
        }
        self.nanos[thread] = step + whole + 1_000;
    }

    fn event(&mut self, thread: usize, name: &str, start: u64, duration: u64) {
        self.id += 1;
        let (id, tid) = (self.id, 4242 + thread);
        let _ = writeln!(
            self.text,
            "  {{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{name}\", \"pid\": 4242, \"tid\": {tid}, \
             \"ts\": {}.{:03}, \"dur\": {}.{:03}, \"args\": {{\"External id\": {id}, \"Ev Idx\": {id}}}}},",
            start / 1_000,
            start % 1_000,
            duration / 1_000,
            duration % 1_000
        );
    }
}
