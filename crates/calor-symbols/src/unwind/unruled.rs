//! Code that says nothing about its caller: hand-written assembly, and C libraries built without unwind tables. Its
//! instructions tell where the return address would be, and what stands there is taken for one only if it is directly
//! behind a call.

use super::x86_64::Posture;
use super::{Memory, Place, Space, Unwinder};

/// What could be found out.
pub(super) enum Unruled {
    Caller { ip: u64, sp: u64, bp: Option<u64> },
    Root,
    Unknown,
}

impl Unwinder {
    #[cold]
    #[inline(never)]
    pub(super) fn unruled(
        &mut self,
        space: &impl Space,
        place: Option<Place>,
        sp: u64,
        bp: Option<u64>,
        is_exact: bool,
        memory: &mut impl Memory,
    ) -> Unruled {
        let Some(place) = place else { return Unruled::Unknown };
        let Some(module) = self.modules.get_mut(place.module.0 as usize) else { return Unruled::Unknown };
        let svma = place.svma;
        // What a thread begins with: nothing called it, and C libraries do not all say so.
        if module.is_entry(svma)
            || !is_exact && bp == Some(0) && module.is_thread_start(svma)
            || !is_exact && module.is_context_start(svma.wrapping_add(1))
        {
            return Unruled::Root;
        }
        // Where the return address is, and where the caller's `rbp`, unless it is still in place.
        let (at, saved) = match (module.posture(svma, is_exact, &mut self.context), bp) {
            (Posture::Untouched, _) => (sp, None),
            (Posture::Pushed, _) => (sp.wrapping_add(8), Some(sp)),
            (Posture::FramePointer, Some(bp)) if bp >= sp => (bp.wrapping_add(8), Some(bp)),
            (Posture::FramePointer | Posture::Moved, _) => return Unruled::Unknown,
        };
        let Some(ip) = memory.word(at).filter(|&ip| self.is_return_address(space, ip)) else {
            return Unruled::Unknown;
        };
        let bp = saved.map_or(bp, |address| memory.word(address));
        Unruled::Caller { ip, sp: at.wrapping_add(8), bp }
    }

    /// The first caller of a stack that nothing can have been called from: the thread had moved on when its memory was
    /// read.
    pub fn first_stale(&self, space: &impl Space, addresses: &[u64]) -> Option<usize> {
        // Where a signal came in is anywhere.
        let mut is_interrupted = true;
        addresses.iter().position(|&address| {
            let is_signal_return = self.is_signal_return(space, address, false);
            let is_fine =
                is_interrupted || is_signal_return || self.is_returned_to(space, address.wrapping_add(1));
            is_interrupted = is_signal_return;
            !is_fine
        })
    }

    /// Whether a function returns there, be it that a context was made to begin so.
    fn is_returned_to(&self, space: &impl Space, ip: u64) -> bool {
        let is_context_start = || {
            let place = space.find(ip)?;
            Some(self.modules.get(place.module.0 as usize)?.is_context_start(place.svma))
        };
        self.is_return_address(space, ip) || is_context_start().unwrap_or(false)
    }

    fn is_return_address(&self, space: &impl Space, ip: u64) -> bool {
        // The byte before is of the call, and may be in the module's last page.
        let place = ip.checked_sub(1).and_then(|last| space.find(last));
        place.is_some_and(|place| {
            let module = self.modules.get(place.module.0 as usize);
            module.is_some_and(|module| module.is_behind_call(place.svma.wrapping_add(1)))
        })
    }
}
