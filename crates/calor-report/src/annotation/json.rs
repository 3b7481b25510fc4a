//! The function for programs. Field names and meanings are a promise, as in the report.

use calor_analysis::{Annotation, Namesake};
use calor_model::{FrameKind, Profile, Warning};
use calor_wire::annotation::{self as wire, Candidate, Code, Function, Instruction, Line};
use calor_wire::{Envelope, Simd};

use super::{AnnotationOptions, Source};
use crate::Error;

pub(super) fn page(
    profile: &Profile,
    annotation: &Annotation<'_>,
    options: &AnnotationOptions,
    source: &Source<'_>,
    notes: &[Warning],
) -> Result<String, Error> {
    let mut warnings = profile.warnings.clone();
    warnings.extend(notes.iter().cloned());
    if let Some(why) = annotation.missing_code(profile).filter(|_| options.instructions) {
        warnings.push(Warning::new("code_missing", why));
    }
    let part = |samples: u64, whole: u64| samples as f64 / whole.max(1) as f64;
    let lines = annotation.lines.iter().take(if options.lines { options.top } else { 0 }).map(|line| Line {
        file: line.file,
        line: line.line,
        samples: line.own,
        total_samples: line.inclusive,
        share: part(line.inclusive, annotation.inclusive),
        text: line.file.and_then(|file| source(file, line.line)),
    });
    let code = annotation.code.iter().filter(|_| options.instructions).map(|code| {
        let shown = code.stretches(options.top, options.context).into_iter().flatten();
        let instructions = shown.map(|index| &code.instructions[index]).map(|it| Instruction {
            address: it.address,
            text: &it.text,
            samples: it.count,
            share: part(it.count, code.n_samples),
            loop_depth: it.loops.len(),
            function: it.function,
            file: it.file,
            line: it.line,
        });
        let holds = |range: &&std::ops::Range<u64>| {
            range.start >= code.start && range.start < code.start.saturating_add(code.size)
        };
        let hottest = annotation.verdict.as_ref().and_then(|verdict| verdict.hottest_loop.as_ref());
        Code {
            function: code.function,
            start: code.start,
            size_bytes: code.size,
            samples: code.n_samples,
            hottest_loop: hottest.filter(holds).map(|range| [range.start, range.end]),
            instructions: instructions.collect(),
        }
    });
    let body = wire::Annotation {
        function: Function {
            name: annotation.name,
            kind: word(annotation.kind),
            module: annotation.module,
            samples: annotation.own,
            total_samples: annotation.inclusive,
            all_samples: annotation.n_all,
            share: part(annotation.own, annotation.n_all),
            total_share: part(annotation.inclusive, annotation.n_all),
            simd: annotation.verdict.as_ref().map(|verdict| Simd::new(verdict, annotation.offered)),
        },
        candidates: annotation.namesakes.iter().map(candidate).collect(),
        lines: lines.collect(),
        code: code.collect(),
    };
    Ok(Envelope::new(&warnings, body).text()?)
}

fn candidate<'a>(namesake: &Namesake<'a>) -> Candidate<'a> {
    Candidate {
        kind: word(namesake.kind),
        file: namesake.file,
        module: namesake.module,
        samples: namesake.own,
        total_samples: namesake.inclusive,
        chosen: namesake.is_chosen,
    }
}

fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Python => "python",
        FrameKind::Kernel => "kernel",
        FrameKind::Gpu => "gpu",
        FrameKind::Scope | FrameKind::Context => "scope",
        _ => "native",
    }
}
