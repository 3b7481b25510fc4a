//! Programs are written as they are read, with `$name` where something is drawn: what is to be filled in stands out,
//! and braces need no escape.

use std::fmt::Display;

/// The template with every `$name` replaced, those included that values bring along.
///
/// # Panics
///
/// Where a name of the template has no value, or a value has no place: the template is wrong then.
pub(super) fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut used = vec![false; values.len()];
    let text = filled(template.trim_start_matches('\n'), values, &mut used);
    for (is_used, (name, _)) in used.iter().zip(values) {
        assert!(is_used, "${name} has no place in the template:\n{text}");
    }
    text
}

fn filled(template: &str, values: &[(&str, &dyn Display)], used: &mut [bool]) -> String {
    let mut pieces = template.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let idx = values.iter().position(|(known, _)| *known == name);
        let idx = idx.unwrap_or_else(|| panic!("${name} is not filled in:\n{template}"));
        used[idx] = true;
        text += &filled(&values[idx].1.to_string(), values, used);
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_filled_in_wherever_it_stands() {
        let text =
            fill("\nfn $name() { $body }\n$name();\n", &[("body", &"$n + 1"), ("n", &7), ("name", &"f")]);
        assert_eq!(text, "fn f() { 7 + 1 }\nf();\n");
    }

    #[test]
    #[should_panic(expected = "not filled in")]
    fn a_name_without_a_value_is_a_mistake() {
        fill("fn $name() {}", &[]);
    }

    #[test]
    #[should_panic(expected = "no place")]
    fn a_value_without_a_place_is_a_mistake() {
        fill("fn f() {}", &[("name", &"f")]);
    }
}
