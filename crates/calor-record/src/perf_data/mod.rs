//! Files of `perf record` as profiles: `perf.data`, and what it writes into a pipe.
//!
//! **You get** the samples of one event as CPU time and those of `sched:sched_switch` as time off the CPU, weighed as
//! the text of `perf script` is; call chains as they were recorded; copies of stacks (`--call-graph dwarf`) walked with
//! the unwinder of this crate; names from the files that were mapped. **You bring** the bytes, and those files: one is
//! used only if it is of the recorded build, by its build id, or, where none was recorded, if it is still the same file
//! on the same machine. Functions of other files are shown as offsets, and warnings say why.
//!
//! The bytes may be cut off, damaged or made to do harm: they are read in place, no count in them is believed before
//! as many bytes are there, and what has to be unpacked or copied has a bound.

mod attributes;
mod build_ids;
mod compression;
mod error;
mod features;
mod files;
mod kernel;
mod layout;
mod records;
mod replay;
mod sample;
mod threads;
mod tracepoint;

use calor_formats::perf_script;
use calor_model::{Profile, Warning};

use crate::call_paths;
use crate::call_paths::naming::Naming;
use crate::python::Functions;
use calor_symbols::{SymbolOptions, Symbolizer};
pub use error::PerfDataError;
use layout::Layout;
use records::Records;
use replay::Replay;

/// How a file is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How functions are named.
    pub symbols: SymbolOptions,
    /// How many frames a path has at most; the outermost are left out.
    pub max_depth: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { symbols: SymbolOptions::default(), max_depth: call_paths::MAX_DEPTH }
    }
}

/// Reads a file of `perf record`.
///
/// # Errors
/// If it is of another kind or machine, or has no samples.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Profile, PerfDataError> {
    let layout = Layout::parse(bytes)?;
    let unpacked = compression::unpack(&layout)?;
    let records = Records::parse(&layout, &unpacked.bytes);
    let features = &layout.features;
    features.check()?;

    let mut replay = Replay::new(features, &layout.events, options.max_depth);
    for record in records.in_order() {
        replay.take(record);
    }
    if replay.samples.is_empty() {
        return Err(PerfDataError::NoSamples {
            records: records.len(),
            is_directory: features.is_directory(),
            stackless: replay.counts.stackless,
        });
    }

    let mut profile = Profile::default();
    let symbolizer = Symbolizer::new(options.symbols.clone());
    let (symbols, problem) = kernel::symbols(&replay);
    let mut naming = Naming::of_another_time(symbolizer, symbols, replay.kernel_start());
    let stacks = naming.stacks(&replay.tally, &replay.images, &Functions::default(), &mut profile);
    naming.warn(&mut profile);
    if replay.is_of_one_clock() {
        naming.count_instructions(&replay.tally, replay.nodes());
        naming.write_code(&replay.images, &mut profile);
    }
    // A cache that cannot be written costs time next time, and nothing now.
    let _ = naming.symbolizer.save();

    let (samples, events) = replay.weighable(&stacks, &mut profile);
    let mut run = features.run();
    run.started_at_unix_nanos = samples
        .iter()
        .map(|sample| sample.at_nanos)
        .min()
        .and_then(|first| features.unix_nanos(first))
        .unwrap_or(0);
    perf_script::finish(&samples, &events, run, bytes, &mut profile);
    replay.warn(&mut profile);
    for warning in layout.warnings(&records, &unpacked).into_iter().chain(problem) {
        profile.warn(warning);
    }
    Ok(profile)
}

/// A warning with a count, if there is something to count.
fn counted(code: &str, message: &str, count: u64) -> Option<Warning> {
    (count > 0).then(|| Warning::counted(code, message, count))
}
