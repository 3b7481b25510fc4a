//! What is added up for a function, a line, a thread, a place to wait. All in nanoseconds.

use super::ledger::Amount;

/// Time of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct FunctionTime {
    /// In the function itself.
    pub(super) own: u64,
    /// There or in what it called.
    pub(super) total: u64,
}

/// Time of a line of Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LineTime {
    /// On the line, with the compiled code that it called.
    pub(super) own: u64,
    /// There or in Python that it called.
    pub(super) total: u64,
    /// The part of its own time that was spent outside the interpreter.
    pub(super) native: u64,
}

/// Time of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ThreadTime {
    pub(super) running: u64,
    pub(super) waiting: u64,
    /// While it ran: it held the interpreter's lock.
    pub(super) gil_held: u64,
}

/// Time waited at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct WaitTime {
    pub(super) nanos: u64,
    pub(super) count: u64,
}

impl Amount for FunctionTime {
    fn add(&mut self, other: Self) {
        self.own += other.own;
        self.total += other.total;
    }

    fn weight(self) -> u64 {
        self.total
    }
}

impl Amount for LineTime {
    fn add(&mut self, other: Self) {
        self.own += other.own;
        self.total += other.total;
        self.native += other.native;
    }

    fn weight(self) -> u64 {
        self.total
    }
}

impl Amount for ThreadTime {
    fn add(&mut self, other: Self) {
        self.running += other.running;
        self.waiting += other.waiting;
        self.gil_held += other.gil_held;
    }

    fn weight(self) -> u64 {
        self.running.saturating_add(self.waiting)
    }
}

impl Amount for WaitTime {
    fn add(&mut self, other: Self) {
        self.nanos += other.nanos;
        self.count += other.count;
    }

    fn weight(self) -> u64 {
        self.nanos
    }
}
