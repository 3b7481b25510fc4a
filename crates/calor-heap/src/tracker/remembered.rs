//! Doors that are not told the size of a block that is freed, and want to know it: for scopes, and for the peak of a sampled
//! heap. Of every block the size is kept where an exact heap keeps its call path.
//!
//! # Safety
//! The shadow is reached only once the state says that it is ready, also in the child of a fork.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::Tracker;
use crate::exact;
use crate::layout::{Mode, bump};
use crate::sampled;
use crate::shadow::{Block, Noted};
use crate::state::State;
use crate::thread::ThreadSlot;

/// Stands for a call path where none is known: no word of a block is 0.
const NO_PATH: u32 = 1;

impl Tracker {
    /// The state, where some blocks are watched and of all the sizes are kept.
    #[inline(always)]
    fn remembering(&self) -> Option<&State> {
        self.state().filter(|state| state.is_ready.load(Acquire) == Mode::Sampled as u32)
    }

    /// A block was allocated, of a sampled heap that remembers sizes. Told before all else of it.
    #[inline(always)]
    pub fn remember(&self, slot: &ThreadSlot, address: usize, size: usize) {
        let block = Block { site: NO_PATH, size: size as u64, is_sampled: false };
        let is_noted = self.remembering().is_some_and(|state| state.shadow.note(address, block));
        if !is_noted {
            self.remember_specially(slot, address, block);
        }
    }

    #[cold]
    #[inline(never)]
    fn remember_specially(&self, slot: &ThreadSlot, address: usize, block: Block) {
        let Some((state, thread, mode)) = self.enter(slot) else { return };
        if mode == Mode::Sampled {
            match state.shadow.insert(address, block, state.after_fork()) {
                Noted::Yes => {}
                Noted::No => state.lose_site(),
                Noted::Instead(before) => {
                    state.header().missed_frees.fetch_add(1, Relaxed);
                    sampled::freed(state, thread, address, before.size as usize);
                }
            }
        }
        thread.leave();
    }

    /// Forgets a block of such a heap, and says how large it is; `None` of one that was not seen when it was allocated.
    #[inline(always)]
    #[must_use]
    pub fn recall(&self, address: usize) -> Option<usize> {
        self.remembering()?.shadow.remove(address).map(|block| block.size as usize)
    }

    /// A block is about to be freed, of a heap that is watched as a whole. Says how large it is; of one that was not seen
    /// when it was allocated nothing is counted.
    #[inline(never)]
    #[must_use]
    pub fn let_go_known(&self, slot: &ThreadSlot, address: usize) -> Option<usize> {
        let (state, thread, mode) = self.enter(slot)?;
        let block = if mode == Mode::Exact { state.shadow.remove(address) } else { None };
        match block {
            Some(block) => exact::freed(state, thread, address, block),
            None => bump(&thread.block().unknown_frees, 1),
        }
        thread.leave();
        block.map(|block| block.size as usize)
    }
}
