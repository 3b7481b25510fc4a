//! Where the time goes, in passes of their own. The crate's stages are called one by one as its `encode_fast` calls them, with
//! clocks in between. Ours are told by differences: cutting alone, then with a cache that has all words, then with the usual one.

use std::hint::black_box;

use calor_report::bench::{Figure, Params};
use tokenizers::{Model, OffsetType, PreTokenizer, Tokenizer};

use super::Measured;
use crate::Error;
use crate::clock::thread_nanos;
use crate::repeat::{Times, timed};
use crate::tokenizer::bed::{Bed, Side, case, params, site};
use crate::tokenizer::bpe::Vocabulary;
use crate::tokenizer::measure::throughput::our_rate;
use crate::tokenizer::reference::CRATE_CACHE;

/// A cache with room for all words of any text that is measured.
const ROOMY: usize = 1 << 20;

/// A part of the way from text to ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::tokenizer) enum Stage {
    Normalise,
    PreTokenise,
    /// Finding words in the cache, and tokens in the vocabulary.
    Lookup,
    /// Words that are not in the cache.
    Merges,
    /// Both, where they cannot be told apart.
    Model,
    /// Gathering ids.
    Gather,
    Post,
}

impl Stage {
    pub(in crate::tokenizer) const fn name(self) -> &'static str {
        match self {
            Self::Normalise => "normalise",
            Self::PreTokenise => "pre-tokenise",
            Self::Lookup => "lookup",
            Self::Merges => "merges",
            Self::Model => "model",
            Self::Gather => "gather ids",
            Self::Post => "post-process",
        }
    }
}

/// What a stage takes.
#[derive(Clone, Debug)]
pub(in crate::tokenizer) struct Staged {
    pub side: Side,
    pub stage: Stage,
    /// ns for each byte of text.
    pub cost: Figure,
    /// Its part of all stages of this side.
    pub share: f64,
}

pub(in crate::tokenizer) fn measure(bed: &Bed<'_>, measured: &mut Measured) {
    if !bed.goes_on("tokenizers: stages") {
        return;
    }
    // What fails here was encoded before, so it does not; and without it there are no stages.
    if let Ok(stages) = crate_stages(bed) {
        add(bed, Side::Crate, stages, measured);
    }
    if let Some(ours) = bed.ours
        && bed.goes_on("calor: stages")
    {
        add(bed, Side::Ours, our_stages(bed, ours), measured);
    }
}

fn add(bed: &Bed<'_>, side: Side, stages: Vec<(Stage, Option<Figure>)>, measured: &mut Measured) {
    let stages: Vec<(Stage, Figure)> =
        stages.into_iter().filter_map(|(stage, cost)| Some((stage, cost?))).collect();
    let total: f64 = stages.iter().map(|(_, cost)| cost.median).sum();
    measured.stages.extend(stages.into_iter().filter_map(|(stage, cost)| {
        let share = if total > 0.0 { cost.median / total } else { 0.0 };
        Some(Staged { side, stage, cost: bed.marked(side, Some(cost))?, share })
    }));
}

/// Nanoseconds of one pass of the crate, stage by stage.
#[derive(Clone, Copy, Default)]
struct Pass {
    normalise: u64,
    pre_tokenise: u64,
    model: u64,
    gather: u64,
    post: u64,
}

fn crate_stages(bed: &Bed<'_>) -> Result<Vec<(Stage, Option<Figure>)>, Error> {
    let passes = |tokenizer: &Tokenizer| -> Result<Vec<Pass>, Error> {
        let whole = site(Side::Crate, "stages", &[], (bed.text.len(), bed.n_tokens));
        // The first fills the cache.
        crate_pass(tokenizer, &bed.documents)?;
        (0..bed.choice.plan.least)
            .map(|_| {
                let _scope = calor::Scope::enter(whole);
                crate_pass(tokenizer, &bed.documents)
            })
            .collect()
    };
    let usual = passes(bed.reference.tokenizer())?;
    let figure = |stage, passes: &[Pass], nanos: fn(&Pass) -> u64| {
        let values: Vec<f64> = passes.iter().map(|pass| nanos(pass) as f64 / bed.text.len() as f64).collect();
        Figure::of(case(Side::Crate, "stage"), of(stage), "ns/byte", &values)
    };
    let model = figure(Stage::Model, &usual, |pass| pass.model);
    let mut stages = vec![
        (Stage::Normalise, figure(Stage::Normalise, &usual, |pass| pass.normalise)),
        (Stage::PreTokenise, figure(Stage::PreTokenise, &usual, |pass| pass.pre_tokenise)),
    ];
    match bed.reference.with_cache(ROOMY) {
        Some(roomy) => {
            let lookup = figure(Stage::Lookup, &passes(&roomy)?, |pass| pass.model);
            let merges = more(Side::Crate, Stage::Merges, model.as_ref(), lookup.as_ref());
            stages.extend([(Stage::Lookup, lookup), (Stage::Merges, merges)]);
        }
        None => stages.push((Stage::Model, model)),
    }
    stages.push((Stage::Gather, figure(Stage::Gather, &usual, |pass| pass.gather)));
    stages.push((Stage::Post, figure(Stage::Post, &usual, |pass| pass.post)));
    Ok(stages)
}

fn crate_pass(tokenizer: &Tokenizer, documents: &[&str]) -> Result<Pass, Error> {
    let failed = |cause| Error::Failed(format!("the tokeniser cannot encode this text ({cause})"));
    let mut pass = Pass::default();
    for document in documents {
        let begin = thread_nanos();
        let mut pieces = {
            calor::scope!("normalise");
            tokenizer.get_added_vocabulary().extract_and_normalize(tokenizer.get_normalizer(), document)
        };
        let normalised = thread_nanos();
        if let Some(pre_tokenizer) = tokenizer.get_pre_tokenizer() {
            calor::scope!("pre-tokenise");
            pre_tokenizer.pre_tokenize(&mut pieces).map_err(failed)?;
        }
        let cut = thread_nanos();
        {
            calor::scope!("model");
            tokenizer.get_model().tokenize_in_pretokenized(&mut pieces, None).map_err(failed)?;
        }
        let merged = thread_nanos();
        let encoding = {
            calor::scope!("gather ids");
            pieces.into_encoding(None, 0, OffsetType::None).map_err(failed)?
        };
        let gathered = thread_nanos();
        {
            calor::scope!("post-process");
            black_box(tokenizer.post_process(encoding, None, false).map_err(failed)?);
        }
        pass.normalise += normalised - begin;
        pass.pre_tokenise += cut - normalised;
        pass.model += merged - cut;
        pass.gather += gathered - merged;
        pass.post += thread_nanos() - gathered;
    }
    Ok(pass)
}

fn our_stages(bed: &Bed<'_>, ours: &Vocabulary) -> Vec<(Stage, Option<Figure>)> {
    let Bed { documents, choice, .. } = bed;
    let at = |what| site(Side::Ours, what, &[], (bed.text.len(), bed.n_tokens));
    let figure = |stage, times: &Times| {
        times.figure(case(Side::Ours, "stage"), of(stage), "ns/byte", |nanos| nanos / bed.text.len() as f64)
    };
    let normalise = timed(at("normalise"), &choice.plan, || {
        documents.iter().for_each(|document| {
            black_box(ours.normalized_len(document));
        });
    });
    let mut ends = Vec::new();
    let split = timed(at("split"), &choice.plan, || {
        for document in documents {
            ends.clear();
            ours.split(document, &mut ends);
            black_box(&ends);
        }
    });
    let roomy = our_rate(ours, ROOMY, documents, at("encode, all words cached"), &choice.plan);
    let usual = our_rate(ours, CRATE_CACHE, documents, at("encode, usual cache"), &choice.plan);
    let normalise = figure(Stage::Normalise, &normalise);
    let [split, roomy, usual] = [split, roomy, usual].map(|times| figure(Stage::Model, &times));
    let more = |stage, all: &Option<Figure>, part: &Option<Figure>| {
        more(Side::Ours, stage, all.as_ref(), part.as_ref())
    };
    vec![
        (Stage::PreTokenise, more(Stage::PreTokenise, &split, &normalise)),
        (Stage::Lookup, more(Stage::Lookup, &roomy, &split)),
        (Stage::Merges, more(Stage::Merges, &usual, &roomy)),
        (Stage::Normalise, normalise),
    ]
}

/// What `all` takes beyond `part`, at least nothing: a difference of medians, as wide as both intervals allow.
fn more(side: Side, stage: Stage, all: Option<&Figure>, part: Option<&Figure>) -> Option<Figure> {
    let (all, part) = (all?, part?);
    let beyond = |all: f64, part: f64| (all - part).max(0.0);
    Some(Figure {
        case: case(side, "stage"),
        params: of(stage),
        unit: "ns/byte".to_owned(),
        median: beyond(all.median, part.median),
        low: beyond(all.low, part.high),
        high: beyond(all.high, part.low),
        n: all.n.min(part.n),
        verified: None,
    })
}

fn of(stage: Stage) -> Params {
    params([("stage", stage.name().into())])
}
