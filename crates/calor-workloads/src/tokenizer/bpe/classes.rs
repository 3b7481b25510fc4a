//! Letters, numbers and white space as patterns of tokenisers mean them (`\p{L}`, `\p{N}`, `\s`), a table look-up each.
//! The table is asked once of the same regular expressions that the reference uses, so both know the same version of
//! Unicode; `char::is_alphabetic` means something else than `\p{L}`.

use std::sync::OnceLock;

use tokenizers::utils::SysRegex;

/// What a character is to the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Letter,
    Number,
    Space,
    Other,
}

/// Letters and numbers end far below: planes from 4 on are empty, private, or tags.
const N_CHARACTERS: u32 = 0x4_0000;

/// Characters in a block; blocks that are equal are kept once.
const BLOCK: usize = 256;

/// The class of every character.
#[derive(Debug)]
pub(super) struct Classes {
    ascii: [Class; 128],
    block_of: Box<[u16]>,
    blocks: Vec<[Class; BLOCK]>,
}

impl Classes {
    /// The table, made when it is first asked for: some milliseconds.
    pub(super) fn get() -> &'static Self {
        static CLASSES: OnceLock<Classes> = OnceLock::new();
        CLASSES.get_or_init(Self::made)
    }

    /// The class of a character.
    #[inline]
    pub(super) fn of(&self, c: char) -> Class {
        let code = c as usize;
        match self.ascii.get(code) {
            Some(class) => *class,
            None => match self.block_of.get(code / BLOCK) {
                Some(&block) => self.blocks[usize::from(block)][code % BLOCK],
                None => Class::Other,
            },
        }
    }

    fn made() -> Self {
        let mut classes = vec![Class::Other; N_CHARACTERS as usize];
        let every: String = (0..N_CHARACTERS).filter_map(char::from_u32).collect();
        let patterns = [(r"\p{L}+", Class::Letter), (r"\p{N}+", Class::Number), (r"\s+", Class::Space)];
        for (pattern, class) in patterns {
            let pattern = SysRegex::new(pattern).expect("it is a pattern without anything special");
            for (start, end) in pattern.find_iter(&every) {
                every[start..end].chars().for_each(|c| classes[c as usize] = class);
            }
        }
        let mut blocks: Vec<[Class; BLOCK]> = Vec::new();
        let block_of = classes.as_chunks::<BLOCK>().0.iter().map(|block| {
            let known = blocks.iter().position(|earlier| earlier == block);
            known.unwrap_or_else(|| {
                blocks.push(*block);
                blocks.len() - 1
            }) as u16
        });
        Self { block_of: block_of.collect(), ascii: std::array::from_fn(|code| classes[code]), blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_what_patterns_take_them_for() {
        let of = |c| Classes::get().of(c);
        for letter in ['a', 'Z', 'é', 'ß', 'д', 'λ', '中', 'か', 'ه', 'क', '\u{1d49c}', 'ª'] {
            assert_eq!(of(letter), Class::Letter, "{letter}");
        }
        for number in ['0', '٣', '½', 'Ⅷ', '²', '𝟘'] {
            assert_eq!(of(number), Class::Number, "{number}");
        }
        for space in [' ', '\n', '\t', '\u{a0}', '\u{3000}', '\u{85}', '\u{2028}'] {
            assert_eq!(of(space), Class::Space, "{space:?}");
        }
        // Marks are no letters here, though they are alphabetic to `char`.
        for other in ['.', '_', '\'', '\u{93f}', '\u{301}', '😀', '\u{200b}', '\0', '\u{e0001}', '\u{10ffff}']
        {
            assert_eq!(of(other), Class::Other, "{other:?}");
        }
    }
}
