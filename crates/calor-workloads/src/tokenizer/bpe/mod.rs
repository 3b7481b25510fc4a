//! A byte-level BPE in the manner of tiktoken: text is cut into words without a regular expression where the pattern is
//! known, each word is looked up in a bounded cache, and only words that are not there are merged. It is built from the
//! merges of a Hugging Face tokeniser, and gives the same ids.
//!
//! [`Vocabulary`] is what never changes and threads share; [`Encoder`] is what one thread works with.

mod alphabet;
mod cache;
mod classes;
mod encoder;
mod hash;
mod merge;
mod ranks;
mod split;
mod tally;
mod vocabulary;

pub use encoder::Encoder;
pub use tally::Counts;
pub use vocabulary::Vocabulary;
pub(super) use vocabulary::model_name;

#[cfg(test)]
mod tests;
