//! How long `calor findings` takes with a long recording, and how much memory.

use std::path::Path;
use std::process::Command;

use calor_model::{
    Frame, FrameKind, LabelTable, Link, LinkKind, Profile, Run, ScopeKey, Span, StackId, ThreadId,
};
use harness::{Bound, Figures, Goal, Table, answer_of, number, watched};

/// Spans of the recording, on all threads together.
const N_SPANS: u64 = 10_000_000;
const N_THREADS: u64 = 8;
/// A span takes so long, and the next begins at once.
const SPAN_NANOS: u64 = 1_000;
/// Of so many spans the first waits for another thread.
const WAITS_EVERY: u64 = 1_000;

pub(crate) fn run(folder: &Path) -> Result<Vec<Goal>, String> {
    eprintln!("speed ...");
    let file = folder.join("long.calor");
    let mut bytes = Vec::new();
    calor_formats::native::write(&recording(), &mut bytes).map_err(|error| error.to_string())?;
    std::fs::write(&file, &bytes).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let size = bytes.len() as f64 / 1e6;
    drop(bytes);
    // Memory is counted for all children of a process together: the command is the only one of this one.
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let figures = answer_of(Command::new(own).args(["--case", "speed", "--inputs"]).arg(&file))?;
    let mut table = Table::new(["CPU", "wall", "peak memory", "file"]);
    let shown =
        |name: &str, unit: &str| figures.get(name).map(|value| format!("{} {unit}", number(value, 2)));
    table.row(
        "findings of 10 million spans",
        [shown("cpu_s", "s"), shown("wall_s", "s"), shown("peak_mb", "MB"), Some(format!("{size:.0} MB"))],
    );
    println!("\n## speed\n\n{table}");
    let goal = |what: &str, unit, most, name| Goal {
        case: "speed",
        what: what.to_owned(),
        unit,
        bound: Bound::AtMost(most),
        measured: figures.get(name).ok_or_else(String::new),
    };
    Ok(vec![
        goal("findings of 10 million spans, CPU", "s", 5.0, "cpu_s"),
        goal("findings of 10 million spans, memory", "MB", 1_073.7, "peak_mb"),
    ])
}

/// What the command takes for a file.
pub(crate) fn of_file(calor: &Path, file: &Path) -> Result<Figures, String> {
    let ended =
        watched::child::run(Command::new(calor).args(["findings", "-q", "--format", "json"]).arg(file))?;
    let wall = (ended.at_nanos - ended.started_nanos) as f64 / 1e9;
    Ok(Figures::default().with("cpu_s", ended.cpu_s).with("wall_s", wall).with("peak_mb", ended.peak_mb))
}

/// Threads that go through the same steps over and over, and wait for each other now and then.
fn recording() -> Profile {
    let each = N_SPANS / N_THREADS;
    let mut profile = Profile {
        runs: vec![Run { duration_nanos: each * SPAN_NANOS, ..Run::default() }],
        ..Profile::default()
    };
    let threads: Vec<ThreadId> =
        (0..N_THREADS).map(|n| profile.intern_thread(1, n + 1, &format!("worker {n}"))).collect();
    let steps: Vec<StackId> = (0..64)
        .map(|n| {
            let names = [format!("stage {}", n % 8), format!("step {n}")];
            let frames: Vec<_> = names
                .iter()
                .map(|name| {
                    let name = profile.strings.intern(name);
                    profile.frames.intern(Frame::new(name, FrameKind::Scope))
                })
                .collect();
            profile.stacks.intern_path(frames).unwrap_or_else(|| unreachable!("a path of two frames"))
        })
        .collect();
    for &thread in &threads {
        for n in 0..each {
            let stack = steps[(n % 64) as usize];
            let start_nanos = n * SPAN_NANOS;
            let span = Span { start_nanos, duration_nanos: SPAN_NANOS - 50, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        for &stack in &steps {
            let row = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
            for _ in 0..each / 64 {
                row.timed.record(SPAN_NANOS - 50);
            }
            (row.calls, row.total_nanos) = (each / 64, each / 64 * (SPAN_NANOS - 50));
        }
    }
    for n in (WAITS_EVERY..each).step_by(WAITS_EVERY as usize) {
        let at = |thread: u64| threads[(thread % N_THREADS) as usize];
        profile.timeline.links.push(Link {
            kind: LinkKind::Channel,
            object: 1,
            from: at(n / WAITS_EVERY),
            from_nanos: n * SPAN_NANOS - 10,
            to: at(n / WAITS_EVERY + 1),
            since_nanos: n * SPAN_NANOS - 40,
            to_nanos: n * SPAN_NANOS,
            held_nanos: 0,
        });
    }
    profile.timeline.sort();
    profile
}
