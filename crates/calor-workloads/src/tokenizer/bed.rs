//! What all measurements share: the two implementations, the text, and who waits.

use std::cell::Cell;

use calor::{CallWork, Site};
use calor_report::bench::{Figure, Params};
use serde_json::Value;

use super::bpe::{Encoder, Vocabulary};
use super::choice::Choice;
use super::reference::{CRATE_CACHE, Reference};
use super::{documents, measure};
use crate::{Error, Watch, repeat};

/// Whose implementation it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The crate `tokenizers`.
    Crate,
    /// Calor's own byte-level BPE.
    Ours,
}

impl Side {
    /// Its name in figures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crate => "tokenizers",
            Self::Ours => "calor",
        }
    }
}

/// What is measured, on what.
pub(super) struct Bed<'a> {
    pub choice: &'a Choice,
    pub reference: &'a Reference,
    pub ours: Option<&'a Vocabulary>,
    pub text: &'a str,
    pub documents: Vec<&'a str>,
    /// Ids of all documents.
    pub n_tokens: usize,
    /// Those of them that are single bytes of the text.
    pub n_single_bytes: usize,
    /// Where our ids are not the reference's: the first such document.
    pub difference: Option<&'a str>,
    watch: &'a dyn Watch,
    done: Cell<usize>,
    total: usize,
}

impl<'a> Bed<'a> {
    /// Encodes every document once with both, and compares.
    ///
    /// # Errors
    /// When the crate cannot encode the text.
    pub(super) fn new(
        choice: &'a Choice,
        watch: &'a dyn Watch,
        reference: &'a Reference,
        ours: Option<&'a Vocabulary>,
        text: &'a str,
    ) -> Result<Self, Error> {
        let documents = documents(text);
        let mut encoder = ours.map(|ours| Encoder::new(ours, CRATE_CACHE));
        let (mut n_tokens, mut n_single_bytes, mut difference) = (0, 0, None);
        let mut ids = Vec::new();
        for document in &documents {
            let expected = reference.encode(document)?;
            n_tokens += expected.len();
            if let (Some(encoder), Some(ours)) = (&mut encoder, ours) {
                ids.clear();
                encoder.encode(document, &mut ids);
                n_single_bytes += ids.iter().filter(|id| ours.is_single_byte(**id)).count();
                if ids != expected.get_ids() {
                    difference = difference.or(Some(*document));
                }
            }
        }
        let total = measure::n_steps(choice, ours.is_some(), reference);
        let done = Cell::new(0);
        Ok(Self {
            choice,
            reference,
            ours,
            text,
            documents,
            n_tokens,
            n_single_bytes,
            difference,
            watch,
            done,
            total,
        })
    }

    /// The implementations that are measured.
    pub(super) fn sides(&self) -> impl Iterator<Item = Side> + use<> {
        std::iter::once(Side::Crate).chain(self.ours.map(|_| Side::Ours))
    }

    /// Says what comes next; `false` when somebody asked for the end.
    pub(super) fn goes_on(&self, what: &str) -> bool {
        self.watch.at(self.done.get(), self.total, what);
        self.done.set(self.done.get() + 1);
        !self.watch.is_stopped()
    }

    /// Whether somebody asked for the end.
    pub(super) fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }

    /// A figure of an implementation, marked by whether its ids are right. Those of the reference are, by definition; nothing
    /// is said of them.
    pub(super) fn marked(&self, side: Side, figure: Option<Figure>) -> Option<Figure> {
        match side {
            Side::Crate => figure,
            Side::Ours => figure.map(|figure| figure.verified(self.difference.is_none())),
        }
    }
}

/// The name of a case.
pub(super) fn case(side: Side, what: &str) -> String {
    format!("{} {what}", side.name())
}

/// The site of a case that reads so many bytes into so many tokens each time.
pub(super) fn site(
    side: Side,
    what: &str,
    labels: &[(&'static str, &str)],
    (bytes, tokens): (usize, usize),
) -> &'static Site {
    let work =
        CallWork { elements: tokens as u64, bytes: bytes as u64, flops: 0, backend: Some(side.name()) };
    repeat::site("tokenizer", &case(side, what), labels, Some(work))
}

/// Parameters of a figure.
pub(super) fn params<const N: usize>(pairs: [(&str, Value); N]) -> Params {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Megabytes in a second, for work on so many bytes.
pub(super) fn megabytes(bytes: usize) -> impl Fn(f64) -> f64 {
    move |nanos| bytes as f64 * 1e3 / nanos
}
