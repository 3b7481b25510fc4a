//! Text that stands for itself in HTML.

use crate::Escaped;
use crate::text::printable::printable;

/// The text without markup; what cannot be printed is made visible.
pub(crate) fn escaped(text: &str) -> String {
    // A line break is kept: hints have two lines.
    let lines: Vec<String> = text.split('\n').map(|line| Escaped(&printable(line)).to_string()).collect();
    lines.join("\n")
}

/// The same, with what stands between backticks as code.
pub(crate) fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd backtick opens nothing and is left as it is.
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_markup() {
        assert_eq!(escaped("<script>'\"&\x1b"), "&lt;script&gt;&#39;&quot;&amp;\u{fffd}");
        assert_eq!(with_code("`Vec<u8>` allocates"), "<code>Vec&lt;u8&gt;</code> allocates");
        assert_eq!(with_code("a ` b"), "a ` b");
    }
}
