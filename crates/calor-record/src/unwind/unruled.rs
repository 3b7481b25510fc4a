//! Code that says nothing about its caller: hand-written assembly, and C libraries built without unwind tables. What
//! stands where a return address would be is taken for one only if it is directly behind a call.

use super::{Memory, Place, Space, Unwinder};

/// What could be found out.
pub(super) enum Unruled {
    Caller { ip: u64, sp: u64, bp: Option<u64> },
    Root,
    Unknown,
}

impl Unwinder {
    pub(super) fn unruled(
        &self,
        space: &impl Space,
        place: Option<Place>,
        sp: u64,
        bp: Option<u64>,
        is_exact: bool,
        memory: &mut impl Memory,
    ) -> Unruled {
        if place.is_some_and(|place| {
            self.modules.get(place.module.0 as usize).is_some_and(|module| module.is_entry(place.svma))
        }) {
            return Unruled::Root;
        }
        // A function that has not touched the stack, as most short ones.
        if let Some(ip) = memory.word(sp).filter(|&ip| self.is_return_address(space, ip)) {
            return Unruled::Caller { ip, sp: sp.wrapping_add(8), bp };
        }
        let Some(bp) = bp else { return Unruled::Unknown };
        // The convention for the outermost frame. Where the thread stands it may as well be a number of its own.
        if bp == 0 && !is_exact {
            return Unruled::Root;
        }
        if bp >= sp
            && let Some(ip) = memory.word(bp.wrapping_add(8)).filter(|&ip| self.is_return_address(space, ip))
            && let Some(outer) = memory.word(bp)
        {
            return Unruled::Caller { ip, sp: bp.wrapping_add(16), bp: Some(outer) };
        }
        Unruled::Unknown
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
