//! Our ids beside the reference's, on anything that Unicode allows and under every kind of model that is understood.

use std::sync::OnceLock;

use proptest::prelude::*;
use tokenizers::normalizers::NFC;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{SplitDelimiterBehavior, Tokenizer};

use super::*;
use crate::tokenizer::{Reference, Source};

/// The pattern of a well-known family of models, which has classes, counts and a look ahead.
const PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

fn trained() -> Tokenizer {
    static TRAINED: OnceLock<Tokenizer> = OnceLock::new();
    let train = || {
        let text = Source::new(5).text(1, 60_000);
        Reference::trained(&text, 1_200).expect("it can be trained").tokenizer().clone()
    };
    TRAINED.get_or_init(train).clone()
}

fn with_pre_tokenizer(parts: Vec<PreTokenizerWrapper>) -> Tokenizer {
    let mut tokenizer = trained();
    tokenizer.with_pre_tokenizer(Some(Sequence::new(parts)));
    tokenizer
}

fn split(behavior: SplitDelimiterBehavior, invert: bool) -> PreTokenizerWrapper {
    let pattern = SplitPattern::Regex(PATTERN.to_owned());
    PreTokenizerWrapper::Split(Split::new(pattern, behavior, invert).expect("it is a pattern"))
}

fn bytes(has_pattern: bool) -> PreTokenizerWrapper {
    PreTokenizerWrapper::ByteLevel(ByteLevel::new(false, true, has_pattern))
}

/// Models of every kind that is understood.
fn models() -> &'static [(Tokenizer, Vocabulary)] {
    static MODELS: OnceLock<Vec<(Tokenizer, Vocabulary)>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let mut prefixed = trained();
        prefixed.with_pre_tokenizer(Some(ByteLevel::new(true, true, true)));
        let mut normal = trained();
        normal.with_normalizer(Some(NFC)).expect("there are no added tokens");
        let mut wholes = trained();
        if let tokenizers::models::ModelWrapper::BPE(model) = wholes.get_model().clone() {
            let mut model = model;
            model.ignore_merges = true;
            wholes.with_model(model);
        }
        let tokenizers = vec![
            trained(),
            prefixed,
            normal,
            wholes,
            with_pre_tokenizer(vec![split(SplitDelimiterBehavior::Isolated, false), bytes(false)]),
            with_pre_tokenizer(vec![split(SplitDelimiterBehavior::Removed, true), bytes(false)]),
            with_pre_tokenizer(vec![Digits::new(true).into(), bytes(true)]),
            with_pre_tokenizer(vec![Digits::new(false).into(), bytes(true)]),
        ];
        let vocabulary = |tokenizer: &Tokenizer| Vocabulary::of(tokenizer).expect("it is understood");
        tokenizers.into_iter().map(|tokenizer| (tokenizer.clone(), vocabulary(&tokenizer))).collect()
    })
}

fn check(text: &str) {
    for (n, (tokenizer, vocabulary)) in models().iter().enumerate() {
        let expected = tokenizer.encode_fast(text, false).expect("the reference encodes anything");
        // Without a cache, with one that evicts all the time, and with room; twice, so that hits are seen as well.
        for room in [0, 3, 1_000] {
            let mut encoder = Encoder::new(vocabulary, room);
            for _ in 0..2 {
                let mut ids = Vec::new();
                encoder.encode(text, &mut ids);
                assert_eq!(ids, expected.get_ids(), "model {n}, cache of {room}: {text:?}");
            }
        }
    }
}

#[test]
fn ids_are_those_of_the_reference_on_text_that_is_made_up() {
    crate::tokenizer::input::pieces(&Source::new(8).text(3, 20_000), 1_500).into_iter().for_each(check);
}

#[test]
fn ids_are_those_of_the_reference_where_words_end_oddly() {
    for text in [
        "",
        " ",
        "  ",
        "\n",
        " \n ",
        "a ",
        " a",
        "  a",
        "'",
        "''s",
        " 's",
        "'S",
        "it's",
        "'re're",
        "\u{a0}a",
        "a\u{a0}\u{a0}b",
        "\u{3000}中",
        "1 2  3",
        "½²",
        "e\u{301}",
        "\u{301}",
        "\u{feff}x",
        "\u{0}\u{1}",
        "\r\n\r\n",
        "x\r\n",
        "...  !",
        "\u{1f469}\u{200d}\u{1f4bb}",
        "\u{1100}\u{1161}\u{11a8}",
        "\u{212b}",
        "123456789",
        "a1b22c333",
    ] {
        check(text);
    }
    // Beyond the words that are scanned, and beyond those that are kept.
    check(&"ab".repeat(400));
    check(&"the".repeat(90));
    check(&" ".repeat(300));
    check(&"é".repeat(500));
}

#[test]
fn counts_are_of_what_was_done() {
    let (_, vocabulary) = &models()[0];
    let (mut encoder, mut ids, mut counts) = (Encoder::new(vocabulary, 2), Vec::new(), Counts::default());
    encoder.encode_counted("one one two three one.", &mut ids, &mut counts);
    assert_eq!((counts.words, counts.bytes, counts.tokens), (6, 22, ids.len() as u64));
    // "one" and " one" are different words; of the last " one" nothing is known any more; "." needs no cache.
    assert_eq!((counts.hits, counts.misses, counts.evictions), (0, 5, 3));
    assert_eq!(counts.merges, counts.bytes - counts.tokens);
    assert_eq!(counts.byte_lookups, counts.bytes);
    assert_eq!(counts.whole_lookups, 0);
    let mut again = Counts::default();
    let mut roomy = Encoder::new(&models()[3].1, 100);
    roomy.encode_counted("of of of", &mut Vec::new(), &mut again);
    assert_eq!((again.hits, again.misses, again.whole_lookups), (1, 2, 2));
}

#[test]
fn a_cache_with_room_for_the_words_of_a_text_has_them_all_when_it_comes_again() {
    let text = Source::new(9).text(2, 20_000);
    for (_, ours) in models() {
        let mut words = std::collections::HashSet::new();
        ours.each_word(&text, |word| {
            words.insert(word.to_vec());
        });
        let mut encoder = Encoder::new(ours, words.len());
        let [mut first, mut second] = [Counts::default(); 2];
        encoder.encode_counted(&text, &mut Vec::new(), &mut first);
        encoder.encode_counted(&text, &mut Vec::new(), &mut second);
        assert!(first.misses > 0 && first.evictions == 0, "{first:?}");
        assert_eq!((second.misses, second.hits), (0, first.hits + first.misses));
    }
}

#[test]
fn what_is_not_understood_is_said() {
    let why = |tokenizer: &Tokenizer| Vocabulary::of(tokenizer).expect_err("it is not understood");
    let mut plain = trained();
    plain.with_pre_tokenizer(None::<PreTokenizerWrapper>);
    assert!(why(&plain).contains("no pre-tokeniser"));
    assert!(why(&with_pre_tokenizer(vec![bytes(true), Digits::new(true).into()])).contains("ByteLevel"));
    let merged = split(SplitDelimiterBehavior::MergedWithNext, false);
    assert!(why(&with_pre_tokenizer(vec![merged, bytes(false)])).contains("Split"));
    let other = tokenizers::pre_tokenizers::whitespace::Whitespace {};
    assert!(why(&with_pre_tokenizer(vec![other.into(), bytes(false)])).contains("(Whitespace)"));
    let mut lower = trained();
    lower.with_normalizer(Some(tokenizers::normalizers::Lowercase)).expect("there are no added tokens");
    assert!(why(&lower).contains("normaliser"));
    let mut dropped = trained();
    if let tokenizers::models::ModelWrapper::BPE(mut model) = dropped.get_model().clone() {
        model.dropout = Some(0.1);
        dropped.with_model(model);
    }
    assert!(why(&dropped).contains("dropout"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn ids_are_those_of_the_reference_on_any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn and_on_words_signs_spaces_and_marks_in_any_order(
        parts in prop::collection::vec(
            prop_oneof![
                "[a-zA-Z]{1,12}", " {1,3}", "[0-9]{1,5}", "\\PC{1,3}", "\\s{1,3}", "['’][a-z]{0,2}", "\\p{L}{1,4}", "\\p{M}{1,2}",
                "\\p{N}{1,3}", "[a-f]{100,150}",
            ],
            0..12,
        ),
    ) {
        check(&parts.concat());
    }
}
