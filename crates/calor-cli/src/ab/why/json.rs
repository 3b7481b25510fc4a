//! The fields of an explanation in `calor/ab/1`.

use calor_analysis::{WhyLine, WhySide, why_lines};
use serde::Serialize;

use super::explanation::Explanation;

/// What is added to the page.
#[derive(Serialize)]
pub(crate) struct WhyFields {
    why: Vec<Reason>,
    unexplained: Option<f64>,
    explained: Option<Explained>,
    curve: Vec<Point>,
    sides: [Side; 2],
    notes: Vec<String>,
    not_known: Vec<String>,
}

#[derive(Serialize)]
struct Reason {
    cause: &'static str,
    name: &'static str,
    share: f64,
    evidence: Vec<String>,
    advice: &'static str,
}

#[derive(Serialize)]
struct Explained {
    size: Option<f64>,
    slower: char,
    clock: &'static str,
    ratio: f64,
    ns: [f64; 2],
}

#[derive(Serialize)]
struct Point {
    size: Option<f64>,
    bytes: Option<f64>,
    tier: Option<String>,
    cpu_ns: [f64; 2],
    wall_ns: [f64; 2],
    ratio: f64,
}

#[derive(Serialize)]
struct Side {
    variant: char,
    samples: u64,
    parts: Parts,
    loops: Vec<HotLoop>,
    functions: Vec<Function>,
    fixed_ns: Option<f64>,
    element_ns: Option<f64>,
    allocated_bytes: Option<f64>,
    allocated_blocks: Option<f64>,
    instructions: Option<f64>,
    page_faults: Option<f64>,
    threads: usize,
    blas: Vec<String>,
}

#[derive(Serialize)]
struct Parts {
    copying: f64,
    memory: f64,
    locking: f64,
    interpreter: f64,
    own: f64,
}

#[derive(Serialize)]
struct HotLoop {
    function: String,
    place: Option<String>,
    share: f64,
    class: &'static str,
    bits: Option<u32>,
    number_bytes: Option<u32>,
    is_strided: bool,
    streams: usize,
    moved_by_stream: Option<f64>,
    converts: bool,
    locks: bool,
}

#[derive(Serialize)]
struct Function {
    name: String,
    share: f64,
}

pub(super) fn fields(explanation: &Explanation) -> WhyFields {
    let (evidence, why) = (&explanation.evidence, explanation.why.as_ref());
    let size = |size: f64| explanation.has_sizes.then_some(size);
    let reasons = why.iter().flat_map(|why| &why.reasons).map(|reason| Reason {
        cause: reason.cause.word(),
        name: reason.cause.name(),
        share: reason.share,
        evidence: reason.evidence.clone(),
        advice: reason.cause.advice(),
    });
    let curve = evidence.points.iter().map(|point| Point {
        size: size(point.size),
        bytes: point.bytes,
        tier: evidence
            .roof
            .as_ref()
            .zip(point.bytes)
            .and_then(|(roof, bytes)| Some(roof.tier_with_room_for(bytes)?.1.name.clone())),
        cpu_ns: point.cpu,
        wall_ns: point.wall,
        ratio: point.gap(evidence.clock).exp(),
    });
    let lines = why_lines(&evidence.points, evidence.clock, evidence.roof.as_ref());
    WhyFields {
        why: reasons.collect(),
        unexplained: why.map(|why| why.unexplained),
        explained: why.map(|why| Explained {
            size: size(why.size),
            slower: ['A', 'B'][why.slower],
            clock: why.clock.word(),
            ratio: why.ratio(),
            ns: why.nanos,
        }),
        curve: curve.collect(),
        sides: [0, 1].map(|at| side(['A', 'B'][at], &evidence.sides[at], lines.map(|lines| lines[at]))),
        notes: why.map(|why| why.notes.clone()).unwrap_or_default(),
        not_known: why.map(|why| why.missing.clone()).unwrap_or_default(),
    }
}

fn side(variant: char, side: &WhySide, line: Option<WhyLine>) -> Side {
    let loops = side.loops.iter().map(|it| HotLoop {
        function: it.function.clone(),
        place: it.place.clone(),
        share: it.share,
        class: it.class.word(),
        bits: it.bits(),
        number_bytes: it.number_bytes,
        is_strided: it.has_far_walk,
        streams: it.n_streams,
        moved_by_stream: it.moved,
        converts: it.converts(),
        locks: it.has_lock,
    });
    let functions = side.functions.iter().map(|(name, share)| Function { name: name.clone(), share: *share });
    Side {
        variant,
        samples: side.n_samples,
        parts: Parts {
            copying: side.parts.copying,
            memory: side.parts.memory,
            locking: side.parts.locking,
            interpreter: side.parts.interpreter,
            own: side.parts.own,
        },
        loops: loops.collect(),
        functions: functions.collect(),
        fixed_ns: line.map(|line| line.fixed),
        element_ns: line.map(|line| line.each),
        allocated_bytes: side.heap_bytes,
        allocated_blocks: side.heap_blocks,
        instructions: side.instructions,
        page_faults: side.page_faults,
        threads: side.n_threads,
        blas: side.blas.clone(),
    }
}
