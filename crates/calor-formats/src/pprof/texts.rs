//! The strings of a file, which everything else names by their place, and the handles they have in the profile.

use std::borrow::Cow;

use calor_model::{StringId, StringTable};

use super::wire::invalid;
use crate::Error;

/// The strings of a file. Those that nothing points to never get into the profile.
pub(super) struct Texts<'a> {
    texts: Vec<&'a [u8]>,
    known: Vec<Option<StringId>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(texts: Vec<&'a [u8]>) -> Self {
        Self { known: vec![None; texts.len()], texts }
    }

    /// The string at an index that was found at `offset`; place 0 is always there and empty.
    pub(super) fn get(&self, index: i64, offset: usize) -> Result<Cow<'a, str>, Error> {
        match self.place(index, offset)? {
            Some(place) => Ok(String::from_utf8_lossy(self.texts[place])),
            None => Ok(Cow::Borrowed("")),
        }
    }

    /// The handle of the string at an index.
    pub(super) fn intern(
        &mut self,
        strings: &mut StringTable,
        index: i64,
        offset: usize,
    ) -> Result<StringId, Error> {
        let Some(place) = self.place(index, offset)? else { return Ok(strings.intern("")) };
        let text = self.texts[place];
        Ok(*self.known[place].get_or_insert_with(|| strings.intern(&String::from_utf8_lossy(text))))
    }

    fn place(&self, index: i64, offset: usize) -> Result<Option<usize>, Error> {
        match usize::try_from(index) {
            Ok(place) if place < self.texts.len() => Ok(Some(place)),
            Ok(0) => Ok(None),
            _ => {
                let expected = format!("the index of one of {} strings", self.texts.len());
                Err(invalid(expected, format!("index {index}"), offset))
            }
        }
    }
}
