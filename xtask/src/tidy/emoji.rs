//! Pages and comments are plain text. Strings in code may hold any character: profiles contain what users write.

use super::Problem;
use crate::repository::Repository;

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in &repository.files {
        let is_page = file.has_extension(&["md"]);
        let is_code = file.has_extension(&["rs", "py", "js"]);
        for (number, line) in file.lines() {
            let is_comment =
                is_code && ["//", "#", "*"].iter().any(|mark| line.trim_start().starts_with(mark));
            if (is_page || is_comment)
                && let Some(emoji) = line.chars().find(|&c| is_emoji(c))
            {
                let code_point = u32::from(emoji);
                problems.push(Problem::new(
                    &file.path,
                    number,
                    format!("an emoji (U+{code_point:04X}): use a word"),
                ));
            }
        }
    }
}

fn is_emoji(c: char) -> bool {
    match u32::from(c) {
        // Check mark and cross as tables use them, from the block of symbols that is mostly emoji.
        0x2713 | 0x2717 => false,
        code_point => matches!(code_point, 0x2600..=0x27BF | 0x2B50 | 0x2B55 | 0xFE0F | 0x1F000..=0x1FAFF),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn an_emoji_is_told_in_pages_and_comments_and_allowed_in_strings() {
        let rocket = "\u{1F680}";
        let page = format!("fine \u{2713} \u{2192}\nfast {rocket}\n");
        let code = format!("let name = \"{rocket}\";\n/// Fast {rocket}\n");
        let expect = ["a.md:2: an emoji (U+1F680)", "a.rs:2: an emoji (U+1F680)"];
        check_rule(check, &[("a.md", &page), ("a.rs", &code)], &expect);
    }
}
