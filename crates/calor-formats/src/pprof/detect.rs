//! Tells this format from others. It has no signature, so its shape has to do: known fields of the right types
//! from the first byte on, among them a sample type that says what it is.

use super::message::field;
use super::wire::{Field, Piece, Value};
use crate::opening::Opening;

/// How many fields are looked at: tools write sample types before samples, if in any order then in a small file.
const MAX_FIELDS: usize = 4096;

/// Whether an input is of this format.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    is_message(opening.bytes())
}

/// Whether bytes begin like the outermost message. The end may be missing.
fn is_message(bytes: &[u8]) -> bool {
    let mut fields = Piece::new(bytes).fields();
    let mut has_sample_type = false;
    for index in 0..MAX_FIELDS {
        match fields.next() {
            Ok(Some(field)) if is_known(&field) => {
                has_sample_type |= field.number == field::SAMPLE_TYPE;
                // Written in the usual order, two fields are as good as all of them.
                if has_sample_type && index > 0 && field.number <= field::SAMPLE {
                    return true;
                }
            }
            // Garbage, or the opening ends inside a field: a sample type must have been seen by then.
            Ok(Some(_)) => return false,
            Ok(None) | Err(_) => return has_sample_type,
        }
    }
    has_sample_type
}

fn is_known(field: &Field<'_>) -> bool {
    match (field.number, field.value) {
        (field::SAMPLE_TYPE | field::PERIOD_TYPE, Value::Bytes(piece)) => is_value_type(piece),
        (field::SAMPLE, Value::Bytes(piece)) => has_fields(piece, 1..=3),
        (field::MAPPING, Value::Bytes(piece)) => has_fields(piece, 1..=10),
        (field::LOCATION | field::FUNCTION, Value::Bytes(piece)) => has_fields(piece, 1..=5),
        (field::STRING_TABLE, Value::Bytes(_)) => true,
        (field::COMMENT, Value::Bytes(_) | Value::Number(_)) => true,
        (field::DROP_FRAMES..=field::DURATION_NANOS | field::PERIOD, Value::Number(_)) => true,
        (field::DEFAULT_SAMPLE_TYPE | field::DOC_URL, Value::Number(_)) => true,
        _ => false,
    }
}

/// Whether a piece is a name and a unit, and has a name.
fn is_value_type(piece: Piece<'_>) -> bool {
    let mut fields = piece.fields();
    let mut has_name = false;
    loop {
        match fields.next() {
            Ok(Some(Field { number: 1, value: Value::Number(1..), .. })) => has_name = true,
            Ok(Some(Field { number: 2, value: Value::Number(_), .. })) => {}
            Ok(None) => return has_name,
            _ => return false,
        }
    }
}

fn has_fields(piece: Piece<'_>, numbers: std::ops::RangeInclusive<u32>) -> bool {
    let mut fields = piece.fields();
    loop {
        match fields.next() {
            Ok(Some(field)) if numbers.contains(&field.number) => {}
            Ok(None) => return true,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_shape_even_when_cut_off() {
        let bytes = b"\x0a\x04\x08\x01\x10\x02\x12\x05\x0a\x01\x01\x12\x00\x32\x00";
        for end in 6..=bytes.len() {
            assert!(is_message(&bytes[..end]), "the first {end} bytes");
        }
        assert!(is_message(b"\x32\x00\x32\x03cpu\x0a\x02\x08\x01"), "strings first");
    }

    #[test]
    fn what_is_something_else_is_left_to_others() {
        for bytes in [
            &b""[..],
            b"\n",
            b"\n\0",
            b"\n\n\n\nmain;work 12\n",
            b"main;work 12\nmain 3\n",
            b"{\"traceEvents\": []}",
            b"[{\"name\": \"a\"}]",
            b"\x89CALOR\r\n\x1a\n",
            b"PERFILE2",
            b"2 1\n",
            b"\"name\",\"self\"\n",
            b"zip",
            b"java 1234 [001] 5.0: cycles:\n",
            b"\x0a\x05hello",
            b"\x0a\x02\x10\x01",
            b"\0\0\0\0",
        ] {
            assert!(!is_message(bytes), "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
