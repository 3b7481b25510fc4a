//! What [`Runs`] and [`Blocks`] promise, asked of every implementation alike. A new one is one more line in [`for_each`].

mod blocks;
mod runs;

use calor_store::{Blocks, Runs, Store};

/// Something that keeps runs and blocks.
pub(crate) trait Keeper: Runs + Blocks {}

impl<K: Runs + Blocks> Keeper for K {}

/// Checks every implementation, each of them empty.
fn for_each(check: impl Fn(&mut dyn Keeper)) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    check(&mut Store::create(&folder.path().join("store")).expect("a store can be made"));
    check(&mut Store::in_memory().expect("there is memory"));
}
