//! A detector for programs in production: told what the calls of a scope took in each window of time, it says when they became
//! slower than a baseline of good days, and when that went away.
//!
//! One slow request says nothing, and slow requests that are large ones are no regression. So calls are compared with calls of
//! their own size, windows are added up until chance is ruled out, and nothing is raised that is too small to matter.
//!
//! A program that watches itself keeps a [`CallWindow`] for each scope and minute, makes a [`CallBaseline`] of the windows of a
//! good day (one for each hour of the week, where those differ), and shows each new window to the [`Detector`] of the scope.

mod baseline;
mod watch;
mod window;

pub use baseline::CallBaseline;
pub use watch::{Alarm, Detector, DetectorOptions, Signal};
pub use window::CallWindow;
