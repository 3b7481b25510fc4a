//! Where the time of a running program goes, over the last seconds and since its start. Parts of a recording are taken apart and
//! added up in a [`LiveWindow`], whose size is bounded however long the program runs, and which answers what is hottest
//! and which changes are more than chance. How long a part took is passed in: nothing here reads a clock.

mod amount;
mod digest;
mod ledger;
mod memory;
mod names;
mod rows;
mod span;
mod window;

pub use amount::{LiveFunctionTime, LiveLineTime, LiveThreadTime, LiveWaitTime};
pub use digest::{LiveCall, LivePart, LiveSpot, LiveWait};
pub use memory::{MemoryUsage, ProcessMemory, memory_rates};
pub use names::{LiveFunction, LiveNames, LiveThread, PythonLine};
pub use rows::{LiveList, LiveOrder, LiveQuestion, LiveRow, LiveRowKey, LiveShares};
pub use span::LiveSpan;
pub use window::{LiveRound, LiveWindow};
