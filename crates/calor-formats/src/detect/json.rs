//! JSON that is of no format we know, put into words: its kind and its first keys tell people which file they gave.

use crate::opening::Opening;

/// How many keys are named.
const MOST_KEYS: usize = 4;

/// What an input that begins like JSON looks like; `None` for anything else.
pub(super) fn looks_like(opening: &Opening<'_>) -> Option<String> {
    if !opening.is_text() {
        return None;
    }
    match opening.first()? {
        b'{' => Some(format!("what looks like a JSON object {}", keys(opening))),
        b'[' => Some(format!("what looks like a JSON list {}", list(opening.bytes()))),
        _ => None,
    }
}

fn list(bytes: &[u8]) -> String {
    let inside = bytes.trim_ascii_start().get(1..).unwrap_or_default().trim_ascii_start();
    let kind = match inside.first() {
        None | Some(b']') => {
            return "that is empty or cut off: a trace of Chrome holds events, such as {\"ph\":\"X\", ..}"
                .to_owned();
        }
        Some(b'{') => return format!("of objects {}", keys(&Opening::of(inside))),
        Some(b'[') => "a list",
        Some(b'"') => "a text",
        Some(b'0'..=b'9' | b'-') => "a number",
        _ => "something else",
    };
    format!("that begins with {kind}")
}

/// The keys of the outermost object, or of the first one of several.
fn keys(opening: &Opening<'_>) -> String {
    let mut keys: Vec<String> = Vec::new();
    let mut is_more = false;
    for key in opening.keys() {
        // In a list of objects, the second one repeats those of the first.
        let key = format!("{:?}", String::from_utf8_lossy(&key[..key.len().min(40)]));
        if keys.contains(&key) {
            break;
        }
        is_more = keys.len() == MOST_KEYS;
        if is_more {
            break;
        }
        keys.push(key);
    }
    match keys.as_slice() {
        [] => "without a key".to_owned(),
        [only] => format!("with the key {only}"),
        keys if is_more => format!("with the keys {} and more", keys.join(", ")),
        [most @ .., last] => format!("with the keys {} and {last}", most.join(", ")),
    }
}
