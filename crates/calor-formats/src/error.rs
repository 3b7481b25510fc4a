//! What can go wrong between a profile and its bytes. A message says what was expected, what was found and
//! where, and what to do next where there is something to do.

/// Why bytes could not be read as a profile, or a profile not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are of no format that is known here.
    #[error("not a profile: expected a .calor file, found {found}; record one with `calor record`")]
    UnknownFormat {
        /// What the first bytes look like.
        found: String,
    },

    /// The file ends before its header does.
    #[error("cut off inside the file header: expected {expected} bytes, found {found}; record again")]
    HeaderCut {
        /// How long a header is.
        expected: usize,
        /// How many bytes there are.
        found: usize,
    },

    /// The file is of a later format.
    #[error("written by a newer Calor (format {found}); this one reads up to {supported}: update calor")]
    Newer {
        /// The format of the file.
        found: u16,
        /// The newest format that can be read.
        supported: u16,
    },

    /// A chunk is not what a chunk has to be.
    #[error("damaged chunk: expected {expected}, found {found}, at byte {offset}")]
    Chunk {
        /// What was expected.
        expected: &'static str,
        /// What was found instead.
        found: String,
        /// The byte of the input at which the chunk begins.
        offset: u64,
    },

    /// A chunk is whole but its content breaks a rule of the format: it was written so, not damaged later.
    #[error(
        "invalid content ({what}): expected {expected}, found {found}, at byte {position} of the chunk at \
         byte {chunk_offset}; the program that wrote this file has a bug or the file was tampered with"
    )]
    Content {
        /// The piece of the profile.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was found instead.
        found: String,
        /// The byte of the chunk's content, after decompression.
        position: usize,
        /// The byte of the input at which the chunk begins.
        chunk_offset: u64,
    },

    /// A profile does not fit into one chunk.
    #[error("a part of {bytes} bytes is too large: at most {limit} fit into a chunk; write smaller parts")]
    TooLarge {
        /// How large it would be.
        bytes: usize,
        /// How large it may be.
        limit: usize,
    },

    /// A profile has a handle that its own tables do not have, so no reader could make sense of it.
    #[error("a handle ({what}) is not of this profile's tables: it was taken from another profile")]
    ForeignHandle {
        /// The piece of the profile.
        what: &'static str,
    },

    /// A profile has a set of more labels than the format allows.
    #[error("a set of {found} labels is too large: at most {limit} are allowed; drop some labels")]
    TooManyLabels {
        /// How many labels the set has.
        found: usize,
        /// How many are allowed.
        limit: usize,
    },

    /// The bytes could not be written.
    #[error("cannot write the profile: {0}")]
    Write(#[from] std::io::Error),
}
