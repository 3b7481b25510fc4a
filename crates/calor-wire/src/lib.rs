//! Calor's answers as programs read them: the types of all its JSON.
//!
//! **You bring** an answer of `calor-analysis`, or what else a page is about. **You get** a value whose fields are the promise
//! of `docs/json.md`, and an [`Envelope`] that prints it. The JSON of the command, the dictionaries of Python and what a server
//! returns are made of these types and of nothing else.
//!
//! Fields are values and words, without rounding and without choices: what is shown and how is for pages that people read.
//! Where the words of a field are few and fixed, `words` lists them. With the feature `schema`, [`schemas`] describes every page
//! as a JSON Schema; descriptions are the comments of the fields, so a comment here is read by users.

#![forbid(unsafe_code)]
#![expect(
    missing_docs,
    reason = "the name of a field is all there is to say of most; comments go into the schemas"
)]

pub mod ab;
pub mod annotation;
pub mod baseline;
pub mod bench;
mod call_path;
pub mod check;
pub mod compare;
pub mod confirm;
pub mod doctor;
mod envelope;
pub mod findings;
pub mod forecast;
pub mod heap;
pub mod history;
mod moment;
pub mod roofline;
#[cfg(feature = "schema")]
mod schema;
mod simd;
pub mod stat;
pub mod store;
pub mod verify;
pub mod verify_score;
mod warning;
pub mod what_if;
pub mod why;
#[cfg(feature = "schema")]
mod words;

pub use call_path::{CallPath, HeapPath, PythonLine};
pub use envelope::{Envelope, Schema};
pub use moment::utc;
#[cfg(feature = "schema")]
pub use schema::{PageSchema, schemas};
pub use simd::Simd;
pub use warning::Warning;
