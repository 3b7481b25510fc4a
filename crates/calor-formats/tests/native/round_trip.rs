//! What is written is read back, every field of it.

use calor_formats::native::{self, Writer, decode_part, encode_part};
use calor_model::*;
use proptest::prelude::*;

use crate::generated::profiles;
use crate::sample;

/// Every row of every table, as text. Handles stay as they are in a round trip, and floats are printed so that
/// different bits give different text, which makes this stricter than comparing what the profiles mean.
pub(crate) fn text_of(profile: &Profile) -> String {
    let mut profile = profile.clone();
    profile.timeline.sort();
    let Profile {
        strings,
        frames,
        stacks,
        threads,
        labels,
        scopes,
        timeline,
        samples,
        code,
        events,
        heap,
        gpu,
        counters,
        runs,
        warnings,
    } = &profile;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(strings.iter().map(|row| format!("{row:?}")));
    lines.extend(frames.iter().map(|row| format!("{row:?}")));
    lines.extend(stacks.iter().map(|row| format!("{row:?}")));
    lines.extend(threads.iter().map(|row| format!("{row:?}")));
    lines.extend(labels.iter().map(|row| format!("{row:?}")));
    lines.extend(scopes.iter().map(|row| format!("{row:?}")));
    lines.extend(timeline.iter().map(|row| format!("{row:?}")));
    lines.extend(samples.iter().map(|row| format!("{row:?}")));
    lines.extend(code.iter().map(|row| format!("{row:?}")));
    lines.extend(events.iter().map(|row| format!("{row:?}")));
    lines.extend(heap.iter().map(|row| format!("{row:?}")));
    lines.push(format!("{:?} {:?}", heap.summary, heap.histograms));
    lines.extend(heap.snapshots.iter().map(|snapshot| format!("{snapshot:?}")));
    lines.push(format!("{:?}", gpu.devices));
    lines.extend(gpu.kernels.iter().map(|row| format!("{row:?}")));
    lines.extend(gpu.copies.iter().map(|row| format!("{row:?}")));
    lines.extend(counters.iter().map(|row| format!("{row:?}")));
    lines.extend(runs.iter().map(|row| format!("{row:?}")));
    lines.extend(warnings.iter().map(|row| format!("{row:?}")));
    lines.join("\n")
}

proptest! {
    #[test]
    fn every_field_of_every_table_survives(profile in profiles()) {
        let mut bytes = Vec::new();
        let n_bytes = encode_part(&profile, &mut bytes).unwrap();
        prop_assert_eq!(n_bytes, bytes.len());
        prop_assert_eq!(text_of(&decode_part(&bytes).unwrap()), text_of(&profile));
    }

    #[test]
    fn a_file_of_one_part_is_that_part_and_has_no_warnings(mut profile in profiles()) {
        let mut bytes = Vec::new();
        native::write(&profile, &mut bytes).unwrap();
        profile.counters.sort();
        prop_assert_eq!(text_of(&calor_formats::read(&bytes).unwrap()), text_of(&profile));
    }
}

#[test]
fn a_file_is_the_sum_of_its_parts() {
    let parts = sample::parts();
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut sum = Profile::default();
    for part in &parts {
        writer.write_part(part).unwrap();
        sum.merge(part);
    }
    let read = native::read(&writer.finish().unwrap()).unwrap();
    assert_eq!(text_of(&read), text_of(&sum));
    assert_eq!(read.scopes.iter().map(|(_, stats)| stats.calls).sum::<u64>(), 4 * 40);
    assert_eq!((read.timeline.n_spans(), read.timeline.n_marks()), (4 * 40, 4));
    assert_eq!((read.runs.len(), read.duration_nanos(), read.warnings.len()), (1, 4_000_000_000, 0));
}

#[test]
fn spans_keep_their_order_when_they_stand_in_the_order_of_their_ends() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["a"], FrameKind::Scope).unwrap();
    let spans = vec![
        Span { start_nanos: 20, duration_nanos: 10, stack },
        Span { start_nanos: 10, duration_nanos: 25, stack },
        Span { start_nanos: 0, duration_nanos: 50, stack },
    ];
    profile.timeline.track_mut(thread).spans.clone_from(&spans);
    let mut bytes = Vec::new();
    encode_part(&profile, &mut bytes).unwrap();
    assert_eq!(decode_part(&bytes).unwrap().timeline.track(thread).unwrap().spans, spans);
}

#[test]
fn a_counter_may_be_no_number_and_a_spread_may_not() {
    let mut profile = Profile::default();
    let name = profile.strings.intern("loss");
    let key = CounterKey { name, unit: name, thread: None };
    profile.counters.series_mut(key).push(CounterPoint { at_nanos: 1, value: f64::NAN });
    let mut durations = DurationStats::default();
    durations.record(5);
    durations.squared_deviations = f64::NAN;
    let kernel = KernelKey { name, device: 0, launched_from: None };
    profile.gpu.kernels.insert(kernel, durations);
    let mut bytes = Vec::new();
    encode_part(&profile, &mut bytes).unwrap();

    let read = decode_part(&bytes).unwrap();
    let value = read.counters.get(&key).unwrap()[0].value;
    assert_eq!(value.to_bits(), f64::NAN.to_bits());
    assert_eq!(read.gpu.kernels[&kernel].squared_deviations.to_bits(), 0);
    assert_eq!((read.warnings[0].code.as_str(), read.warnings[0].count), ("spread_unknown", Some(1)));
}

#[test]
fn a_profile_with_a_handle_of_another_is_not_written() {
    let mut profile = Profile::default();
    let stack = profile.intern_named_path(&["a"], FrameKind::Scope).unwrap();
    let key = ScopeKey { stack, thread: ThreadId::from_index(3), labels: LabelTable::none() };
    profile.scopes.add(key, ScopeStats::default());
    let mut bytes = vec![1, 2, 3];
    let error = encode_part(&profile, &mut bytes).unwrap_err();
    assert!(error.to_string().contains("scope thread"), "{error}");
    assert_eq!(bytes, [1, 2, 3]);
}

#[test]
fn a_part_that_holds_next_to_nothing_is_small() {
    let mut profile = Profile::default();
    profile.runs.push(Run { id: RunId(u128::MAX / 3), duration_nanos: 12_345_678_901, ..Run::default() });
    let mut bytes = Vec::new();
    assert!(encode_part(&profile, &mut bytes).unwrap() <= 64, "{} bytes", bytes.len());
    bytes.clear();
    assert_eq!(encode_part(&Profile::default(), &mut bytes).unwrap(), native::chunk::CHUNK_HEADER_BYTES);
}

#[test]
fn the_spans_of_a_nested_timeline_take_less_than_five_bytes_each() {
    const N_STEPS: u64 = 2_000;
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let step = profile.intern_named_path(&["step"], FrameKind::Scope).unwrap();
    let inner = ["load", "compute", "store"]
        .map(|name| profile.intern_named_path(&["step", name], FrameKind::Scope).unwrap());
    let mut now = 0;
    for index in 0..N_STEPS {
        let start_nanos = now;
        for (place, stack) in (1..).zip(inner) {
            // No two durations in sequence are alike, as in a real recording.
            let duration_nanos = 1_000 + (index * 7919 + place * 104_729) % 15_000;
            let span = Span { start_nanos: now + 60 + index % 50, duration_nanos, stack };
            profile.timeline.track_mut(thread).spans.push(span);
            now = span.start_nanos + duration_nanos;
        }
        now += 70;
        let span = Span { start_nanos, duration_nanos: now - start_nanos, stack: step };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let n_bytes = encode_part(&profile, &mut Vec::new()).unwrap();
    assert!(n_bytes as u64 <= 5 * 4 * N_STEPS, "{n_bytes} bytes for {} spans", 4 * N_STEPS);
}
