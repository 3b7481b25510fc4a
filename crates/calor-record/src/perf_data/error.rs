//! Why a file of `perf record` cannot be read.

/// What is wrong with the file, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerfDataError {
    /// It is none.
    #[error("expected a file of perf record, which begins with PERFILE2, found {found}, at byte 0")]
    Magic {
        /// What the first bytes are.
        found: String,
    },
    /// It was made by another kind of machine or by an old perf.
    #[error(
        "expected a perf.data file of a 64-bit little-endian machine, found {found}, at {place}: run `perf script` \
         where it was recorded and give its text instead"
    )]
    OtherMachine {
        /// What it is.
        found: String,
        /// What says so.
        place: &'static str,
    },
    /// It ends before it says what was recorded.
    #[error("cut off: expected {expected}, found {found} bytes; copy the file again, or record again")]
    Cut {
        /// What should be there.
        expected: String,
        /// How much there is.
        found: usize,
    },
    /// It does not make sense.
    #[error(
        "damaged: expected {expected}, found {found}, at byte {offset}; copy the file again, or record again"
    )]
    Damaged {
        /// What was expected.
        expected: &'static str,
        /// What was found instead.
        found: String,
        /// Where.
        offset: u64,
    },
    /// Compressed records are out of all proportion.
    #[error(
        "compressed records of {bytes} bytes unpack to more than {limit}, which those of perf do not; record without \
         `-z` if they do"
    )]
    UnpacksToTooMuch {
        /// How large they are.
        bytes: usize,
        /// The most that was expected inside.
        limit: usize,
    },
    /// It holds counts of `perf stat record`.
    #[error("expected samples, found counts of `perf stat record`: record with `perf record -g`")]
    Counts,
    /// It is whole but holds no sample that can be shown.
    #[error("{}", no_samples(*records, *is_directory, *stackless))]
    NoSamples {
        /// How many records there are.
        records: usize,
        /// Whether the samples are in other files of a folder.
        is_directory: bool,
        /// How many samples have neither an address nor a stack.
        stackless: u64,
    },
}

fn no_samples(records: usize, is_directory: bool, stackless: u64) -> String {
    if is_directory {
        return "no samples: this is the index of a recording in a folder; record without `--threads`"
            .to_owned();
    }
    if stackless > 0 {
        return format!(
            "expected samples with a stack, found {stackless} without even an address: record with `perf record -g`"
        );
    }
    format!(
        "no samples among {records} records: the program ended before the first one, or perf was killed; record longer \
         or more often, with `perf record -F 999 -g`"
    )
}
