//! The walk that most stacks take: three registers, one cached rule a frame, two words of memory.

use super::cache::Key;
use super::registers::Registers;
use super::rule::{Base, Rule, SavedBp};
use super::unruled::Unruled;
use super::{End, Memory, Place, Space, Unwinder};

impl Unwinder {
    /// `None` when the stack needs the thorough walk.
    pub(super) fn quick(
        &mut self,
        space: &impl Space,
        registers: &Registers,
        memory: &mut impl Memory,
        limit: usize,
        out: &mut Vec<u64>,
    ) -> Option<End> {
        let (mut ip, mut sp, mut bp) = (registers.ip(), registers.sp(), registers.get(Registers::BP));
        let mut is_exact = true;
        for _ in 0..limit {
            let address = if is_exact { ip } else { ip.wrapping_sub(1) };
            out.push(address);
            self.tops.push(sp);
            let place = space.find(address);
            let rule = match place {
                Some(place) => self.rule(place, is_exact),
                None if is_exact => Rule::Absent,
                None => Rule::Thorough,
            };
            let (next_ip, next_sp, next_bp) = match rule {
                Rule::Simple(rule) => {
                    let frame_offset = i64::from(rule.frame_offset);
                    let frame = match rule.frame {
                        Base::Sp => sp.wrapping_add_signed(frame_offset),
                        Base::Bp => bp?.wrapping_add_signed(frame_offset),
                        Base::AtBp => {
                            let address = bp?.wrapping_add_signed(frame_offset);
                            let Some(frame) = memory.word(address) else { return Some(End::Cut { address }) };
                            frame
                        }
                    };
                    let bp_offset = i64::from(rule.bp_offset);
                    let saved = match rule.bp {
                        SavedBp::Kept => None,
                        SavedBp::AtFrame => Some(frame.wrapping_add_signed(bp_offset)),
                        SavedBp::AtBp => Some(bp?.wrapping_add_signed(bp_offset)),
                        SavedBp::Lost => {
                            bp = None;
                            None
                        }
                    };
                    let next_bp = match saved {
                        None => bp,
                        Some(address) => {
                            let Some(bp) = memory.word(address) else { return Some(End::Cut { address }) };
                            Some(bp)
                        }
                    };
                    let address = frame.wrapping_sub(8);
                    let Some(next_ip) = memory.word(address) else { return Some(End::Cut { address }) };
                    (next_ip, frame, next_bp)
                }
                Rule::Thorough => return None,
                Rule::Root => return Some(End::Root),
                Rule::Absent => match self.unruled(space, place, sp, bp, is_exact, memory) {
                    Unruled::Caller { ip, sp, bp } => (ip, sp, bp),
                    Unruled::Root => return Some(End::Root),
                    Unruled::Unknown if place.is_some() => return Some(End::NoRule { address }),
                    Unruled::Unknown => return Some(End::NoModule { address }),
                },
            };
            if next_ip == 0 {
                return Some(End::Root);
            }
            // Stacks grow downwards. Code that changes stacks is for the thorough walk.
            if next_sp <= sp {
                return None;
            }
            (ip, sp, bp, is_exact) = (next_ip, next_sp, next_bp, false);
        }
        Some(End::Limit)
    }

    #[inline]
    fn rule(&mut self, place: Place, is_exact: bool) -> Rule {
        let key = Key::new(place.module, place.svma, is_exact);
        match self.cache.get(key) {
            Some(rule) => rule,
            None => self.read_rule(place, is_exact, key),
        }
    }

    #[cold]
    #[inline(never)]
    fn read_rule(&mut self, place: Place, is_exact: bool, key: Key) -> Rule {
        let Some(module) = self.modules.get_mut(place.module.0 as usize) else { return Rule::Absent };
        let ip = if is_exact { place.svma } else { place.svma.wrapping_add(1) };
        let rule = if module.is_signal_return(ip, is_exact) {
            Rule::Thorough
        } else {
            module.rule(place.svma, &mut self.context)
        };
        self.cache.put(key, rule);
        rule
    }
}
