//! The heap of a made-up server: it loads a model, keeps a cache that fills, forgets sessions, and makes many short
//! strings. Every figure follows from the list of its sites.

use calor_model::{
    Frame, FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, Host, LabelTable,
    Profile, Recorder, Run, RunId, StackId,
};

const SECOND: u64 = 1_000_000_000;
/// How long it runs, in seconds.
pub(crate) const SECONDS: u64 = 120;

/// One place that allocates.
struct Site {
    path: &'static [(&'static str, FrameKind, &'static str, u32)],
    /// Bytes of a block.
    size: u64,
    /// Blocks allocated until a second.
    allocated: fn(u64) -> u64,
    /// Blocks held at a second.
    held: fn(u64) -> u64,
    /// Of a hundred allocations those that were freed at once.
    temporary_percent: u64,
    /// How long a freed block lived.
    lived_nanos: u64,
}

const MAIN: (&str, FrameKind, &str, u32) = ("server::main", FrameKind::Native, "src/main.rs", 41);
const SERVE: (&str, FrameKind, &str, u32) = ("<module>", FrameKind::Python, "app/serve.py", 12);

const SITES: [Site; 6] = [
    Site {
        path: &[MAIN, ("server::model::load", FrameKind::Native, "src/model.rs", 88)],
        size: 6 << 20,
        allocated: |second| (second * 8).min(40),
        held: |second| (second * 8).min(40),
        temporary_percent: 0,
        lived_nanos: 0,
    },
    Site {
        path: &[
            MAIN,
            ("server::handle", FrameKind::Native, "src/handle.rs", 20),
            ("server::session::remember", FrameKind::Native, "src/session.rs", 131),
        ],
        size: 3_200,
        allocated: |second| second * 400,
        held: |second| second * 400 - second * second / 9,
        temporary_percent: 1,
        lived_nanos: 40 * SECOND,
    },
    Site {
        path: &[
            MAIN,
            ("server::handle", FrameKind::Native, "src/handle.rs", 20),
            ("server::cache::insert", FrameKind::Native, "src/cache.rs", 57),
        ],
        size: 48 << 10,
        allocated: |second| second * 90,
        held: |second| (second * 90).min(2_000) + second % 7 * 11,
        temporary_percent: 0,
        lived_nanos: 22 * SECOND,
    },
    Site {
        path: &[
            MAIN,
            ("server::handle", FrameKind::Native, "src/handle.rs", 24),
            ("server::json::parse", FrameKind::Native, "src/json.rs", 310),
            ("alloc::string::String::push_str", FrameKind::Native, "string.rs", 1021),
        ],
        size: 96,
        allocated: |second| second * 220_000,
        held: |second| 900 + second % 5 * 37,
        temporary_percent: 91,
        lived_nanos: 1_400,
    },
    Site {
        path: &[
            SERVE,
            ("Batcher.collect", FrameKind::Python, "app/batch.py", 77),
            ("numpy.concatenate", FrameKind::Native, "multiarray.c", 512),
        ],
        size: 1_500_000,
        allocated: |second| second * 30,
        held: |second| if second % 40 < 25 { 60 + second % 9 * 3 } else { 8 },
        temporary_percent: 12,
        lived_nanos: 2 * SECOND / 3,
    },
    Site {
        path: &[SERVE, ("log_line", FrameKind::Python, "app/log.py", 9)],
        size: 210,
        allocated: |second| second * 41_000,
        held: |_| 64,
        temporary_percent: 99,
        lived_nanos: 700,
    },
];

/// The heap of a run of two minutes, every allocation seen or one in half a mebibyte.
pub(crate) fn server(mode: HeapMode) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4711, 4711, "main");
    let stacks: Vec<StackId> = SITES.iter().map(|site| stack(&mut profile, site)).collect();
    let held = |second: u64| SITES.iter().map(move |site| (site.held)(second) * site.size);
    let total = |second: u64| held(second).sum::<u64>();
    let peak_at = (0..=SECONDS).max_by_key(|second| total(*second)).expect("a run has a second");
    for (site, stack) in SITES.iter().zip(&stacks) {
        let row = figures(site, peak_at, mode);
        profile.heap.add(HeapKey { stack: *stack, thread, labels: LabelTable::none() }, &row);
        let blocks = |count: u64| HeapBlocks { count, bytes: count * site.size };
        profile.heap.histograms.sizes.record(site.size, blocks(row.allocated_count));
        profile.heap.histograms.lifetimes.record(site.lived_nanos, blocks(row.freed_count));
    }
    profile.heap.histograms.are_lifetimes_sampled = mode == HeapMode::Sampled;
    let leaked =
        HeapBlocks { count: SITES.iter().map(|site| (site.held)(SECONDS)).sum(), bytes: total(SECONDS) };
    profile.heap.summary = Some(HeapSummary {
        leaked: Some(leaked),
        sampling_bytes: (mode == HeapMode::Sampled).then_some(512 << 10),
        ..HeapSummary::new(mode, total(peak_at), Some(peak_at * SECOND))
    });
    let mut most = 0;
    for second in 0..=SECONDS {
        // Memory is given back late, and not all of it.
        most = total(second).max(most * 98 / 100);
        profile.push_heap_point(second * SECOND, Some(total(second)), Some(most * 11 / 10 + (38 << 20)));
        if second % 4 == 0 {
            let mut snapshot = HeapSnapshot::new(second * SECOND);
            for (site, stack) in SITES.iter().zip(&stacks) {
                let count = (site.held)(second);
                snapshot.add(*stack, HeapBlocks { count, bytes: count * site.size });
            }
            profile.heap.snapshots.push(snapshot);
        }
    }
    profile.runs.push(run());
    profile
}

fn figures(site: &Site, peak_at: u64, mode: HeapMode) -> HeapSite {
    let (allocated, held, at_peak) = ((site.allocated)(SECONDS), (site.held)(SECONDS), (site.held)(peak_at));
    let allocated = allocated.max(held);
    let temporary = allocated * site.temporary_percent / 100;
    let mut row = HeapSite {
        allocated_bytes: allocated * site.size,
        allocated_count: allocated,
        freed_bytes: (allocated - held) * site.size,
        freed_count: allocated - held,
        peak_bytes: at_peak * site.size,
        peak_count: at_peak,
        temporary_count: temporary,
        temporary_bytes: temporary * site.size,
        ..HeapSite::default()
    };
    if mode == HeapMode::Sampled {
        let size = site.size as f64;
        let chance = 1.0 - (-size / f64::from(512 << 10)).exp();
        let variance = |count: u64| count as f64 * size * size * (1.0 - chance) / chance;
        row.samples = (allocated as f64 * chance).round() as u64;
        row.allocated_variance = variance(allocated);
        row.live_variance = variance(held);
        row.peak_variance = variance(at_peak);
    }
    row
}

fn stack(profile: &mut Profile, site: &Site) -> StackId {
    let mut path = None;
    for &(name, kind, file, line) in site.path {
        let name = profile.strings.intern(name);
        let module = (kind == FrameKind::Native).then(|| profile.strings.intern("server"));
        let file = Some(profile.strings.intern(file));
        let frame = Frame { module, file, line: Some(line), ..Frame::new(name, kind) };
        let frame = profile.frames.intern(frame);
        path = Some(profile.stacks.intern(path, frame));
    }
    path.expect("a path has a frame")
}

fn run() -> Run {
    Run {
        id: RunId(17),
        command: Some("server --port 8080".to_owned()),
        started_at_unix_nanos: 1_750_000_000_000_000_000,
        duration_nanos: SECONDS * SECOND,
        cpu_nanos: Some(61 * SECOND),
        host: Host {
            os: "Debian 12".to_owned(),
            kernel: "6.1".to_owned(),
            arch: "x86_64".to_owned(),
            cpu: "Some CPU".to_owned(),
            cores: Some(8),
            memory_bytes: Some(32 << 30),
            ..Host::default()
        },
        recorders: [Recorder::Heap].into(),
        ..Run::default()
    }
}
