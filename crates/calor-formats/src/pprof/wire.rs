//! Protobuf's wire as it stands in the input: fields one after the other, borrowed, each with the byte it was
//! found at, so that nothing is copied and an error can say where.

use crate::native::varint::{self, Fault};
use crate::{Error, Format, Place};

/// A piece of the input that knows where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) offset: usize,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(Piece<'a>),
    /// A number of fixed width, which no field of this format has.
    Fixed,
}

/// A field: its number, what it holds, and where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: Value<'a>,
    pub(super) offset: usize,
}

/// An error of this format.
pub(super) fn invalid(expected: impl Into<String>, found: impl Into<String>, offset: usize) -> Error {
    let place = Place::Byte(offset as u64);
    Error::Input { format: Format::Pprof, expected: expected.into(), found: found.into(), place }
}

impl<'a> Piece<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The fields of a message.
    pub(super) fn fields(self) -> Fields<'a> {
        Fields { piece: self, at: 0 }
    }

    /// A number in groups of seven bits, the lowest first.
    #[inline(always)]
    fn number(&self, at: &mut usize) -> Result<u64, Error> {
        match varint::read(&self.bytes[*at..]) {
            Ok((number, n_bytes)) => {
                *at += n_bytes;
                Ok(number)
            }
            Err(fault) => Err(self.refuse_number(fault, *at)),
        }
    }

    #[cold]
    fn refuse_number(&self, fault: Fault, at: usize) -> Error {
        let offset = self.offset + at;
        match fault {
            Fault::Cut => invalid("the rest of a number", "the end", offset),
            Fault::TooLong => invalid("a number of at most 64 bits", "a longer one", offset),
        }
    }

    /// The next `length` bytes.
    fn take(&self, length: u64, at: &mut usize) -> Result<Self, Error> {
        let rest = &self.bytes[*at..];
        let offset = self.offset + *at;
        match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
            Some(bytes) => {
                *at += bytes.len();
                Ok(Self { bytes, offset })
            }
            None => {
                let found = format!("{} bytes up to the end: cut off or damaged", rest.len());
                Err(invalid(format!("a field of {length} bytes"), found, offset))
            }
        }
    }
}

impl<'a> Value<'a> {
    /// The numbers of a field that repeats, packed or one at a time.
    #[inline]
    pub(super) fn each_number(self, mut each: impl FnMut(u64)) -> Result<(), Error> {
        match self {
            Self::Number(number) => each(number),
            Self::Bytes(piece) => {
                let mut at = 0;
                while at < piece.bytes.len() {
                    each(piece.number(&mut at)?);
                }
            }
            Self::Fixed => {}
        }
        Ok(())
    }
}

impl<'a> Field<'a> {
    /// The number it holds.
    pub(super) fn as_number(&self, what: &str) -> Result<u64, Error> {
        match self.value {
            Value::Number(number) => Ok(number),
            _ => Err(invalid(format!("a number ({what})"), "a field of another type", self.offset)),
        }
    }

    /// The bytes it holds.
    pub(super) fn as_bytes(&self, what: &str) -> Result<Piece<'a>, Error> {
        match self.value {
            Value::Bytes(piece) => Ok(piece),
            _ => Err(invalid(format!("a message or text ({what})"), "a field of another type", self.offset)),
        }
    }
}

/// The fields of a message, one after the other.
pub(super) struct Fields<'a> {
    piece: Piece<'a>,
    at: usize,
}

impl<'a> Fields<'a> {
    /// The next field; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, Error> {
        if self.at == self.piece.bytes.len() {
            return Ok(None);
        }
        let offset = self.piece.offset + self.at;
        let key = self.piece.number(&mut self.at)?;
        let value = match key & 7 {
            0 => Value::Number(self.piece.number(&mut self.at)?),
            1 => self.piece.take(8, &mut self.at).map(|_| Value::Fixed)?,
            2 => {
                let length = self.piece.number(&mut self.at)?;
                Value::Bytes(self.piece.take(length, &mut self.at)?)
            }
            5 => self.piece.take(4, &mut self.at).map(|_| Value::Fixed)?,
            other => return Err(invalid("a field of a known type", format!("type {other}"), offset)),
        };
        match u32::try_from(key >> 3) {
            Ok(number @ 1..) => Ok(Some(Field { number, value, offset })),
            _ => Err(invalid("a field with a number", format!("key {key}"), offset)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<Field<'_>>, Error> {
        let mut fields = Piece::new(bytes).fields();
        std::iter::from_fn(|| fields.next().transpose()).collect()
    }

    #[test]
    fn every_type_of_field_is_stepped_over_and_says_where_it_was() {
        let bytes = b"\x08\x96\x01\x12\x02\x01\x02\x19\0\0\0\0\0\0\0\0\x25\0\0\0\0\x28\x01";
        let places: Vec<_> =
            fields(bytes).unwrap().iter().map(|field| (field.number, field.offset)).collect();
        assert_eq!(places, [(1, 0), (2, 3), (3, 7), (4, 16), (5, 21)]);
        assert_eq!(fields(bytes).unwrap()[0].as_number("").unwrap(), 150);
    }

    #[test]
    fn what_is_no_field_is_refused_with_its_place() {
        for (bytes, words) in [
            (&b"\x08\x01\x08"[..], "the rest of a number, found the end, at byte 3"),
            (
                b"\x12\x05abc",
                "a field of 5 bytes, found 3 bytes up to the end: cut off or damaged, at byte 2",
            ),
            (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a field of 18446744073709551615 bytes"),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "at most 64 bits"),
            (b"\x0b", "type 3"),
            (b"\x00\x01", "key 0"),
        ] {
            let error = fields(bytes).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
