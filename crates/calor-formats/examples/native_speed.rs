//! How fast and how small the native format is, on data shaped like a recording of inference: prints the
//! median of many repetitions. Run with `cargo run --release -p calor-formats --example native_speed`.

use std::time::Instant;

use calor_formats::native::{self, decode_part, encode_part};
use calor_model::{FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, Span, StackId, ThreadId};

fn main() {
    for (what, profile, rows) in [
        ("a nearly empty part", scopes(1, 1), 1),
        ("100 scope rows, 50 calls each", scopes(100, 50), 100),
        ("100 scope rows, 1000 calls each", scopes(100, 1000), 100),
        ("100,000 spans in order of start", spans(100_000, true), 100_000),
        ("100,000 spans in order of end", spans(100_000, false), 100_000),
    ] {
        let mut bytes = Vec::new();
        encode_part(&profile, &mut bytes).expect("the profile is sound");
        let encode = median_micros(|| {
            let mut out = Vec::with_capacity(bytes.len());
            encode_part(&profile, &mut out).expect("the profile is sound");
        });
        let decode = median_micros(|| {
            decode_part(&bytes).expect("the part is whole");
        });
        let each = bytes.len() as f64 / f64::from(rows);
        println!("{what:<34} encode {encode:>8.1} us  decode {decode:>8.1} us  {each:>7.2} bytes a row");
    }
    let mut file = native::header().to_vec();
    for _ in 0..300 {
        encode_part(&scopes(100, 50), &mut file).expect("the profile is sound");
    }
    let read = median_micros(|| {
        native::read(&file).expect("the file is whole");
    });
    println!("a file of 300 parts of 100 scope rows: {} KiB, read in {:.1} ms", file.len() >> 10, read / 1e3);
}

fn median_micros(mut work: impl FnMut()) -> f64 {
    let mut micros: Vec<f64> = (0..51)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    micros[micros.len() / 2]
}

/// A small generator of numbers (xorshift), so that every run measures the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A call tree of `n_scopes`, three below each.
fn tree(profile: &mut Profile, n_scopes: usize) -> (ThreadId, Vec<StackId>) {
    let thread = profile.intern_thread(4242, 4243, "worker");
    let mut stacks: Vec<StackId> = Vec::new();
    for index in 0..n_scopes {
        let name = profile.strings.intern(&format!("transformer::layer_{index}::forward"));
        let file = profile.strings.intern(&format!("src/model/layer_{}.rs", index % 10));
        let mut frame = calor_model::Frame::new(name, FrameKind::Scope);
        (frame.file, frame.line) = (Some(file), Some(10 + index as u32));
        let frame = profile.frames.intern(frame);
        let parent = (index > 0).then(|| stacks[(index - 1) / 3]);
        stacks.push(profile.stacks.intern(parent, frame));
    }
    (thread, stacks)
}

fn scopes(n_scopes: usize, n_calls: u64) -> Profile {
    let mut profile = Profile::default();
    let mut numbers = Numbers(7);
    let (thread, stacks) = tree(&mut profile, n_scopes);
    for stack in stacks {
        let typical = 1_000 + numbers.below(1_000_000);
        let mut stats = ScopeStats { calls: n_calls, ..ScopeStats::default() };
        for _ in 0..n_calls {
            stats.timed.record(typical + numbers.below(typical / 4));
        }
        stats.total_nanos = stats.timed.total_nanos;
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile
}

/// Steps of twelve layers with three scopes in each, of 1 to 20 us, one after the other.
fn spans(n_spans: usize, is_by_start: bool) -> Profile {
    let mut profile = Profile::default();
    let mut numbers = Numbers(7);
    let (thread, stacks) = tree(&mut profile, 40);
    let mut now = 0;
    let mut spans = Vec::new();
    while spans.len() < n_spans {
        let step = now;
        for layer in 1..13 {
            let start = now;
            for inner in 0..3 {
                now += 50 + numbers.below(100);
                let duration_nanos = 1_000 + numbers.below(19_000);
                let stack = stacks[3 * layer + inner + 1];
                spans.push(Span { start_nanos: now, duration_nanos, stack });
                now += duration_nanos;
            }
            now += 80;
            spans.push(Span { start_nanos: start, duration_nanos: now - start, stack: stacks[layer] });
        }
        now += 120;
        spans.push(Span { start_nanos: step, duration_nanos: now - step, stack: stacks[0] });
    }
    spans.truncate(n_spans);
    if is_by_start {
        spans.sort_by_key(|span| (span.start_nanos, std::cmp::Reverse(span.duration_nanos)));
    }
    profile.timeline.track_mut(thread).spans = spans;
    profile
}
