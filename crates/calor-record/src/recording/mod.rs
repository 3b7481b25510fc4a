//! A recording of a program, a process or this process: the hall that all rooms of this crate open into. It asks the
//! kernel for events, has samples walked and heaps read, and makes one profile of it. No room knows the hall.

mod account;
mod opening;
mod options;
mod own;
mod progress;
mod session;

pub use options::{Options, Target};
pub use own::{OwnRecording, Source, start_afresh_after_fork};
pub use progress::{Ended, Progress};
pub use session::Recording;
