//! Links compiled out: the same names, with nothing behind them.

/// Nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signal;

/// Nothing.
#[derive(Clone, Copy, Debug)]
pub struct Wait;

/// Nothing.
#[inline(always)]
#[must_use]
pub fn signal() -> Signal {
    Signal
}

/// Nothing.
#[inline(always)]
pub fn wait() -> Wait {
    Wait
}

impl Wait {
    /// Nothing.
    #[inline(always)]
    pub fn end(self, _from: Signal) {}
}
