//! Tokenisers: the crate `tokenizers` and a byte-level BPE of our own, on the same vocabulary and text.
//!
//! [`run`] measures how fast text becomes ids, where the time goes, what caches, batches and threads are worth, and says
//! what follows from it. The crate is the reference: ids of ours have to be the same. Throughput is measured of the bare
//! libraries; stages and counts have passes of their own.

mod advice;
mod bed;
mod bpe;
mod choice;
mod input;
mod measure;
mod page;
mod reference;
mod text;

pub use bed::Side;
pub use bpe::{Counts, Encoder, Vocabulary};
pub use choice::{Choice, cores};
pub use measure::throughput::{crate_rate, our_rate};
pub use reference::{CRATE_CACHE, Reference};
pub use text::Source;

use calor_analysis::quantity;
use calor_report::bench::Bench;

use crate::{Error, Watch};
use bed::Bed;

/// Bytes of a document, where nothing else is said: about a page.
pub const DOCUMENT: usize = 2_048;

/// Measures, and tells what was found.
///
/// # Errors
/// When something was chosen that there is not, a file cannot be used, or the crate fails.
pub fn run(choice: &Choice, watch: &dyn Watch) -> Result<Bench, Error> {
    choice.check()?;
    watch.at(0, 0, "text and vocabulary");
    let source = Source::new(choice.seed);
    let (text, is_cut) = match &choice.text {
        Some(path) => input::read(path, choice.bytes)?,
        None => (source.text(2, choice.bytes), false),
    };
    let reference = match &choice.model {
        Some(path) => Reference::read(path)?,
        None => Reference::trained(&source.text(1, choice.training_bytes), choice.vocabulary)?,
    };
    let ours = match reference.added_token_in(&text) {
        Some(token) => Err(format!("the text contains the added token {token}")),
        None => Vocabulary::of(reference.tokenizer()),
    };
    let bed = Bed::new(choice, watch, &reference, ours.as_ref().ok(), &text)?;
    let measured = measure::measured(&bed);
    if measured.rates.is_empty() {
        return Err(Error::Stopped);
    }
    let mut bench = page::bench(&bed, &measured, ours.as_ref().err());
    if is_cut {
        let told = quantity::bytes(text.len() as u64);
        bench.warn(
            "text_cut",
            format!("only the first {told} of the file were encoded: that is where figures settle"),
        );
    }
    bench.advice = advice::advice(&bed, &measured);
    Ok(bench)
}

/// A text in documents of [`DOCUMENT`] bytes, as throughput is measured on.
#[must_use]
pub fn documents(text: &str) -> Vec<&str> {
    input::pieces(text, DOCUMENT)
}

#[cfg(test)]
mod tests;
