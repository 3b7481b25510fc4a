//! Whether an expression of licences, as packages write them, is met by licences that are allowed.

/// `None` where the expression makes no sense. `/` is an older way to write `OR`.
pub(super) fn is_met(expression: &str, is_allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (met, rest) = any(&words, is_allowed)?;
    rest.is_empty().then_some(met)
}

/// What is read so far, and the words behind it.
type Read<'w> = Option<(bool, &'w [&'w str])>;

fn any<'w>(words: &'w [&'w str], is_allowed: &dyn Fn(&str) -> bool) -> Read<'w> {
    let (mut met, mut rest) = all(words, is_allowed)?;
    while let Some(("OR", behind)) = rest.split_first().map(|(word, behind)| (*word, behind)) {
        let (other, behind) = all(behind, is_allowed)?;
        (met, rest) = (met || other, behind);
    }
    Some((met, rest))
}

fn all<'w>(words: &'w [&'w str], is_allowed: &dyn Fn(&str) -> bool) -> Read<'w> {
    let (mut met, mut rest) = one(words, is_allowed)?;
    while let Some(("AND", behind)) = rest.split_first().map(|(word, behind)| (*word, behind)) {
        let (other, behind) = one(behind, is_allowed)?;
        (met, rest) = (met && other, behind);
    }
    Some((met, rest))
}

fn one<'w>(words: &'w [&'w str], is_allowed: &dyn Fn(&str) -> bool) -> Read<'w> {
    match *words {
        ["(", ref inside @ ..] => {
            let (met, rest) = any(inside, is_allowed)?;
            let (close, rest) = rest.split_first()?;
            (*close == ")").then_some((met, rest))
        }
        [name, "WITH", exception, ref rest @ ..] => {
            Some((is_allowed(&format!("{name} WITH {exception}")), rest))
        }
        [")" | "OR" | "AND" | "WITH", ..] | [] => None,
        [name, ref rest @ ..] => Some((is_allowed(name), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, expect: Option<bool>) {
        let allowed = |name: &str| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&name);
        assert_eq!(is_met(expression, &allowed), expect, "{expression}");
    }

    #[test]
    fn one_of_several_is_enough_and_all_of_several_are_needed() {
        check("MIT", Some(true));
        check("GPL-3.0", Some(false));
        check("GPL-3.0 OR MIT", Some(true));
        check("GPL-3.0/MIT", Some(true));
        check("MIT AND GPL-3.0", Some(false));
        check("GPL-3.0 AND MIT OR Zlib", Some(true));
        check("(GPL-3.0 OR MIT) AND Zlib", Some(true));
        check("(MIT OR Zlib) AND GPL-3.0", Some(false));
        check("Apache-2.0 WITH LLVM-exception OR Apache-2.0", Some(true));
    }

    #[test]
    fn what_makes_no_sense_is_not_met() {
        for expression in ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT Zlib", "WITH x"] {
            check(expression, None);
        }
    }
}
