//! The verbs of the model, by their laws on generated profiles and by small examples.

mod align;
mod condense;
mod content;
mod filter;
mod generated;
mod invert;
mod language;
mod merge;
mod names;
mod prune;
mod recursion;
