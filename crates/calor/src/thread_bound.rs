//! What keeps a guard on the thread that opened it. When one is held across an `await`, the compiler shows the name of
//! the innermost type that may not be sent; so that name says what to do instead.

use std::marker::PhantomData;

/// Put into a guard as its first field, so that the compiler names it before anything else.
pub(crate) type StaysOnItsThread = PhantomData<*const UseInScopeAcrossAwait>;

/// A guard that is held across an `await` would time the waiting of one task as work of another. Record the future
/// instead: `future.in_scope(calor::site!("name")).await`, or `#[calor::profile]` on the `async fn`.
#[derive(Debug)]
pub(crate) struct UseInScopeAcrossAwait;
