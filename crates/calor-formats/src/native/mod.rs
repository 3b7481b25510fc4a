//! The `.calor` format: a header and a sequence of compressed, checksummed chunks, appended while recording,
//! so that a killed process leaves a readable file.
//!
//! A chunk of the kind *part* is a whole profile in itself, with tables of its own; a file is the sum of its
//! parts. So a damaged chunk costs itself alone, and the same chunk serves wherever a piece of a profile has
//! to travel or be kept: [`encode_part`] makes one, [`decode_part`] reads one.
//!
//! ```
//! use calor_formats::native::{self, Writer};
//! use calor_model::Profile;
//!
//! let mut recording = Writer::new(Vec::new())?;
//! recording.write_part(&Profile::default())?; // one a second, say
//! let file = recording.finish()?;
//! assert!(native::read(&file)?.warnings.is_empty());
//!
//! let killed = native::read(&file[..file.len() - 1])?;
//! assert!(killed.warnings.iter().any(|warning| warning.code == "recording_cut_off"));
//! # Ok::<(), calor_formats::Error>(())
//! ```
//!
//! The layout, byte by byte, is in `docs/native-format.md`.

pub mod chunk;
mod decoder;
mod encoder;
mod header;
mod part;
mod reader;
mod split;
mod table;
pub(crate) mod varint;
mod writer;

pub use header::{HEADER_BYTES, MAGIC, VERSION_MAJOR, VERSION_MINOR, header, is_foreign};
pub use reader::{Parts, decode_part, read};
pub use writer::{Writer, encode_part, end_chunk, write};
