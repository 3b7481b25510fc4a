//! Calor compiled out: the same names, with nothing behind them. No clock, no thread-local, no dependency;
//! the optimiser removes what is left.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place in the source that would open a scope.
#[derive(Debug)]
pub struct Site;

impl Site {
    /// Nothing.
    #[must_use]
    pub const fn new(_name: &'static str, _module: &'static str, _file: &'static str, _line: u32) -> Self {
        Self
    }

    /// Nothing.
    #[must_use]
    pub const fn context(
        _name: &'static str,
        _module: &'static str,
        _file: &'static str,
        _line: u32,
    ) -> Self {
        Self
    }

    /// Nothing.
    #[must_use]
    pub fn named(_name: &str) -> &'static Self {
        &Self
    }

    /// Nothing.
    #[must_use]
    pub fn named_context(_name: &str) -> &'static Self {
        &Self
    }

    /// Nothing.
    #[must_use]
    pub fn made(
        _name: &str,
        _module: &str,
        _file: &str,
        _line: u32,
        _labels: &[(&'static str, &str)],
    ) -> &'static Self {
        &Self
    }

    /// Nothing.
    #[must_use]
    pub fn made_context(_name: &str, _module: &str, _file: &str, _line: u32) -> &'static Self {
        &Self
    }

    /// Nothing.
    pub fn set_call_work(&self, _work: CallWork) -> bool {
        false
    }

    /// Nothing.
    #[must_use]
    pub fn call_work(&self) -> Option<CallWork> {
        None
    }

    /// Nothing.
    pub fn add_labels(&self, _labels: &[(&'static str, &str)]) -> bool {
        false
    }

    /// Itself.
    #[must_use]
    #[inline(always)]
    pub fn labelled(&'static self, _labels: &[(&'static str, crate::LabelValue<'_>)]) -> &'static Self {
        self
    }
}

/// What one call of a scope would do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallWork {
    /// Elements it works on.
    pub elements: u64,
    /// Bytes it reads and writes.
    pub bytes: u64,
    /// Operations on floating-point numbers.
    pub flops: u64,
    /// What serves it, such as `"blas"`.
    pub backend: Option<&'static str>,
}

/// A recorder that there is not.
#[derive(Clone, Copy, Debug)]
pub struct Here(());

impl Here {
    /// None.
    #[must_use]
    pub fn get() -> Option<Self> {
        None
    }
}

/// A node that there is not.
#[derive(Clone, Copy, Debug)]
pub struct LastNode(());

impl LastNode {
    /// None.
    pub const NONE: Self = Self(());
}

/// A scope that is not recorded.
#[derive(Debug)]
pub struct Scope {
    _stays_on_its_thread: crate::thread_bound::StaysOnItsThread,
}

/// A scope that is not recorded.
pub type CountedScope = Scope;

/// A call that is not recorded.
#[derive(Debug)]
pub struct CallScope;

impl CallScope {
    /// Opens nothing.
    #[inline(always)]
    pub fn enter(_site: &'static Site) -> Self {
        Self
    }
}

impl Scope {
    /// Nothing.
    #[inline(always)]
    pub fn enter(_site: &'static Site) -> Self {
        Self { _stays_on_its_thread: std::marker::PhantomData }
    }

    /// Nothing.
    #[inline(always)]
    pub fn enter_one_in(site: &'static Site, _n: u32) -> Self {
        Self::enter(site)
    }

    /// Nothing.
    #[inline(always)]
    pub fn enter_labelled(site: &'static Site, _labels: &[(&'static str, crate::LabelValue<'_>)]) -> Self {
        Self::enter(site)
    }

    /// Nothing.
    #[inline(always)]
    pub fn enter_labelled_one_in(
        site: &'static Site,
        _labels: &[(&'static str, crate::LabelValue<'_>)],
        _n: u32,
    ) -> Self {
        Self::enter(site)
    }

    /// Always `false`.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        false
    }

    /// Nothing.
    #[inline(always)]
    pub fn elements(&self, _n: u64) -> &Self {
        self
    }

    /// Nothing.
    #[inline(always)]
    pub fn bytes(&self, _n: u64) -> &Self {
        self
    }

    /// Nothing.
    #[inline(always)]
    pub fn flops(&self, _n: u64) -> &Self {
        self
    }

    /// Nothing.
    #[inline(always)]
    pub fn end_with(self, _work: impl FnOnce() -> CallWork) {}

    /// Nothing.
    #[inline(always)]
    pub fn backend(&self, _name: &'static str) -> &Self {
        self
    }

    /// Nothing.
    #[inline(always)]
    pub fn add(&self, _counter: &'static str, _n: impl crate::Amount) -> &Self {
        self
    }
}

// Compiled in, a scope does something when it is dropped; code that says `drop(scope)` must not warn here.
impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// A life that is not recorded.
#[derive(Debug)]
pub struct Life;

impl Life {
    /// Nothing.
    #[must_use]
    pub const fn new(_site: &'static Site) -> Self {
        Self
    }

    /// Nothing.
    #[inline(always)]
    pub fn step(&mut self) -> Scope {
        Scope { _stays_on_its_thread: std::marker::PhantomData }
    }

    /// Nothing.
    #[inline(always)]
    pub fn pause(&mut self, _scope: &Scope) {}

    /// Nothing.
    #[inline(always)]
    pub fn complete(&mut self, _scope: Option<&Scope>) {}
}

/// The name of a recorded future; compiled out, futures stay what they are.
#[derive(Debug)]
pub struct Scoped<F>(std::marker::PhantomData<F>);

impl<F: Future> Scoped<F> {
    /// The future as it is.
    #[expect(clippy::new_ret_no_self, reason = "nothing is wrapped when compiled out")]
    pub fn new(_site: &'static Site, future: F) -> F {
        future
    }
}

/// Lets any future be recorded, if Calor were compiled in.
pub trait InScope: Future + Sized {
    /// The future as it is.
    fn in_scope(self, _site: &'static Site) -> Self {
        self
    }
}

impl<F: Future> InScope for F {}

/// Nothing.
pub fn name_threads_by(_namer: fn() -> Option<String>) {}

/// How to record.
#[derive(Clone, Debug, Default)]
pub struct Options;

impl Options {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// Nothing.
    #[must_use]
    pub fn timeline(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    #[must_use]
    pub fn timeline_events(self, _events: usize) -> Self {
        self
    }

    /// Nothing.
    #[must_use]
    pub fn time_one_in(self, _n: u32) -> Self {
        self
    }
}

/// How to record to a file.
#[derive(Clone, Debug, Default)]
pub struct RecordingOptions;

impl RecordingOptions {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// Nothing.
    #[must_use]
    pub fn timeline(self, _on: bool) -> Self {
        self
    }

    /// Nothing.
    #[must_use]
    pub fn interval(self, _interval: Duration) -> Self {
        self
    }

    /// Nothing.
    #[must_use]
    pub fn span_limit_bytes(self, _bytes: u64) -> Self {
        self
    }
}

/// A recording that does not take place.
#[derive(Clone, Debug)]
pub struct Recording;

impl Recording {
    /// Always `None`.
    #[must_use]
    pub fn stop(&self) -> Option<Recorded> {
        None
    }

    /// That Calor is compiled out.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        Some(String::from(COMPILED_OUT))
    }

    /// Always 0.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        0
    }
}

/// What became of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What went wrong last, if anything did.
    pub problem: Option<String>,
}

/// Why nothing is recorded.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// Calor is compiled out.
    CompiledOut,
}

const COMPILED_OUT: &str = "calor is compiled out of this program; build it with calor's feature `record`";

impl std::fmt::Display for RecordingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(COMPILED_OUT)
    }
}

impl std::error::Error for RecordingError {}

/// Nothing; the handle says why.
pub fn start_recording(_path: impl AsRef<Path>) -> Recording {
    Recording
}

/// Always an error.
///
/// # Errors
/// Always: there is nothing to record.
pub fn try_start_recording(
    _path: impl AsRef<Path>,
    _options: &RecordingOptions,
) -> Result<Recording, RecordingError> {
    Err(RecordingError::CompiledOut)
}

/// Always an error; the sink is dropped.
///
/// # Errors
/// Always: there is nothing to record.
pub fn start_recording_to<S>(_sink: S, _options: &RecordingOptions) -> Result<Recording, RecordingError> {
    Err(RecordingError::CompiledOut)
}

/// Always `None`.
pub fn stop_recording() -> Option<Recorded> {
    None
}

/// Nothing.
pub fn set_label(_key: impl Into<String>, _value: impl Into<String>) {}

/// Nothing.
pub fn enable() {}

/// Nothing.
pub fn enable_with(_options: &Options) {}

/// Nothing.
pub fn disable() {}

/// Always `false`.
#[must_use]
pub fn is_enabled() -> bool {
    false
}

/// Nothing.
pub fn reset() {}
