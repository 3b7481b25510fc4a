//! What keeps runs: the catalogue that the command, Python and a server ask alike.

use calor_formats::native;
use calor_model::Profile;

use crate::{
    Baseline, BaselineNote, Bounds, Encoded, Error, Filter, Note, Removed, Saved, SavedId, SavedRun, Scope,
    ScopeSums, Selector, Store, SumKind, SummedUp,
};

/// Where runs are kept, one profile each.
///
/// What every implementation promises, and its tests hold it to:
///
/// - What [`save_encoded`](Self::save_encoded) returned for is on the disk. A save is whole or it did not happen, and nothing that
///   was saved before is touched by it.
/// - The id of a run follows from its bytes: the same file saved again is the same run, with the labels of both saves; and its
///   bytes are given back as they were.
/// - Lists, [`sums`](Self::sums) and selectors read no profile.
/// - A run of a baseline is not removed, whatever bounds say.
/// - Several processes may save and read at once.
pub trait Runs {
    /// Saves a profile by the bytes that are there.
    ///
    /// # Errors
    /// When it cannot be written; everything is then as it was.
    fn save_encoded(&mut self, encoded: &Encoded, note: &Note) -> Result<Saved, Error>;

    /// A saved profile as the `.calor` file it is.
    ///
    /// # Errors
    /// When there is no such run, or some of its bytes are missing.
    fn bytes(&self, id: &SavedId) -> Result<Vec<u8>, Error>;

    /// A saved profile.
    ///
    /// # Errors
    /// When there is no such run, or its bytes are damaged.
    fn profile(&self, id: &SavedId) -> Result<Profile, Error> {
        Ok(native::read(&self.bytes(id)?)?)
    }

    /// The runs of a filter, the last saved first.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    fn runs(&self, filter: &Filter) -> Result<Vec<SavedRun>, Error>;

    /// The run that a selector means, or the several of a baseline.
    ///
    /// # Errors
    /// When there is none, or a beginning of an id is that of several.
    fn find(&self, selector: &Selector) -> Result<Vec<SavedRun>, Error>;

    /// Makes a baseline of some runs, in the place of the one that had the name. Says whether there was one.
    ///
    /// # Errors
    /// When the name cannot be one, a run does not exist, or there is none; the old one then stays.
    fn set_baseline(&mut self, name: &str, runs: &[SavedId], note: &BaselineNote) -> Result<bool, Error>;

    /// All baselines, by name.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    fn baselines(&self) -> Result<Vec<Baseline>, Error>;

    /// Removes a baseline; its runs stay.
    ///
    /// # Errors
    /// When there is none of this name.
    fn remove_baseline(&mut self, name: &str) -> Result<(), Error>;

    /// The runs that bounds would remove, the oldest first; none where no bound is given.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    fn beyond(&self, bounds: &Bounds) -> Result<Vec<SavedRun>, Error>;

    /// Removes runs: all of them, or none.
    ///
    /// # Errors
    /// When one does not exist or belongs to a baseline.
    fn remove(&mut self, runs: &[SavedId]) -> Result<Removed, Error>;

    /// Makes sure that there are sums of these runs, which saves write but earlier versions did not; `done` is called after each
    /// profile that had to be read.
    ///
    /// # Errors
    /// When the store cannot be read or written. A run that cannot be read does not keep the others from it.
    fn sum_up(&mut self, runs: &[SavedRun], done: &mut dyn FnMut()) -> Result<SummedUp, Error>;

    /// What scopes took in some runs: all scopes, or one.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn sums(&self, kind: SumKind, scope: Option<&Scope>, runs: &[SavedRun]) -> Result<Vec<ScopeSums>, Error>;

    /// How long the canary took in some runs.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn canaries(&self, runs: &[SavedRun]) -> Result<Vec<Option<u64>>, Error>;
}

impl Runs for Store {
    fn save_encoded(&mut self, encoded: &Encoded, note: &Note) -> Result<Saved, Error> {
        Store::save_encoded(self, encoded, note)
    }

    fn bytes(&self, id: &SavedId) -> Result<Vec<u8>, Error> {
        Store::bytes(self, id)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<SavedRun>, Error> {
        Store::runs(self, filter)
    }

    fn find(&self, selector: &Selector) -> Result<Vec<SavedRun>, Error> {
        Store::find(self, selector)
    }

    fn set_baseline(&mut self, name: &str, runs: &[SavedId], note: &BaselineNote) -> Result<bool, Error> {
        Store::set_baseline(self, name, runs, note)
    }

    fn baselines(&self) -> Result<Vec<Baseline>, Error> {
        Store::baselines(self)
    }

    fn remove_baseline(&mut self, name: &str) -> Result<(), Error> {
        Store::remove_baseline(self, name)
    }

    fn beyond(&self, bounds: &Bounds) -> Result<Vec<SavedRun>, Error> {
        Store::beyond(self, bounds)
    }

    fn remove(&mut self, runs: &[SavedId]) -> Result<Removed, Error> {
        Store::remove(self, runs)
    }

    fn sum_up(&mut self, runs: &[SavedRun], done: &mut dyn FnMut()) -> Result<SummedUp, Error> {
        Store::sum_up(self, runs, done)
    }

    fn sums(&self, kind: SumKind, scope: Option<&Scope>, runs: &[SavedRun]) -> Result<Vec<ScopeSums>, Error> {
        Store::sums(self, kind, scope, runs)
    }

    fn canaries(&self, runs: &[SavedRun]) -> Result<Vec<Option<u64>>, Error> {
        Store::canaries(self, runs)
    }
}
