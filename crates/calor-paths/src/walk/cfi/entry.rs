//! The entry of a table that is about an address: which instructions describe its function's frame.

use super::bytes::Bytes;

/// What is known of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) first_pc: usize,
    pub(super) code_alignment: u64,
    pub(super) data_alignment: i64,
    pub(super) is_signal: bool,
    pub(super) pointers: u8,
    /// What holds at the function's beginning.
    pub(super) initial: Bytes,
    /// What changes within it.
    pub(super) instructions: Bytes,
}

/// What functions share.
struct Common {
    code_alignment: u64,
    data_alignment: i64,
    pointers: u8,
    has_data: bool,
    is_signal: bool,
    initial: Bytes,
}

/// No entry is longer.
const LONGEST: usize = 1 << 24;

impl Entry {
    /// Searches the sorted table behind the header.
    ///
    /// # Safety
    /// As for [`super::rule`].
    pub(super) unsafe fn find(header: usize, pc: usize) -> Option<Self> {
        let mut bytes = Bytes::new(header, LONGEST);
        let (version, frame_encoding) = (bytes.u8()?, bytes.u8()?);
        let (count_encoding, table_encoding) = (bytes.u8()?, bytes.u8()?);
        // Offsets of four bytes from the header are what every linker writes.
        if version != 1 || table_encoding != 0x3b {
            return None;
        }
        bytes.pointer(frame_encoding, header)?;
        let count = bytes.pointer(count_encoding, header)?;
        let row = |index: usize| {
            let mut row = Bytes::new(bytes.at + index * 8, 8);
            let place = |offset: u32| header.wrapping_add_signed(offset as i32 as isize);
            Some((place(row.u32()?), place(row.u32()?)))
        };
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if row(middle)?.0 <= pc { low = middle + 1 } else { high = middle }
        }
        let (_, entry) = row(low.checked_sub(1)?)?;
        Self::read(entry).filter(|(_, end)| pc < *end).map(|(entry, _)| entry)
    }

    /// The entry at an address, and where its function ends.
    fn read(at: usize) -> Option<(Self, usize)> {
        let mut bytes = sized(at)?;
        let here = bytes.at;
        let back = bytes.u32()?;
        let common = Common::read(here.checked_sub(back as usize)?)?;
        let first_pc = bytes.pointer(common.pointers, 0)?;
        let length = bytes.pointer(common.pointers & 0x0f, 0)?;
        if common.has_data {
            let length = bytes.unsigned()?;
            bytes.skip(usize::try_from(length).ok()?)?;
        }
        let entry = Self {
            first_pc,
            code_alignment: common.code_alignment,
            data_alignment: common.data_alignment,
            is_signal: common.is_signal,
            pointers: common.pointers,
            initial: common.initial,
            instructions: bytes,
        };
        Some((entry, first_pc.checked_add(length)?))
    }
}

impl Common {
    fn read(at: usize) -> Option<Self> {
        let mut bytes = sized(at)?;
        if bytes.u32()? != 0 {
            return None;
        }
        let version = bytes.u8()?;
        let mut letters = bytes;
        while bytes.u8()? != 0 {}
        let code_alignment = bytes.unsigned()?;
        let data_alignment = bytes.signed()?;
        if version == 1 {
            bytes.u8().map(u64::from)?
        } else {
            bytes.unsigned()?
        };
        let mut common = Self {
            code_alignment,
            data_alignment,
            pointers: 0,
            has_data: false,
            is_signal: false,
            initial: bytes,
        };
        let mut data = bytes;
        loop {
            match letters.u8()? {
                0 => break,
                b'z' => {
                    let length = usize::try_from(data.unsigned()?).ok()?;
                    common.has_data = true;
                    common.initial.at = data.at.checked_add(length)?;
                }
                b'R' => common.pointers = data.u8()?,
                b'S' => common.is_signal = true,
                b'L' => {
                    data.u8()?;
                }
                b'P' => {
                    let encoding = data.u8()?;
                    data.pointer(encoding & 0x0f, 0)?;
                }
                b'B' => {}
                _ => return None,
            }
        }
        Some(common)
    }
}

/// What an entry of the table spans, without its length.
fn sized(at: usize) -> Option<Bytes> {
    let mut bytes = Bytes::new(at, LONGEST);
    let length = match bytes.u32()? {
        0 => return None,
        u32::MAX => usize::try_from(bytes.u64()?).ok()?,
        length => length as usize,
    };
    (length < LONGEST).then(|| Bytes::new(bytes.at, length))
}
