//! Names that are near to a word that names none, the nearest first: what was mistyped most likely comes first. Those of
//! anything, and those of functions, of which people type the last part.

/// How many are suggested.
const MOST: usize = 3;

/// The nearest of some names, as far as any is near.
#[must_use]
pub fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Vec<String> {
    // One mistake in three letters is still the same word; more is another one.
    let most_mistakes = given.chars().count().div_ceil(3);
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (if name.starts_with(given) { 0 } else { mistakes(given, name) }, name))
        .filter(|(mistakes, _)| *mistakes <= most_mistakes)
        .collect();
    near.sort_unstable();
    near.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// The nearest of some names of functions and scopes, as far as any is near, by their last parts where these are nearer:
/// `mixhash` is one mistake away from `w::mix_hash`.
#[must_use]
pub fn nearest_functions<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let given = given.to_lowercase();
    let wanted = last_part(&given);
    let most_mistakes = wanted.chars().count().div_ceil(3);
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let last = last_part(&lower);
            let by_part = if last.starts_with(wanted) { 0 } else { mistakes(wanted, last) };
            // Names with generic arguments are long, and as far from any word as they are longer.
            let is_longer = lower.chars().count() > given.chars().count() + most_mistakes;
            let fewest = if is_longer { by_part } else { by_part.min(mistakes(&given, &lower)) };
            (!wanted.is_empty() && fewest <= most_mistakes).then_some((fewest, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// The last part of a name's path, in any language.
#[must_use]
pub fn last_part(name: &str) -> &str {
    name.rsplit([':', '.', ' ', '>']).next().unwrap_or(name)
}

/// How many letters have to be typed, left out or changed, or neighbours swapped, to make one word of the other.
fn mistakes(given: &str, name: &str) -> usize {
    let (given, name): (Vec<char>, Vec<char>) = (given.chars().collect(), name.chars().collect());
    // The rows of the table: for the letters of `given` up to two before, one before, and this one.
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=name.len()).collect();
    for (row, letter) in given.iter().enumerate() {
        let mut this = vec![row + 1];
        for (column, other) in name.iter().enumerate() {
            let changed = last[column] + usize::from(letter != other);
            let mut fewest = changed.min(last[column + 1] + 1).min(this[column] + 1);
            if row > 0 && column > 0 && *letter == name[column - 1] && given[row - 1] == *other {
                fewest = fewest.min(before_last[column - 1] + 1);
            }
            this.push(fewest);
        }
        before_last = std::mem::replace(&mut last, this);
    }
    last.pop().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first_and_far_ones_are_not_named() {
        let names = ["record", "report", "flame", "help", "convert"];
        for (given, expected) in [
            ("repot", &["report"][..]),
            ("recrod", &["record"]),
            ("reord", &["record", "report"]),
            ("flam", &["flame"]),
            ("conv", &["convert"]),
            ("hlep", &["help"]),
            ("nothing", &[]),
            ("", &["convert", "flame", "help"]),
        ] {
            assert_eq!(nearest(given, names.into_iter()), expected, "{given}");
        }
    }

    #[test]
    fn functions_are_found_by_the_last_part_of_their_names() {
        let call_once =
            "<&dyn core::ops::function::Fn<(), Output = i32> as core::ops::function::FnOnce<()>>::call_once";
        let names = ["_start", "w::main", "w::mix_hash", "w::mix_hashes", call_once, "json.decoder.scan"];
        for (given, expected) in [
            ("mixhash", &["w::mix_hash", "w::mix_hashes"][..]),
            ("mix_hahs", &["w::mix_hash", "w::mix_hashes"]),
            ("W::Mix_Hsah", &["w::mix_hash", "w::mix_hashes"]),
            ("v::mix_hash", &["w::mix_hash", "w::mix_hashes"]),
            ("decoder.scna", &["json.decoder.scan"]),
            ("callonce", &[call_once]),
            ("nothing_like_it", &[]),
            ("a::", &[]),
        ] {
            assert_eq!(nearest_functions(given, names.into_iter()), expected, "{given}");
        }
    }

    #[test]
    fn mistakes_are_counted_as_people_make_them() {
        for (given, name, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("abc", "acb", 1),
            ("abc", "abd", 1),
            ("abc", "ab", 1),
            ("ca", "abc", 3),
        ] {
            assert_eq!(mistakes(given, name), expected, "{given} {name}");
        }
    }
}
