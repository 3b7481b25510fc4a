//! How a user names what is looked for: a part of a name, or a whole name with `*` for any text.

/// A pattern for names. Text without a `*` is found anywhere in a name; with one, the whole name has to fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// The pattern written as `text`. An empty one fits every name.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Whether `name` fits. Upper and lower case differ.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.text.split_once('*') else { return name.contains(&self.text) };
        // The beginning and the end are fixed; what stands between stars is found from the left.
        let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        let Some(name) = name.strip_prefix(first) else { return false };
        let Some(mut name) = name.strip_suffix(last) else { return false };
        for part in between.split('*') {
            match name.find(part) {
                Some(at) => name = &name[at + part.len()..],
                None => return false,
            }
        }
        true
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern:?} on {name:?}");
    }

    #[test]
    fn text_without_a_star_is_found_anywhere() {
        check("soft", "model::softmax", true);
        check("", "anything", true);
        check("Soft", "model::softmax", false);
    }

    #[test]
    fn a_star_stands_for_any_text_and_fixes_both_ends() {
        check("model::*", "model::softmax", true);
        check("model::*", "my_model::softmax", false);
        check("*max", "softmax", true);
        check("*max", "softmax2", false);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-c-b", false);
        check("*", "", true);
        check("**", "x", true);
        check("ab*ba", "aba", false);
        check("é*é", "éaé", true);
    }
}
