//! The fields of an explanation in `calor/ab/1`.

use calor_analysis::{WhyLine, WhySide, why_lines};
use calor_wire::why::{CurvePoint, ExplainedGap, Function, HotLoop, Parts, Reason, Side, Why};

use super::explanation::Explanation;

pub(super) fn fields(explanation: &Explanation) -> Why {
    let (evidence, why) = (&explanation.evidence, explanation.why.as_ref());
    let size = |size: f64| explanation.has_sizes.then_some(size);
    let reasons = why.iter().flat_map(|why| &why.reasons).map(|reason| Reason {
        cause: reason.cause.word(),
        name: reason.cause.name(),
        share: reason.share,
        evidence: reason.evidence.clone(),
        advice: reason.cause.advice(),
    });
    let curve = evidence.points.iter().map(|point| CurvePoint {
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
    Why {
        why: reasons.collect(),
        unexplained: why.map(|why| why.unexplained),
        explained: why.map(|why| ExplainedGap {
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
