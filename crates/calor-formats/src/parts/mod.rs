//! A recording on its way, part by part: from whoever records to a file, another thread, a store or a wire.
//!
//! A [`Part`] is what happened in one [`Window`] of time, as a profile; merging all parts gives the whole. A [`PartSink`] is where
//! parts go. It takes a part whole or refuses it, and never makes the recorder wait. A [`PartStream`] stands between the two and
//! decides, for all sinks alike, what becomes of what was refused: statistics wait and go with the next part, spans are dropped
//! and counted.
//!
//! [`PartFile`] is the sink that is a `.calor` file, [`channel`] the one that hands parts to another thread.
//!
//! ```
//! use calor_formats::parts::{PartStream, channel};
//! use calor_model::Profile;
//!
//! let (sink, parts) = channel(4);
//! let mut stream = PartStream::new(sink);
//! stream.add(Profile::default())?; // one a second, say
//! stream.end()?;
//! assert_eq!(parts.iter().count(), 1);
//! # Ok::<(), std::io::Error>(())
//! ```

mod channel;
mod file;
mod part;
mod sink;
mod stream;

pub use channel::{PartSender, channel};
pub use file::PartFile;
pub use part::{Part, Window};
pub use sink::{PartSink, Refused};
pub use stream::PartStream;
