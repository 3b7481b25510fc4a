//! What is added up for a function, a line, a thread, a place to wait. All in nanoseconds.

use super::ledger::Amount;

/// Time of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiveFunctionTime {
    /// In the function itself.
    pub own: u64,
    /// There or in what it called.
    pub total: u64,
}

/// Time of a line of Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiveLineTime {
    /// On the line, with the compiled code that it called.
    pub own: u64,
    /// There or in Python that it called.
    pub total: u64,
    /// The part of its own time that was spent outside the interpreter.
    pub native: u64,
}

/// Time of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiveThreadTime {
    /// On a processor.
    pub running: u64,
    /// Blocked.
    pub waiting: u64,
    /// While it ran: it held the interpreter's lock.
    pub gil_held: u64,
}

/// Time waited at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiveWaitTime {
    /// How long.
    pub nanos: u64,
    /// How often.
    pub count: u64,
}

impl Amount for LiveFunctionTime {
    fn add(&mut self, other: Self) {
        self.own += other.own;
        self.total += other.total;
    }

    fn weight(self) -> u64 {
        self.total
    }
}

impl Amount for LiveLineTime {
    fn add(&mut self, other: Self) {
        self.own += other.own;
        self.total += other.total;
        self.native += other.native;
    }

    fn weight(self) -> u64 {
        self.total
    }
}

impl Amount for LiveThreadTime {
    fn add(&mut self, other: Self) {
        self.running += other.running;
        self.waiting += other.waiting;
        self.gil_held += other.gil_held;
    }

    fn weight(self) -> u64 {
        self.running.saturating_add(self.waiting)
    }
}

impl Amount for LiveWaitTime {
    fn add(&mut self, other: Self) {
        self.nanos += other.nanos;
        self.count += other.count;
    }

    fn weight(self) -> u64 {
        self.nanos
    }
}
