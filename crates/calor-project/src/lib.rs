//! A project: what the command, the Python package and a server ask alike about the folder that they work in.
//!
//! **You bring** a folder and the [`Environment`]. **You get** a [`Project`]: its settings (`calor.toml`), the folder of its
//! store, its own rules and what it suppresses, what this machine can reach, and the profile behind a name, a file or a
//! `store:` reference.
//!
//! **What it does not do.** It prints nothing and asks for no working folder; there are no statics, so several projects may
//! live in one process. What only one program knows, such as how the command records, is a section of the settings that
//! this program brings the type of.

#![forbid(unsafe_code)]

mod environment;
mod error;
mod kept_roof;
mod own_rules;
mod profile;
mod project;
mod reference;
mod settings;
mod suppression;
mod trouble;
mod unread;

pub use environment::Environment;
pub use error::Error;
pub use kept_roof::{holds_against_this_machine, kept_roof};
pub use own_rules::read_rules;
pub use profile::{MOST_BYTES, Progress, Silent, bounded, decoded, encoded};
pub use project::Project;
pub use reference::{runs, selector};
pub use settings::{FindingsSettings, NAME, Settings, StoreSettings};
pub use suppression::suppression;
pub use trouble::Trouble;
pub use unread::Unread;
