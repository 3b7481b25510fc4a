//! The function for programs. Field names and meanings are a promise, as in the report.

use calor_analysis::{Annotation, Namesake};
use calor_model::{FrameKind, Profile, Warning};
use serde::Serialize;

use super::listing::stretches;
use super::{AnnotationOptions, Source, missing_code};
use crate::Error;
use crate::json::simd::Simd;

#[derive(Serialize)]
struct Page<'a> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Wire<'a>>,
    function: Function<'a>,
    candidates: Vec<Candidate<'a>>,
    lines: Vec<Line<'a>>,
    code: Vec<Code<'a>>,
}

#[derive(Serialize)]
struct Wire<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    /// Samples in it, with what it called, and all.
    samples: u64,
    total_samples: u64,
    all_samples: u64,
    share: f64,
    total_share: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    simd: Option<Simd>,
}

/// One of the functions of that name.
#[derive(Serialize)]
struct Candidate<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    samples: u64,
    total_samples: u64,
    /// Whether it is part of what is shown.
    chosen: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u32,
    samples: u64,
    total_samples: u64,
    /// Of the function's samples with what it called.
    share: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Code<'a> {
    function: &'a str,
    start: u64,
    size_bytes: u64,
    samples: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hottest_loop: Option<[u64; 2]>,
    instructions: Vec<Instruction<'a>>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    address: u64,
    text: &'a str,
    samples: u64,
    /// Of the samples in this code.
    share: f64,
    /// How many loops are around it.
    loop_depth: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

pub(super) fn page(
    profile: &Profile,
    annotation: &Annotation<'_>,
    options: &AnnotationOptions,
    source: &Source<'_>,
    notes: &[Warning],
) -> Result<String, Error> {
    let mut warnings = profile.warnings.clone();
    warnings.extend(notes.iter().cloned());
    if let Some(why) = missing_code(profile, annotation).filter(|_| options.instructions) {
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
        let shown = stretches(code, options.top, options.context).into_iter().flatten();
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
    let page = Page {
        schema: "calor/annotate/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: warnings
            .iter()
            .map(|it| Wire { code: &it.code, message: &it.message, count: it.count })
            .collect(),
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
    let text = serde_json::to_string_pretty(&page).map_err(std::io::Error::from)?;
    Ok(text + "\n")
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
