//! The alphabets and sounds of the languages. Only letters are real.

/// How a language is written.
#[derive(Debug)]
pub(super) struct Script {
    /// How often a document is in it, among the others.
    pub weight: u32,
    /// Words that its speakers know.
    pub n_words: usize,
    pub sounds: Sounds,
    /// Between words, after a sentence, within one.
    pub space: &'static str,
    pub stop: &'static str,
    pub comma: &'static str,
    pub is_cased: bool,
    /// Whether `'s` and its kind are used.
    pub is_contracted: bool,
}

/// What words are made of.
#[derive(Debug)]
pub(super) enum Sounds {
    /// Syllables of a beginning, a middle and an end, each of which may be empty.
    Syllables { begin: &'static str, middle: &'static str, end: &'static str },
    /// Characters that are words or parts of them: so many from the first on.
    Characters { first: u32, n: u32 },
}

use Sounds::{Characters, Syllables};

/// The languages. Sounds are separated by spaces; `-` is none.
pub(super) const SCRIPTS: [Script; 8] = [
    Script {
        weight: 62,
        n_words: 30_000,
        sounds: Syllables {
            begin: "- - b c d f g h l m n p r s t w th st pr tr ch sh br cl gr pl v k j qu sp fr",
            middle: "a e i o u a e i o e ea ou ai ee oo y",
            end: "- - - n r s t l d ng st nd ck m p sh rt nt ll",
        },
        space: " ",
        stop: ".",
        comma: ",",
        is_cased: true,
        is_contracted: true,
    },
    Script {
        weight: 12,
        n_words: 15_000,
        sounds: Syllables {
            begin: "- b d f g h k l m n p r s t v w z sch str pf gr kl ç ñ",
            middle: "a e i o u ä ö ü é è à ê ei ie au eu ô î",
            end: "- - n r s t l ch nd ng ß cht rt m en er",
        },
        space: " ",
        stop: ".",
        comma: ",",
        is_cased: true,
        is_contracted: false,
    },
    Script {
        weight: 9,
        n_words: 12_000,
        sounds: Syllables {
            begin: "- б в г д ж з к л м н п р с т х ч ш пр ст кр",
            middle: "а е и о у ы я ю ё",
            end: "- - й л н р с т ть м ем ый ост",
        },
        space: " ",
        stop: ".",
        comma: ",",
        is_cased: true,
        is_contracted: false,
    },
    Script {
        weight: 4,
        n_words: 6_000,
        sounds: Syllables {
            begin: "- β γ δ ζ θ κ λ μ ν π ρ σ τ φ χ ψ στ πρ",
            middle: "α ε η ι ο υ ω ά έ ή ί ό ύ ώ αι ει ου",
            end: "- - ν ς ς ρ λ",
        },
        space: " ",
        stop: ".",
        comma: ",",
        is_cased: true,
        is_contracted: false,
    },
    Script {
        weight: 5,
        n_words: 3_000,
        sounds: Characters { first: 0x4e00, n: 2_500 },
        space: "",
        stop: "。",
        comma: "，",
        is_cased: false,
        is_contracted: false,
    },
    Script {
        weight: 3,
        n_words: 4_000,
        sounds: Characters { first: 0xac00, n: 1_800 },
        space: " ",
        stop: ".",
        comma: ",",
        is_cased: false,
        is_contracted: false,
    },
    Script {
        weight: 3,
        n_words: 4_000,
        sounds: Syllables {
            begin: "ا ب ت ث ج ح خ د ر ز س ش ص ط ع ف ق ك ل م ن ه و ي",
            middle: "- ا و ي - -",
            end: "- - ن ر م ل ة ت",
        },
        space: " ",
        stop: ".",
        comma: "،",
        is_cased: false,
        is_contracted: false,
    },
    Script {
        weight: 2,
        n_words: 4_000,
        sounds: Syllables {
            begin: "अ आ इ क ख ग च ज ट ड त द न प ब भ म य र ल व स ह प्र स्त",
            middle: "- - ा ि ी ु े ो ं",
            end: "- - न र ल त म",
        },
        space: " ",
        stop: "।",
        comma: ",",
        is_cased: false,
        is_contracted: false,
    },
];
