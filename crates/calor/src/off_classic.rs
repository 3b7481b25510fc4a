//! The classic object API compiled out: what programs record with does nothing, and what they would read is
//! empty. Profiles, operations and bottlenecks have no types here, because nothing could make one.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

const COMPILED_OUT: &str = "calor is compiled out of this program; build it with calor's feature `report`";

/// The result of what can go wrong here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to report.
    CompiledOut,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(COMPILED_OUT)
    }
}

impl std::error::Error for Error {}

/// How a call went: always well.
#[derive(Debug)]
pub struct Outcome<T>(T);

impl<T> Outcome<T> {
    /// Always `Ok`.
    ///
    /// # Errors
    /// Never.
    pub fn into_result(self) -> Result<T> {
        Ok(self.0)
    }

    /// Always `true`.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        true
    }

    /// Always `false`.
    #[must_use]
    pub fn is_err(&self) -> bool {
        false
    }

    /// Always the value.
    #[must_use]
    pub fn ok(self) -> Option<T> {
        Some(self.0)
    }

    /// Always `None`.
    #[must_use]
    pub fn err(self) -> Option<Error> {
        None
    }

    /// The value.
    pub fn unwrap(self) -> T {
        self.0
    }
}

impl<T> From<Outcome<T>> for Result<T> {
    fn from(outcome: Outcome<T>) -> Self {
        Ok(outcome.0)
    }
}

/// Methods that do nothing, for types that have some of the same.
macro_rules! nothing {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty = $value:expr)?;)*) => {$(
        /// Nothing.
        #[inline(always)]
        $(#[$meta])*
        pub fn $name(&self, $($argument: $type),*) $(-> $result)? {
            $(let _ = $argument;)*
            $($value)?
        }
    )*};
}

/// Profilers that record nothing.
macro_rules! profilers {
    ($($(#[$doc:meta])* $name:ident { $($methods:tt)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $name;

        impl $name {
            /// Nothing.
            #[must_use]
            pub fn new() -> Self {
                Self
            }

            nothing! { $($methods)* }
        }
    )*};
}

profilers! {
    /// A profiler that records nothing.
    Profiler {
        fn start(_name: &str);
        fn start_with_flops(_name: &str, _flops: f64);
        fn stop(_name: &str) -> Outcome<Duration> = Outcome(Duration::ZERO);
        fn record_alloc(_name: &str, _bytes: usize);
        fn record_free(_name: &str, _bytes: usize) -> Outcome<()> = Outcome(());
        #[must_use]
        fn total_time(_name: &str) -> Duration = Duration::ZERO;
        #[must_use]
        fn avg_time(_name: &str) -> Duration = Duration::ZERO;
        #[must_use]
        fn call_count(_name: &str) -> u64 = 0;
        #[must_use]
        fn is_running(_name: &str) -> bool = false;
        #[must_use]
        fn current_memory() -> usize = 0;
        #[must_use]
        fn peak_memory() -> usize = 0;
        #[must_use]
        fn summary() -> Report = Report;
        fn print_summary();
        fn reset();
    }
    /// A profiler that records nothing.
    ComputeProfiler {
        fn start(_name: &str);
        fn start_with_flops(_name: &str, _flops: f64);
        fn start_with_work(_name: &str, _flops: f64, _bytes: u64);
        fn stop(_name: &str) -> Outcome<Duration> = Outcome(Duration::ZERO);
        #[must_use]
        fn total_time(_name: &str) -> Duration = Duration::ZERO;
        #[must_use]
        fn avg_time(_name: &str) -> Duration = Duration::ZERO;
        #[must_use]
        fn call_count(_name: &str) -> u64 = 0;
        fn reset();
    }
    /// A profiler that records nothing.
    MemoryProfiler {
        fn record_alloc(_name: &str, _bytes: usize);
        fn record_free(_name: &str, _bytes: usize) -> Outcome<()> = Outcome(());
        #[must_use]
        fn current() -> usize = 0;
        #[must_use]
        fn peak() -> usize = 0;
        fn reset();
    }
    /// A profiler that records nothing.
    TimelineProfiler {
        fn event(_name: &str);
        fn event_with(_name: &str, _metadata: &[(&str, &str)]);
        fn start(_name: &str);
        fn start_with(_name: &str, _metadata: &[(&str, &str)]);
        fn stop(_name: &str) -> Outcome<Duration> = Outcome(Duration::ZERO);
        fn reset();
    }
}

/// A call that is not timed.
#[derive(Debug)]
pub struct ProfileGuard<'p>(PhantomData<&'p Profiler>);

impl<'p> ProfileGuard<'p> {
    /// Nothing.
    #[inline(always)]
    pub fn new(_profiler: &'p Profiler, _name: &str) -> Self {
        Self(PhantomData)
    }
}

// As for `Scope`: code that says `drop(guard)` must not warn here.
impl Drop for ProfileGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// Nothing: Calor is compiled out.
#[macro_export]
macro_rules! profile_scope {
    ($profiler:expr, $name:expr $(,)?) => {
        let _calor_profile_guard = $crate::ProfileGuard::new($profiler, $name);
    };
}

/// The formats that a report would come in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[expect(missing_docs, reason = "named for what they are")]
pub enum ReportFormat {
    #[default]
    Text,
    Json,
    Markdown,
    Html,
    Csv,
}

/// A report that says that Calor is compiled out.
#[derive(Clone, Debug)]
pub struct Report;

impl Report {
    /// Always an error: no file is written.
    ///
    /// # Errors
    /// Always.
    pub fn export(&self, _path: impl AsRef<Path>, _format: ReportFormat) -> Result<()> {
        Err(Error::CompiledOut)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(COMPILED_OUT)
    }
}

/// A profiler that records nothing.
pub fn global_profiler() -> &'static Profiler {
    &Profiler
}

/// Nothing.
pub fn start(_name: &str) {}

/// Nothing.
pub fn stop(_name: &str) -> Outcome<Duration> {
    Outcome(Duration::ZERO)
}

/// Nothing.
pub fn record_alloc(_name: &str, _bytes: usize) {}

/// Nothing.
pub fn record_free(_name: &str, _bytes: usize) -> Outcome<()> {
    Outcome(())
}

/// That Calor is compiled out.
#[must_use]
pub fn report() -> String {
    format!("{COMPILED_OUT}\n")
}
