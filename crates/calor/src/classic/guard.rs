//! A call that ends with a block of code, whichever way the block is left.

use super::calls::CallId;
use super::profiler::Profiler;

/// A running call; dropping it stops the call.
///
/// ```
/// let profiler = calor::Profiler::new();
/// {
///     let _guard = calor::ProfileGuard::new(&profiler, "load");
///     // ... what is timed
/// }
/// assert_eq!(profiler.call_count("load"), 1);
/// ```
#[derive(Debug)]
#[must_use = "a guard stops its call when it is dropped: bind it, as in `let _guard = ..`"]
pub struct ProfileGuard<'p> {
    profiler: &'p Profiler,
    call: CallId,
}

impl<'p> ProfileGuard<'p> {
    /// Starts a call that ends when the guard is dropped, on whichever thread that is.
    pub fn new(profiler: &'p Profiler, name: &str) -> Self {
        Self { profiler, call: profiler.compute().open(name) }
    }
}

impl Drop for ProfileGuard<'_> {
    fn drop(&mut self) {
        self.profiler.compute().close(self.call);
    }
}

/// Times the rest of the enclosing block with a [`Profiler`](crate::Profiler).
///
/// ```
/// let profiler = calor::Profiler::new();
/// {
///     calor::profile_scope!(&profiler, "tokenise");
///     // ... what is timed
/// }
/// assert_eq!(profiler.call_count("tokenise"), 1);
/// ```
#[macro_export]
macro_rules! profile_scope {
    ($profiler:expr, $name:expr $(,)?) => {
        let _calor_profile_guard = $crate::ProfileGuard::new($profiler, $name);
    };
}
