//! The recorder of one thread, found once and kept. A program finds its thread's block in one instruction; a library that was
//! loaded later has to call for it, twice a scope. Bindings to other languages know their thread anyway.

#![expect(unsafe_code, reason = "whoever keeps a handle promises to use it on its thread")]

use std::mem::ManuallyDrop;

use crate::{CallScope, CallWork, Scope, Site};

use super::block::Block;
use super::last_node::{self, LastNode};
use super::scope::{enter, enter_one_in, leave_counted, leave_in_place, tell};

use super::{registry, state};

/// The recorder of the thread that asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Here(*const Block);

impl Here {
    /// That of this thread; `None` while the recorder is off, and while the thread is torn down.
    #[must_use]
    pub fn get() -> Option<Self> {
        if !state::is_on() {
            return None;
        }
        registry::current_up_to_date().map(|block| Self(std::ptr::from_ref(block)))
    }

    /// Opens a scope. [`Here::leave`] closes it; dropped, it looks for its thread again.
    ///
    /// # Safety
    /// As for [`Here::around`].
    #[inline(always)]
    pub unsafe fn enter(self, site: &'static Site) -> Scope {
        let word = state::load();
        // SAFETY: blocks are never freed, and by the caller's promise it is that of this thread.
        let block: &'static Block = unsafe { &*self.0 };
        if block.quick_state.get() != word || word & state::ON == 0 {
            return Scope::enter(site);
        }
        enter(block, site)
    }

    /// Closes a scope.
    ///
    /// # Safety
    /// As for [`Here::around`].
    #[inline(always)]
    pub unsafe fn leave(self, scope: Scope) {
        let scope = ManuallyDrop::new(scope);
        if let Some((node, start)) = scope.parts() {
            // SAFETY: as above.
            leave_in_place(unsafe { &*self.0 }, node, start);
        }
    }

    /// Opens a call of a function. [`Here::leave_call`] closes it; dropped, it looks for its thread again.
    ///
    /// # Safety
    /// As for [`Here::around`].
    #[inline(always)]
    pub unsafe fn enter_call(self, site: &'static Site) -> CallScope {
        // SAFETY: as above; nothing is kept.
        unsafe { CallScope::enter_on(&*self.0, site, std::ptr::null_mut()) }
    }

    /// The same for a function that keeps its node between calls: nearly all have one caller that matters.
    ///
    /// # Safety
    /// As for [`Here::around`]; `last` is null, or nobody else reads or writes it meanwhile.
    #[inline(always)]
    pub unsafe fn enter_call_again(self, site: &'static Site, last: *mut LastNode) -> CallScope {
        // SAFETY: by the caller's promise.
        unsafe { CallScope::enter_on(&*self.0, site, last) }
    }

    /// Closes a call of a function.
    ///
    /// # Safety
    /// As for [`Here::around`].
    #[inline(always)]
    pub unsafe fn leave_call(self, call: CallScope) {
        // SAFETY: as above.
        call.leave_on(unsafe { &*self.0 });
    }

    /// Runs something as a scope, and then asks what it did, if that has to be said: neither finding that out nor saying it
    /// takes any of its time.
    ///
    /// # Safety
    /// It is called on the thread that the handle was got on.
    #[inline(always)]
    pub unsafe fn around<T>(
        self,
        site: &'static Site,
        run: impl FnOnce() -> T,
        did: impl FnOnce(&T) -> Option<CallWork>,
    ) -> T {
        let word = state::load();
        // SAFETY: blocks are never freed, and by the caller's promise it is that of this thread.
        let block: &'static Block = unsafe { &*self.0 };
        if block.quick_state.get() != word || word & state::ON == 0 {
            return around_otherwise(site, run, did);
        }
        // Kept from closing itself, which would look for the block again. Should `run` panic it is closed by the scope around
        // it, as one that was leaked.
        let scope = ManuallyDrop::new(enter(block, site));
        let result = run();
        if let Some((node, start)) = scope.parts() {
            leave_in_place(block, node, start);
        }
        if let Some(work) = did(&result) {
            tell(block, &scope, work);
        }
        result
    }

    /// Runs something as a scope, called from a place that keeps its node between calls.
    ///
    /// # Safety
    /// As for [`Here::around`]; nobody else reads or writes `last` until `run` begins. What another thread left in it is not taken.
    #[inline(always)]
    pub unsafe fn around_again<T>(
        self,
        site: &'static Site,
        last: *mut LastNode,
        run: impl FnOnce() -> T,
    ) -> T {
        let word = state::load();
        // SAFETY: as above.
        let block: &'static Block = unsafe { &*self.0 };
        if block.quick_state.get() != word || word & state::ON == 0 {
            return around_otherwise(site, run, |_| None);
        }
        // SAFETY: by the caller's promise.
        unsafe { last_node::around(block, site, last, run) }
    }

    /// Runs something as a scope that is always counted, and timed one time in `n` on average.
    ///
    /// # Safety
    /// As for [`Here::around`].
    #[inline(always)]
    pub unsafe fn around_one_in<T>(self, site: &'static Site, n: u32, run: impl FnOnce() -> T) -> T {
        let word = state::load();
        // SAFETY: as above.
        let block: &'static Block = unsafe { &*self.0 };
        if block.state.get() != word || word & state::ON == 0 {
            let scope = Scope::enter_one_in(site, n);
            let result = run();
            drop(scope);
            return result;
        }
        let scope = ManuallyDrop::new(enter_one_in(block, site, n));
        let result = run();
        if let Some((node, start)) = scope.parts() {
            leave_counted(block, node, start);
        }
        result
    }
}

/// When something is new to the thread, or not every call is timed.
#[cold]
#[inline(never)]
fn around_otherwise<T>(
    site: &'static Site,
    run: impl FnOnce() -> T,
    did: impl FnOnce(&T) -> Option<CallWork>,
) -> T {
    let scope = Scope::enter(site);
    let result = run();
    scope.end_with(|| did(&result).unwrap_or_default());
    result
}
