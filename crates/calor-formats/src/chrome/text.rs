//! Strings of a trace, from their text in the file. Nearly all hold no escape and are borrowed as they stand.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What a value says: a string without its quotes, anything else as it is written.
pub(super) fn text(raw: &str) -> Cow<'_, str> {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        // An escape that stands for half a character is kept as it is written.
        Some(plain) => serde_json::from_str(raw).map_or(Cow::Borrowed(plain), Cow::Owned),
        None => Cow::Borrowed(raw),
    }
}

/// The entries of an object one level deep; empty for anything else. Of values only the text is kept, so it does
/// not matter how deep they are nested.
pub(super) fn entries(raw: &str) -> Vec<(Cow<'_, str>, &str)> {
    serde_json::from_str(raw).map_or_else(|_| Vec::new(), |Entries(entries)| entries)
}

/// The text of one entry of an object.
pub(super) fn entry<'a>(raw: &'a str, key: &str) -> Option<&'a str> {
    entries(raw).into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

struct Entries<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    entries.push((text(key.get()), value.get()));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_lose_their_quotes_and_other_values_stay_as_written() {
        for (raw, expected) in [
            (r#""a""#, "a"),
            (r#""a\nb""#, "a\nb"),
            ("12.50", "12.50"),
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("\"", "\""),
        ] {
            assert_eq!(text(raw), expected);
        }
    }

    #[test]
    fn half_a_character_is_kept_as_it_is_written() {
        assert_eq!(text(r#""\ud800 x""#), r"\ud800 x");
    }

    #[test]
    fn entries_are_one_level_deep_whatever_is_inside() {
        let deep = format!("{{\"a\\u0062\": {}1{}, \"c\": \"d\"}}", "[".repeat(100_000), "]".repeat(100_000));
        let entries = entries(&deep);
        assert_eq!(entries.len(), 2);
        assert_eq!((&*entries[0].0, entries[0].1.len(), entry(&deep, "c")), ("ab", 200_001, Some("\"d\"")));
        assert!(super::entries("[1]").is_empty() && super::entries("").is_empty());
    }
}
