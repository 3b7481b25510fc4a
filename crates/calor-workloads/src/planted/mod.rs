//! Programs with one known bottleneck each, and their healthy twins: what the rules of `calor findings` are judged
//! against. A twin gives the same answer, by the way that the finding asks for.
//!
//! **You get** [`cases`]: for each a rule that has to find it and a writer of both programs. Names, sizes and what
//! stands around the bottleneck are drawn from a seed, so that a rule which only knows one program is found out.
//!
//! **Not for** measuring machines: a program does about a second of work on one core, and says what it computed.

mod case;
mod words;

pub use case::{Case, Language, Twins};
pub use words::Words;

/// Every planted bottleneck, in the order of their names.
#[must_use]
pub fn cases() -> Vec<Case> {
    Vec::new()
}
