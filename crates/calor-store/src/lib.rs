//! Profiles kept: a folder in which every saved run stays readable, and can be found again.
//!
//! **You get** a catalogue of [saved runs](SavedRun): when, what, how long, on which [machine](Machine), of which
//! [commit](Revision), with labels and settings; [selectors](Selector) that people type, such as `latest~1` or
//! `build=fast`; [baselines](Baseline), which are named sets of runs; and [bounds](Bounds) for what is kept. Listing reads
//! the catalogue alone, never a profile; a history reads [sums](ScopeSums) by scope that are kept of each run. And you get
//! [blocks](Blocks): what services report part by part, by series and time.
//!
//! [`Runs`] and [`Blocks`] are what others may be written against; [`Store`] is both, in SQLite.
//!
//! **You bring** the profile, and a [`Note`] of what it does not know itself. This crate prints nothing and asks nobody;
//! it is the only one that knows how a store lies on the disk.
//!
//! **What is promised.** A save is whole or it did not happen, whatever ends the process or the machine: nothing that was
//! saved before is touched by it. Several processes may save and read at once; a writer waits for the one before it. A
//! database of someone else, or of a later version, is refused and stays as it is.
//!
//! ```
//! use calor_model::Profile;
//! use calor_store::{Filter, Note, Selector, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let mut store = Store::create(&folder.path().join(".calor"))?;
//! let note = Note::default().label("build", "fast");
//! let saved = store.save(&Profile::default(), &note)?;
//!
//! let run = store.find_one(&"build=fast".parse::<Selector>()?)?;
//! assert_eq!(run.id, saved.id);
//! assert!(store.profile(&run.id)?.is_empty());
//! assert_eq!(store.runs(&Filter::default())?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Store`] is one connection: it may be sent to another thread, and several of them may be open on one folder.

#![forbid(unsafe_code)]

mod baseline;
mod blocks;
mod bounds;
mod catalogue;
mod content;
mod database;
mod digest;
mod dismissal;
mod encoded;
mod error;
mod integrity;
mod journal;
mod machine;
mod migration;
mod note;
mod place;
mod revision;
mod runs;
mod save;
mod saved_id;
mod saved_run;
mod selector;
mod summary;
mod sums;
mod totals;
mod verification;

pub use baseline::{Baseline, BaselineNote, check_baseline_name};
pub use blocks::{
    Appended, BlockSink, Blocks, Expired, KeptSeries, Limits, Merged, Sealed, Series, SeriesFilter,
    SeriesSums, StepSum,
};
pub use bounds::{Bounds, Removed};
pub use catalogue::Filter;
pub use database::Store;
pub use dismissal::Dismissal;
pub use encoded::Encoded;
pub use error::Error;
pub use machine::Machine;
pub use note::{Note, check_label};
pub use place::{FOLDER, nearest};
pub use revision::{Revision, commits_after};
pub use runs::Runs;
pub use save::Saved;
pub use saved_id::SavedId;
pub use saved_run::SavedRun;
pub use selector::Selector;
pub use summary::{Scope, Sum, SumKind};
pub use sums::{ScopeSums, SummedUp};
pub use totals::Totals;
pub use verification::Verification;
