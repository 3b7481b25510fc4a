//! Programs are written as they are read, with `$name` where something is drawn: what is to be filled in stands out,
//! and braces need no escape.

use std::fmt::Display;

/// What is filled in, by name.
pub(super) type Values<'v> = [(&'v str, &'v dyn Display)];

/// The template with every `$name` replaced, those included that values bring along.
///
/// # Panics
///
/// Where a name of the template has no value: the template is wrong then.
pub(super) fn fill(template: &str, values: &Values<'_>) -> String {
    let mut pieces = template.trim_start_matches('\n').split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let value = values.iter().find(|(known, _)| *known == name);
        let (_, value) = value.unwrap_or_else(|| panic!("${name} is not filled in:\n{template}"));
        text += &fill(&value.to_string(), values);
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
}
