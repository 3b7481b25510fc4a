//! Paragraphs of sentences.

use super::lexicon::Lexicon;
use super::script::Script;
use crate::Random;

const CONTRACTIONS: [&str; 8] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'s"];
const ENDS: [&str; 6] = ["!", "?", "...", ":", "?!", " 😀"];

/// A document of some paragraphs.
pub(super) fn prose(script: &Script, lexicon: &Lexicon, random: &mut Random, text: &mut String) {
    for _ in 0..1 + random.below(4) {
        for n in 0..1 + random.below(7) {
            if n > 0 {
                // A tenth of all writers put two spaces after a sentence.
                text.push_str(if random.below(10) == 0 { "  " } else { script.space });
            }
            sentence(script, lexicon, random, text);
        }
        text.push_str(if random.below(3) == 0 { "\n" } else { "\n\n" });
    }
}

fn sentence(script: &Script, lexicon: &Lexicon, random: &mut Random, text: &mut String) {
    for n in 0..3 + random.below(18) {
        if n > 0 {
            text.push_str(if random.below(12) == 0 { script.comma } else { "" });
            text.push_str(script.space);
        }
        match random.below(60) {
            0 => number(random, text),
            1 => {
                text.push('"');
                lexicon.push_word(random, text);
                text.push('"');
            }
            2 if script.is_contracted => {
                lexicon.push_word(random, text);
                text.push_str(CONTRACTIONS[random.below(CONTRACTIONS.len() as u32) as usize]);
            }
            _ => {
                let start = text.len();
                lexicon.push_word(random, text);
                if script.is_cased && (n == 0 || random.below(25) == 0) {
                    capitalize(text, start);
                }
            }
        }
    }
    let end = random.below(12) as usize;
    text.push_str(ENDS.get(end).copied().unwrap_or(script.stop));
}

fn capitalize(text: &mut String, start: usize) {
    let Some(first) = text[start..].chars().next() else { return };
    let upper: String = first.to_uppercase().collect();
    text.replace_range(start..start + first.len_utf8(), &upper);
}

/// A year, a price, a share or a plain number.
fn number(random: &mut Random, text: &mut String) {
    let written = match random.below(4) {
        0 => (1_850 + random.below(190)).to_string(),
        1 => format!("{}.{:02}", random.below(500), random.below(100)),
        2 => format!("{}%", random.below(101)),
        _ => random.below(100_000).to_string(),
    };
    text.push_str(&written);
}
