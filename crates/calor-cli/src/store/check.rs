//! `calor store check`: whether all that was saved can still be read.

use anyhow::{Result, bail};
use calor_analysis::quantity::{bytes, counted};
use clap::Args;

use super::place;
use crate::{news, output, progress};

const EXAMPLES: &str = "\
Examples:
  calor store check";

/// Look at every byte of the store
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(super) struct Arguments {}

pub(super) fn run() -> Result<()> {
    let store = place::open()?;
    let problems = progress::waited("checking the store", || store.check())?;
    let folder = store.folder().display();
    if !problems.is_empty() {
        bail!(
            "the store is damaged: {}; copy what can be read with `calor convert store:ID FILE` and start a new one: \
             {folder}",
            problems.join("; ")
        );
    }
    let (runs, room) = (counted(store.n_runs()?, "run"), bytes(store.disk_bytes()));
    output::write(None, format!("{runs}, {room}, all as it was saved: {folder}\n").as_bytes())?;
    if store.is_on_network() {
        news::say("it lies on a network file system, where readers and writers wait for each other");
    }
    Ok(())
}
