//! Prose of made-up words. What makes prose compressible is here: few words that are frequent and many that are rare, phrases
//! that come again, names that come in one part and not in others, sentences and paragraphs.

use super::frequent;
use crate::Random;

/// The most frequent words of English, by and large; the others are made up.
const FREQUENT: &str = "the of and to in a is that for it as was with be by on not he his but at are this have from or \
                        had an they which one you were all her she there would their we him been has when who will no \
                        more if out so up said what its about than into them can only other time new some could these";

const SYLLABLES: &[&str] = &[
    "an", "ber", "ca", "con", "de", "di", "en", "er", "es", "fi", "for", "ga", "gen", "ha", "in", "is", "ka",
    "la", "le", "li", "lo", "man", "mi", "mo", "na", "no", "or", "pa", "per", "pro", "ra", "re", "ri", "ro",
    "sa", "se", "si", "so", "sta", "ta", "te", "ter", "ti", "tion", "to", "tra", "u", "va", "ven", "ver",
    "vi",
];

const N_WORDS: usize = 12_000;
const N_PHRASES: usize = 600;
/// Words that one part of the text is about.
const N_TOPIC: usize = 24;
const SENTENCES_OF_TOPIC: usize = 40;

pub(super) fn write(random: &mut Random, out: &mut Vec<u8>, length: usize) {
    let mut words: Vec<String> = FREQUENT.split_whitespace().map(str::to_owned).collect();
    while words.len() < N_WORDS {
        let n_syllables = 2 + random.below(3);
        words.push((0..n_syllables).map(|_| *frequent(random, SYLLABLES)).collect());
    }
    let phrases: Vec<String> = (0..N_PHRASES)
        .map(|_| {
            let n_words = 2 + random.below(3);
            (0..n_words).map(|_| frequent(random, &words).as_str()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let mut topic: Vec<String> = Vec::new();
    let mut n_sentences = 0;
    while out.len() < length {
        if n_sentences % SENTENCES_OF_TOPIC == 0 {
            topic = (0..N_TOPIC).map(|_| words[random.below(N_WORDS as u32) as usize].clone()).collect();
        }
        n_sentences += 1;
        sentence(random, out, [&words, &phrases, &topic]);
        let end: &[u8] = if random.below(7) == 0 { b"\n\n" } else { b" " };
        out.extend_from_slice(end);
    }
}

fn sentence(random: &mut Random, out: &mut Vec<u8>, [words, phrases, topic]: [&[String]; 3]) {
    let begin = out.len();
    let n_words = 5 + random.below(18);
    for at in 0..n_words {
        if at > 0 {
            let between: &[u8] = if random.below(12) == 0 { b", " } else { b" " };
            out.extend_from_slice(between);
        }
        let source = match random.below(10) {
            0 => phrases,
            1..=2 => topic,
            _ => words,
        };
        out.extend_from_slice(frequent(random, source).as_bytes());
    }
    out[begin].make_ascii_uppercase();
    out.push(if random.below(20) == 0 { b'?' } else { b'.' });
}
