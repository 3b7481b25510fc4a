//! Numbers one after the other in loaded memory.
//!
//! # Safety
//! A place is one in the tables of a loaded file, which the compiler wrote for this use; what is read stays before `end`.

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub(super) at: usize,
    pub(super) end: usize,
}

impl Bytes {
    pub(super) fn new(at: usize, length: usize) -> Self {
        Self { at, end: at.saturating_add(length) }
    }

    pub(super) fn is_empty(self) -> bool {
        self.at >= self.end
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.at.checked_add(N)? > self.end {
            return None;
        }
        let bytes = unsafe { (self.at as *const [u8; N]).read_unaligned() };
        self.at += N;
        Some(bytes)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn skip(&mut self, length: usize) -> Option<()> {
        let at = self.at.checked_add(length)?;
        (at <= self.end).then(|| self.at = at)
    }

    pub(super) fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= i64::from(byte & 0x7f) << shift;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                if byte & 0x40 != 0 && shift < 64 {
                    value |= -1 << shift;
                }
                return Some(value);
            }
        }
    }

    /// A pointer in one of the encodings of the tables; `data_base` is what some of them count from.
    pub(super) fn pointer(&mut self, encoding: u8, data_base: usize) -> Option<usize> {
        let from = self.at;
        let value = match encoding & 0x0f {
            0x00 | 0x04 | 0x0c => self.u64()? as usize,
            0x01 => self.unsigned()? as usize,
            0x02 => usize::from(self.u16()?),
            0x03 => self.u32()? as usize,
            0x09 => self.signed()? as usize,
            0x0a => self.u16()? as i16 as usize,
            0x0b => self.u32()? as i32 as usize,
            _ => return None,
        };
        let value = match encoding & 0x70 {
            0x00 => value,
            0x10 => from.wrapping_add(value),
            0x30 => data_base.wrapping_add(value),
            _ => return None,
        };
        // An address of an address is used for personalities only.
        Some(value)
    }
}
