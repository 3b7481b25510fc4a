//! The threads that links speak of, by small numbers: a signal travels with every message and has to be short, and the
//! thread that sent it may have ended by the time anybody asks for its name.

use std::cell::Cell;

use crate::own_memory::as_own;
use crate::process_lock::ProcessLock;
use crate::recorder::block::thread_number;

/// Threads that are told apart; signals of later ones are lost, and counted.
const MAX_PARTICIPANTS: usize = 1 << 16;

static PARTICIPANTS: ProcessLock<Vec<Participant>> = ProcessLock::new();

thread_local! {
    /// The number of this thread; 0 before it has one.
    static OWN: Cell<u32> = const { Cell::new(0) };
}

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    pub(super) tid: u64,
    pub(super) name: String,
}

/// The number of this thread, which gets one now if it has none; 0 when there are too many.
pub(super) fn own() -> u32 {
    match OWN.get() {
        0 => enlist(),
        number => number,
    }
}

#[cold]
fn enlist() -> u32 {
    as_own(|| {
        let mut participants = PARTICIPANTS.lock();
        if participants.len() >= MAX_PARTICIPANTS {
            return 0;
        }
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("(unnamed)").to_owned();
        participants.push(Participant { tid: thread_number(), name });
        let number = participants.len() as u32;
        OWN.set(number);
        number
    })
}

/// All threads that have a number, the one of number 1 first.
pub(super) fn all() -> Vec<Participant> {
    PARTICIPANTS.lock().clone()
}

/// In a forked child: the one thread there is gets a new number.
pub(super) fn forget() {
    PARTICIPANTS.forget();
    OWN.set(0);
}
