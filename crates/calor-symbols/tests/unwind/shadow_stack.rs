//! The truth: a second stack that is kept from what a program's call and return instructions are seen to do.

use calor_symbols::unwind::Registers;

enum Entry {
    /// A call: where it will return to, and where on the stack that stands.
    Call { to: u64, at: u64 },
    /// A signal handler, the same: what it returns to is not behind a call.
    Handler { to: u64, at: u64 },
    /// A signal came in here, with the stack pointer there.
    Signal { ip: u64, sp: u64 },
}

/// What is on the way from the program's first instruction to the current one.
#[derive(Default)]
pub(crate) struct ShadowStack {
    entries: Vec<Entry>,
}

impl ShadowStack {
    /// The program ran one instruction; `word` is what is at the new top of its stack.
    pub(crate) fn step(&mut self, before: &Registers, after: &Registers, word: u64) {
        const LONGEST_INSTRUCTION: u64 = 15;
        let is_call = after.sp() == before.sp().wrapping_sub(8)
            && (2..=LONGEST_INSTRUCTION).contains(&word.wrapping_sub(before.ip()));
        if is_call {
            self.entries.push(Entry::Call { to: word, at: after.sp() });
            return;
        }
        let is_return = match self.entries.last() {
            Some(&Entry::Call { to, at } | &Entry::Handler { to, at }) => {
                after.ip() == to && after.sp() == at.wrapping_add(8)
            }
            // The handler may have changed where the program goes on.
            Some(&Entry::Signal { sp, .. }) => after.sp() == sp,
            None => false,
        };
        if is_return {
            self.entries.pop();
        }
    }

    /// A signal that came in at `interrupted` was delivered; `word` is what its handler will return to.
    pub(crate) fn signal(&mut self, interrupted: &Registers, handler: &Registers, word: u64) {
        self.entries.push(Entry::Signal { ip: interrupted.ip(), sp: interrupted.sp() });
        self.entries.push(Entry::Handler { to: word, at: handler.sp() });
    }

    /// The addresses a walk should find.
    pub(crate) fn addresses(&self, ip: u64) -> Vec<u64> {
        let outer = self.entries.iter().rev().map(|entry| match entry {
            Entry::Call { to, .. } => to - 1,
            Entry::Handler { to: ip, .. } | Entry::Signal { ip, .. } => *ip,
        });
        std::iter::once(ip).chain(outer).collect()
    }
}
