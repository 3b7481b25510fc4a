//! Reads the payload of a part: the same primitives and columns that the encoder writes, none of which is
//! believed. A count is checked against the bytes that are left before anything is allocated for it.

use calor_model::{LabelSetId, Profile, StackId, StringId, ThreadId};

use super::varint::{self, Fault};
use crate::Error;

/// A position in a payload.
#[derive(Clone)]
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    position: usize,
    chunk_offset: u64,
}

impl<'a> Decoder<'a> {
    /// Reads `payload`, which is of the chunk that begins at `chunk_offset` of the input.
    pub(super) fn new(payload: &'a [u8], chunk_offset: u64) -> Self {
        Self { bytes: payload, position: 0, chunk_offset }
    }

    /// An error about what stands here.
    pub(super) fn refuse(
        &self,
        what: &'static str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        let (position, chunk_offset) = (self.position, self.chunk_offset);
        Error::Content { what, expected: expected.into(), found: found.into(), position, chunk_offset }
    }

    /// The next `n_bytes` as a piece of their own, which is stepped over here.
    pub(super) fn piece(&mut self, what: &'static str, n_bytes: usize) -> Result<Self, Error> {
        let position = self.position;
        self.bytes(what, n_bytes)?;
        Ok(Self { bytes: &self.bytes[..self.position], position, chunk_offset: self.chunk_offset })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position == self.bytes.len()
    }

    pub(super) fn bytes(&mut self, what: &'static str, n_bytes: usize) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.position..];
        let Some(found) = rest.get(..n_bytes) else {
            return Err(self.refuse(
                what,
                format!("{n_bytes} bytes"),
                format!("{} bytes to the end", rest.len()),
            ));
        };
        self.position += n_bytes;
        Ok(found)
    }

    pub(super) fn byte(&mut self, what: &'static str) -> Result<u8, Error> {
        Ok(self.bytes(what, 1)?[0])
    }

    #[inline]
    pub(super) fn varint(&mut self, what: &'static str) -> Result<u64, Error> {
        match varint::read(&self.bytes[self.position..]) {
            Ok((value, n_bytes)) => {
                self.position += n_bytes;
                Ok(value)
            }
            Err(fault) => Err(self.refuse_integer(what, fault)),
        }
    }

    #[cold]
    fn refuse_integer(&self, what: &'static str, fault: Fault) -> Error {
        match fault {
            Fault::Cut => self.refuse(what, "an integer", "the end"),
            Fault::TooLong => self.refuse(what, "an integer of 64 bits", "a longer one"),
        }
    }

    /// A column of `n_rows` integers as a piece of its own, which is stepped over here: tables read several of
    /// them side by side.
    pub(super) fn integers(&mut self, what: &'static str, n_rows: usize) -> Result<Self, Error> {
        match varint::length_of(&self.bytes[self.position..], n_rows) {
            Some(n_bytes) => self.piece(what, n_bytes),
            None => Err(self.refuse(what, format!("{n_rows} integers"), "the end before the last of them")),
        }
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, Error> {
        let value = self.varint(what)?;
        u32::try_from(value).map_err(|_| self.refuse(what, "an integer of 32 bits", value.to_string()))
    }

    #[inline]
    pub(super) fn signed(&mut self, what: &'static str) -> Result<i64, Error> {
        self.varint(what).map(varint::unfold)
    }

    /// A number of rows of which each takes at least `row_bytes` from here on.
    pub(super) fn count(&mut self, what: &'static str, row_bytes: usize) -> Result<usize, Error> {
        let n_rows = self.varint(what)?;
        let most = (self.bytes.len() - self.position) / row_bytes;
        match usize::try_from(n_rows) {
            Ok(n_rows) if n_rows <= most => Ok(n_rows),
            _ => Err(self.refuse(
                what,
                format!("at most {most} rows, for the bytes left"),
                format!("{n_rows} rows"),
            )),
        }
    }

    pub(super) fn float(&mut self, what: &'static str) -> Result<f64, Error> {
        let n_bytes = usize::from(self.byte(what)?);
        if n_bytes > 8 {
            return Err(self.refuse(what, "a float of at most 8 bytes", format!("one of {n_bytes}")));
        }
        let mut bits = [0; 8];
        bits[..n_bytes].copy_from_slice(self.bytes(what, n_bytes)?);
        Ok(f64::from_bits(u64::from_be_bytes(bits)))
    }

    /// A float that has to be a number.
    pub(super) fn spread(&mut self, what: &'static str) -> Result<f64, Error> {
        let value = self.float(what)?;
        if value.is_nan() { Err(self.refuse(what, "a number", "not a number")) } else { Ok(value) }
    }

    pub(super) fn text(&mut self, what: &'static str) -> Result<&'a str, Error> {
        let n_bytes = self.count(what, 1)?;
        self.utf8(what, n_bytes)
    }

    /// Text of `n_bytes`.
    pub(super) fn utf8(&mut self, what: &'static str, n_bytes: usize) -> Result<&'a str, Error> {
        let bytes = self.bytes(what, n_bytes)?;
        std::str::from_utf8(bytes).map_err(|error| self.refuse(what, "UTF-8 text", error.to_string()))
    }

    pub(super) fn optional(&mut self, what: &'static str) -> Result<Option<u64>, Error> {
        match self.byte(what)? {
            0 => Ok(None),
            1 => self.varint(what).map(Some),
            other => Err(self.refuse(what, "0 for none or 1 for some", other.to_string())),
        }
    }

    /// `n_rows` of whatever `read` reads; the rows have been counted against the bytes that are left.
    pub(super) fn rows<T>(
        &mut self,
        n_rows: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut rows = Vec::with_capacity(n_rows.min(self.bytes.len() - self.position));
        for _ in 0..n_rows {
            rows.push(read(self)?);
        }
        Ok(rows)
    }

    pub(super) fn column(&mut self, what: &'static str, n_rows: usize) -> Result<Vec<u64>, Error> {
        self.rows(n_rows, |decoder| decoder.varint(what))
    }

    pub(super) fn deltas(&mut self, what: &'static str, n_rows: usize) -> Result<Vec<u64>, Error> {
        let mut last = 0_u64;
        self.rows(n_rows, |decoder| {
            last = last.wrapping_add_signed(decoder.signed(what)?);
            Ok(last)
        })
    }

    /// A handle of a table of `n_rows`.
    #[inline]
    pub(super) fn index(&mut self, what: &'static str, n_rows: usize) -> Result<usize, Error> {
        let index = self.varint(what)?;
        self.checked(what, index, n_rows)
    }

    #[inline]
    fn checked(&self, what: &'static str, index: u64, n_rows: usize) -> Result<usize, Error> {
        if index < n_rows as u64 { Ok(index as usize) } else { Err(self.refuse_row(what, index, n_rows)) }
    }

    #[cold]
    fn refuse_row(&self, what: &'static str, index: u64, n_rows: usize) -> Error {
        self.refuse(what, format!("a row of a table of {n_rows}"), format!("row {index}"))
    }

    pub(super) fn string(&mut self, what: &'static str, profile: &Profile) -> Result<StringId, Error> {
        self.index(what, profile.strings.len()).map(StringId::from_index)
    }

    pub(super) fn thread(&mut self, what: &'static str, profile: &Profile) -> Result<ThreadId, Error> {
        self.index(what, profile.threads.len()).map(ThreadId::from_index)
    }

    pub(super) fn label_set(&mut self, what: &'static str, profile: &Profile) -> Result<LabelSetId, Error> {
        self.index(what, profile.labels.len()).map(LabelSetId::from_index)
    }

    pub(super) fn optional_string(
        &mut self,
        what: &'static str,
        profile: &Profile,
    ) -> Result<Option<StringId>, Error> {
        let code = self.index(what, profile.strings.len() + 1)?;
        Ok(code.checked_sub(1).map(StringId::from_index))
    }

    pub(super) fn optional_stack(
        &mut self,
        what: &'static str,
        profile: &Profile,
    ) -> Result<Option<StackId>, Error> {
        let code = self.index(what, profile.stacks.len() + 1)?;
        Ok(code.checked_sub(1).map(StackId::from_index))
    }

    /// A column of call paths, written as distances.
    pub(super) fn stacks(
        &mut self,
        what: &'static str,
        n_rows: usize,
        profile: &Profile,
    ) -> Result<Vec<StackId>, Error> {
        let mut last = 0;
        self.rows(n_rows, |decoder| decoder.stack_after(what, &mut last, profile.stacks.len()))
    }

    /// One row of such a column, after the row `last`, which it becomes.
    #[inline]
    pub(super) fn stack_after(
        &mut self,
        what: &'static str,
        last: &mut u64,
        n_stacks: usize,
    ) -> Result<StackId, Error> {
        *last = last.wrapping_add_signed(self.signed(what)?);
        self.checked(what, *last, n_stacks).map(StackId::from_index)
    }
}
