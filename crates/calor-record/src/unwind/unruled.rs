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
        if module.is_entry(svma) || !is_exact && bp == Some(0) && module.is_thread_start(svma) {
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

    pub(crate) fn is_return_address(&self, space: &impl Space, ip: u64) -> bool {
        // The byte before is of the call, and may be in the module's last page.
        let place = ip.checked_sub(1).and_then(|last| space.find(last));
        place.is_some_and(|place| {
            let module = self.modules.get(place.module.0 as usize);
            module.is_some_and(|module| module.is_behind_call(place.svma.wrapping_add(1)))
        })
    }
}
