//! How long it takes to read a recording of ten million spans, to answer what-ifs about it and to ask all rules for findings, and
//! how much memory.
//!
//!     cargo run --release -p calor-report --example what_if_speed -- write /tmp/spans.calor
//!     cargo run --release -p calor-report --example what_if_speed -- read /tmp/spans.calor

use std::collections::BTreeMap;
use std::time::Instant;

use calor_analysis::findings::{Circumstances, judge};
use calor_model::{
    FrameKind, LabelTable, Link, LinkKind, Profile, Run, ScopeKey, ScopeStats, Span, StackId, ThreadId,
};
use calor_report::{WhatIfFormat, WhatIfOptions, render_what_if};

const THREADS: usize = 4;
const SPANS: usize = 10_000_000;
/// Steps of a thread between two messages to the next.
const STEPS_PER_MESSAGE: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", path] => {
            let profile = pipeline();
            println!("{} spans, {} links", profile.timeline.n_spans(), profile.timeline.links.len());
            calor_formats::native::write(&profile, std::io::BufWriter::new(std::fs::File::create(path)?))?;
        }
        ["read", path] => {
            let begin = Instant::now();
            let profile = {
                let bytes = std::fs::read(path)?;
                calor_formats::native::read(&bytes)?
            };
            println!("read     {:6.2} s", begin.elapsed().as_secs_f64());
            let options = WhatIfOptions { format: WhatIfFormat::Json, ..WhatIfOptions::default() };
            let (begin, mut page) = (Instant::now(), Vec::new());
            render_what_if(&profile, &options, &mut page)?;
            println!("what if  {:6.2} s, {} bytes of JSON", begin.elapsed().as_secs_f64(), page.len());
            let begin = Instant::now();
            let found = judge(&profile, &Circumstances::default()).findings;
            println!("findings {:6.2} s, {} found", begin.elapsed().as_secs_f64(), found.found.len());
            let status = std::fs::read_to_string("/proc/self/status")?;
            println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("no peak"));
        }
        _ => println!("expected `write FILE` or `read FILE`"),
    }
    Ok(())
}

/// Threads in a row, each working step by step and handing every tenth to the next. Spans are written when they end.
fn pipeline() -> Profile {
    let mut profile = Profile::default();
    let paths = [&["step"][..], &["step", "load"], &["step", "compute"], &["step", "compute", "dot"]];
    let stacks: Vec<Vec<StackId>> = (0..THREADS)
        .map(|thread| {
            let stage = format!("stage {thread}");
            let path = |names: &[&str]| {
                profile.intern_named_path(&[&[stage.as_str()], names].concat(), FrameKind::Scope)
            };
            paths.map(path).into_iter().flatten().collect()
        })
        .collect();
    let n_steps = SPANS / THREADS / paths.len();
    let mut sent: Vec<Option<(ThreadId, Vec<u64>)>> = vec![None];
    for (number, stacks) in stacks.iter().enumerate() {
        let thread = profile.intern_thread(1, number as u64 + 1, &format!("stage {number}"));
        let (mut at, mut own) = (0_u64, Vec::new());
        for step in 0..n_steps {
            let work = 300 + (step * 7_919 + number * 104_729) as u64 % 900;
            if step % STEPS_PER_MESSAGE == 0
                && let Some((from, times)) = &sent[number]
            {
                let (since, available) = (at, times[step / STEPS_PER_MESSAGE]);
                at = at.max(available) + 50;
                let (kind, object, held_nanos) = (LinkKind::Channel, number as u64, 0);
                let (from, from_nanos, to_nanos) = (*from, available, at);
                let link = Link {
                    kind,
                    object,
                    from,
                    from_nanos,
                    to: thread,
                    since_nanos: since,
                    to_nanos,
                    held_nanos,
                };
                profile.timeline.links.push(link);
            }
            let spans = &mut profile.timeline.track_mut(thread).spans;
            let mut span =
                |stack, start_nanos, duration_nanos| spans.push(Span { start_nanos, duration_nanos, stack });
            span(stacks[1], at + 10, work / 3);
            span(stacks[3], at + 20 + work / 3, work / 2);
            span(stacks[2], at + 15 + work / 3, work / 2 + 30);
            span(stacks[0], at, work + 60);
            at += work + 70;
            if (step + 1) % STEPS_PER_MESSAGE == 0 {
                own.push(at);
            }
        }
        sent.push(Some((thread, own)));
    }
    with_sums(profile)
}

/// The same with what recorders add up of each scope.
fn with_sums(mut profile: Profile) -> Profile {
    let mut sums: BTreeMap<(ThreadId, StackId), ScopeStats> = BTreeMap::new();
    let mut end = 0;
    for (thread, track) in profile.timeline.iter() {
        for span in &track.spans {
            let stats = sums.entry((thread, span.stack)).or_default();
            stats.calls += 1;
            stats.total_nanos += span.duration_nanos;
            stats.timed.record(span.duration_nanos);
            end = end.max(span.start_nanos + span.duration_nanos);
        }
    }
    for ((thread, stack), stats) in sums {
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile.runs.push(Run { duration_nanos: end, ..Run::default() });
    profile
}
