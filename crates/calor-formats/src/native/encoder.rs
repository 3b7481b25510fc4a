//! Builds the payload of a part: primitives, columns and sections, and the checks that keep a writer from
//! writing what no reader accepts.

use calor_model::{LabelSetId, Profile, StackId, StringId, ThreadId};

use super::varint;
use crate::Error;

/// A payload in the making.
pub(super) struct Encoder<'a> {
    /// The profile, whose tables handles are checked against.
    pub(super) profile: &'a Profile,
    /// Spreads that were no number and are written as 0.
    pub(super) n_spreads_dropped: u64,
    bytes: Vec<u8>,
    fault: Option<Error>,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self { profile, n_spreads_dropped: 0, bytes: Vec::with_capacity(1024), fault: None }
    }

    /// The payload, or the first thing that was wrong.
    pub(super) fn finish(self) -> Result<Vec<u8>, Error> {
        self.fault.map_or(Ok(self.bytes), Err)
    }

    /// Remembers a fault; the first one counts.
    pub(super) fn refuse(&mut self, fault: Error) {
        self.fault.get_or_insert(fault);
    }

    /// A numbered section: its number, its length, and what `write` writes.
    pub(super) fn section(&mut self, number: u8, write: impl FnOnce(&mut Self)) {
        self.byte(number);
        let start = self.bytes.len();
        write(self);
        let mut length = Vec::with_capacity(varint::MAX_BYTES);
        varint::write(&mut length, (self.bytes.len() - start) as u64);
        self.bytes.splice(start..start, length);
    }

    pub(super) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn bytes(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
    }

    #[inline]
    pub(super) fn varint(&mut self, value: u64) {
        varint::write(&mut self.bytes, value);
    }

    pub(super) fn count(&mut self, n_rows: usize) {
        self.varint(n_rows as u64);
    }

    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        self.varint(varint::fold(value));
    }

    /// The bits of a float, highest byte first, without the zero bytes at the end, after their number:
    /// whole numbers are short and every value is exact.
    pub(super) fn float(&mut self, value: f64) {
        let bits = value.to_bits();
        let n_bytes = 8 - bits.trailing_zeros() as usize / 8;
        self.byte(n_bytes as u8);
        self.bytes(&bits.to_be_bytes()[..n_bytes]);
    }

    /// A float that has to be a number.
    pub(super) fn spread(&mut self, value: f64) {
        self.n_spreads_dropped += u64::from(value.is_nan());
        self.float(if value.is_nan() { 0.0 } else { value });
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    pub(super) fn optional(&mut self, value: Option<u64>) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            self.varint(value);
        }
    }

    /// A column of plain integers.
    pub(super) fn column(&mut self, values: impl IntoIterator<Item = u64>) {
        for value in values {
            self.varint(value);
        }
    }

    /// A column of integers as distances from the one before, the first from 0. Distances wrap around.
    pub(super) fn deltas(&mut self, values: impl IntoIterator<Item = u64>) {
        let mut last = 0_u64;
        for value in values {
            self.signed(value.wrapping_sub(last) as i64);
            last = value;
        }
    }

    pub(super) fn strings(&mut self, what: &'static str, ids: impl IntoIterator<Item = StringId>) {
        let n_rows = self.profile.strings.len();
        for id in ids {
            let index = self.checked(what, id.index(), n_rows);
            self.varint(index);
        }
    }

    /// A column of handles that may be missing: 0, or the handle and 1.
    pub(super) fn optional_strings(
        &mut self,
        what: &'static str,
        ids: impl IntoIterator<Item = Option<StringId>>,
    ) {
        let n_rows = self.profile.strings.len();
        for id in ids {
            let code = id.map_or(0, |id| self.checked(what, id.index(), n_rows) + 1);
            self.varint(code);
        }
    }

    pub(super) fn threads(&mut self, what: &'static str, ids: impl IntoIterator<Item = ThreadId>) {
        let n_rows = self.profile.threads.len();
        for id in ids {
            let index = self.checked(what, id.index(), n_rows);
            self.varint(index);
        }
    }

    pub(super) fn label_sets(&mut self, what: &'static str, ids: impl IntoIterator<Item = LabelSetId>) {
        let n_rows = self.profile.labels.len();
        for id in ids {
            let index = self.checked(what, id.index(), n_rows);
            self.varint(index);
        }
    }

    /// A column of call paths, as distances: rows that stand together tend to be near each other in the tree.
    pub(super) fn stacks(&mut self, what: &'static str, ids: impl IntoIterator<Item = StackId>) {
        let n_rows = self.profile.stacks.len();
        let mut last = 0;
        for id in ids {
            let index = self.checked(what, id.index(), n_rows);
            self.signed(index as i64 - last);
            last = index as i64;
        }
    }

    /// A column of call paths that may be missing: 0, or the handle and 1.
    pub(super) fn optional_stacks(
        &mut self,
        what: &'static str,
        ids: impl IntoIterator<Item = Option<StackId>>,
    ) {
        let n_rows = self.profile.stacks.len();
        for id in ids {
            let code = id.map_or(0, |id| self.checked(what, id.index(), n_rows) + 1);
            self.varint(code);
        }
    }

    /// A handle that has to be of a table of `n_rows`.
    #[inline]
    pub(super) fn checked(&mut self, what: &'static str, index: usize, n_rows: usize) -> u64 {
        if index >= n_rows {
            self.refuse(Error::ForeignHandle { what });
        }
        index as u64
    }
}
