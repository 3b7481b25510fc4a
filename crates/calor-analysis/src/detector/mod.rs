//! A detector for programs in production: told what the calls of a scope took in each window of time, it says when they became
//! slower than a baseline of good days, and when that went away.
//!
//! One slow request says nothing, and slow requests that are large ones are no regression. So calls are compared with calls of
//! their own size, windows are added up until chance is ruled out, and nothing is raised that is too small to matter.

mod baseline;
mod watch;
mod window;

pub use baseline::CallBaseline;
pub use watch::{Alarm, Detector, DetectorOptions, Signal};
pub use window::CallWindow;
