//! Where the time goes, in passes of their own. The crate's stages are called one by one as its `encode_fast` calls them, with
//! clocks in between. Ours are told by differences: cutting alone, then with a cache that has all words, then with the usual one.
//! All of it is the thread's CPU time, and passes whose difference is told take turns: a processor that is shared, or changes its
//! pace, is as slow for both, and a difference of one round is of one moment.

use std::collections::HashSet;
use std::hint::black_box;

use calor_analysis::quantity::percent;
use calor_report::bench::{Figure, Params};
use tokenizers::{Model, OffsetType, PreTokenizer, Tokenizer};

use super::Measured;
use crate::Error;
use crate::clock::thread_nanos;
use crate::repeat::{Clock, Times, Way, interleaved};
use crate::tokenizer::bed::{Bed, Side, case, params, site};
use crate::tokenizer::bpe::{Encoder, Vocabulary};
use crate::tokenizer::measure::throughput::{FAST, OURS};
use crate::tokenizer::reference::CRATE_CACHE;

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
    /// Its part of all stages of this side; `None` where the parts do not make up the whole, or differ too much from round to
    /// round for a share.
    pub share: Option<f64>,
}

/// Parts whose sum is farther from the whole than this do not tell where the time of the whole goes.
const OFF: f64 = 0.1;
/// A stage whose cost is not known better than within this part of all has no share.
const WIDE: f64 = 0.2;

/// Why the shares of a side are not known; `None` where they are.
pub(in crate::tokenizer) fn unknown_shares(stages: &[(Stage, Figure)], whole: Option<f64>) -> Option<String> {
    let total: f64 = stages.iter().map(|(_, cost)| cost.median).sum();
    if total <= 0.0 {
        return Some("the clock saw no time pass".to_owned());
    }
    if let Some(whole) = whole
        && (total / whole - 1.0).abs() > OFF
    {
        let part = percent(total / whole);
        return Some(format!(
            "its stages add up to {part} of encoding measured whole: the processor was not as quick all the time, as when others use it too"
        ));
    }
    let (stage, cost) = stages.iter().find(|(_, cost)| cost.high - cost.low > WIDE * total)?;
    Some(format!(
        "`{}` took {:.1} to {:.1} ns for each byte from one round to another",
        stage.name(),
        cost.low,
        cost.high
    ))
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
    let call = if side == Side::Crate { FAST } else { OURS };
    let whole = measured.rate(side, call).map(|megabytes| 1e3 / megabytes);
    let unknown = unknown_shares(&stages, whole);
    let total: f64 = stages.iter().map(|(_, cost)| cost.median).sum();
    measured.stages.extend(stages.into_iter().filter_map(|(stage, cost)| {
        let share = unknown.is_none().then(|| cost.median / total);
        Some(Staged { side, stage, cost: bed.marked(side, Some(cost))?, share })
    }));
    measured.unknown_shares.extend(unknown.map(|why| (side, why)));
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

/// A pass with the usual cache, and beside it, where there is a cache of that kind, one with room for all words.
type Both = (Pass, Option<Pass>);

fn crate_stages(bed: &Bed<'_>) -> Result<Vec<(Stage, Option<Figure>)>, Error> {
    let whole = site(Side::Crate, "stages", &[], (bed.text.len(), bed.n_tokens));
    let (usual, roomy) = (bed.reference.tokenizer(), bed.reference.with_cache(n_words(bed)));
    let mut passes: Vec<Both> = Vec::new();
    for round in 0..=bed.choice.plan.least {
        let pass = |tokenizer: &Tokenizer| {
            let _scope = (round > 0).then(|| calor::Scope::enter(whole));
            crate_pass(tokenizer, &bed.documents)
        };
        let both = (pass(usual)?, roomy.as_ref().map(pass).transpose()?);
        // The first fills the caches.
        if round > 0 {
            passes.push(both);
        }
    }
    let figure = |stage, nanos: &dyn Fn(&Both) -> u64| {
        let values: Vec<f64> = passes.iter().map(|both| nanos(both) as f64 / bed.text.len() as f64).collect();
        (stage, Figure::of(case(Side::Crate, "stage"), of(stage), "ns/byte", &values))
    };
    let lookup = |(usual, roomy): &Both| roomy.map_or(usual.model, |roomy| roomy.model);
    let mut stages = vec![
        figure(Stage::Normalise, &|(usual, _)| usual.normalise),
        figure(Stage::PreTokenise, &|(usual, _)| usual.pre_tokenise),
    ];
    if roomy.is_some() {
        stages.push(figure(Stage::Lookup, &lookup));
        let merges = difference(
            passes.iter().map(|both| (both.0.model, lookup(both))),
            Side::Crate,
            Stage::Merges,
            bed.text.len(),
        );
        stages.push((Stage::Merges, merges));
    } else {
        stages.push(figure(Stage::Model, &|(usual, _)| usual.model));
    }
    stages.push(figure(Stage::Gather, &|(usual, _)| usual.gather));
    stages.push(figure(Stage::Post, &|(usual, _)| usual.post));
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
    let mut normalise = || {
        for document in documents {
            black_box(ours.normalized_len(document));
        }
    };
    let mut ends = Vec::new();
    let mut split = || {
        for document in documents {
            ends.clear();
            ours.split(document, &mut ends);
            black_box(&ends);
        }
    };
    let encode = |room| {
        let (mut encoder, mut ids) = (Encoder::new(ours, room), Vec::new());
        move || {
            for document in documents {
                ids.clear();
                encoder.encode(document, &mut ids);
                black_box(&ids);
            }
        }
    };
    let (mut roomy, mut usual) = (encode(n_words(bed)), encode(CRATE_CACHE));
    let ways: &mut [Way<'_>] = &mut [
        (at("normalise"), &mut normalise),
        (at("split"), &mut split),
        (at("encode, all words cached"), &mut roomy),
        (at("encode, usual cache"), &mut usual),
    ];
    let times = interleaved(Clock::Cpu, ways, &choice.plan);
    let [normalise, split, roomy, usual] = times.as_slice() else { return Vec::new() };
    let more = |stage, all: &Times, part: &Times| {
        let pairs = all.cpu_ns.iter().copied().zip(part.cpu_ns.iter().copied());
        (stage, difference(pairs, Side::Ours, stage, bed.text.len()))
    };
    let figure = normalise.figure(case(Side::Ours, "stage"), of(Stage::Normalise), "ns/byte", |nanos| {
        nanos / bed.text.len() as f64
    });
    vec![
        more(Stage::PreTokenise, split, normalise),
        more(Stage::Lookup, roomy, split),
        more(Stage::Merges, usual, roomy),
        (Stage::Normalise, figure),
    ]
}

/// Room for all words of the text and hardly more: a table that is mostly empty is spread over more memory than the usual one, and
/// looking something up in it takes up to twice as long.
fn n_words(bed: &Bed<'_>) -> usize {
    let mut words = HashSet::new();
    for document in &bed.documents {
        match bed.ours {
            Some(ours) => ours.each_word(document, |word| {
                words.insert(word.to_vec());
            }),
            // How others cut is not known: a word and what is beside it are two at most.
            None => words.extend(document.split_whitespace().flat_map(|word| {
                let word = word.as_bytes();
                [word.to_vec(), word[..word.len() / 2].to_vec()]
            })),
        }
    }
    words.len()
}

/// What one way takes beyond another, at least nothing: the median over rounds of the difference within a round.
fn difference(
    pairs: impl Iterator<Item = (u64, u64)>,
    side: Side,
    stage: Stage,
    bytes: usize,
) -> Option<Figure> {
    let values: Vec<f64> = pairs.map(|(all, part)| (all as f64 - part as f64) / bytes as f64).collect();
    let mut figure = Figure::of(case(side, "stage"), of(stage), "ns/byte", &values)?;
    for value in [&mut figure.median, &mut figure.low, &mut figure.high] {
        *value = value.max(0.0);
    }
    Some(figure)
}

fn of(stage: Stage) -> Params {
    params([("stage", stage.name().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(stage: Stage, low: f64, median: f64, high: f64) -> (Stage, Figure) {
        let figure = Figure::of("stage", of(stage), "ns/byte", &[median]).expect("there is a value");
        (stage, Figure { low, high, ..figure })
    }

    #[test]
    fn shares_are_not_told_where_the_parts_are_not_the_whole_or_differ_from_round_to_round() {
        let steady = [cost(Stage::Lookup, 3.9, 4.0, 4.1), cost(Stage::Merges, 5.9, 6.0, 6.1)];
        assert_eq!(unknown_shares(&steady, Some(10.0)), None);
        assert_eq!(unknown_shares(&steady, Some(10.5)), None);
        assert_eq!(unknown_shares(&steady, None), None);
        let why = unknown_shares(&steady, Some(8.0)).expect("a quarter is too much");
        assert!(why.contains("add up to 125.0 % of encoding measured whole"), "{why}");
        let wide = [cost(Stage::Lookup, 3.9, 4.0, 4.1), cost(Stage::Merges, 1.0, 6.0, 9.0)];
        let why = unknown_shares(&wide, Some(10.0)).expect("it is too wide");
        assert!(why.contains("`merges` took 1.0 to 9.0 ns"), "{why}");
    }

    #[test]
    fn a_difference_is_that_of_rounds_and_never_below_nothing() {
        // The second round was twice as slow for both: the difference of medians would be 1.5 beside 2.
        let pairs = [(4_000, 2_000), (8_000, 4_000), (4_100, 2_100)];
        let found = difference(pairs.into_iter(), Side::Ours, Stage::Merges, 1_000).expect("three rounds");
        assert_eq!((found.median, found.low, found.high), (2.0, 2.0, 4.0));
        let none = difference([(1, 2)].into_iter(), Side::Ours, Stage::Merges, 1).expect("a round");
        assert_eq!(none.median, 0.0);
    }
}
