//! Numbers out of bytes that were copied from another process: of this machine's order and width, at any offset,
//! and absent where the copy ends before them.

/// Bytes in which fields are looked up by their offset.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(pub &'a [u8]);

impl Fields<'_> {
    /// A pointer, or a number as wide as one.
    pub fn word(&self, offset: u32) -> Option<u64> {
        self.array(offset).map(u64::from_ne_bytes)
    }

    /// A C `int`.
    pub fn int(&self, offset: u32) -> Option<i32> {
        self.array(offset).map(i32::from_ne_bytes)
    }

    /// A single byte.
    pub fn byte(&self, offset: u32) -> Option<u8> {
        self.array(offset).map(|[byte]| byte)
    }

    fn array<const N: usize>(&self, offset: u32) -> Option<[u8; N]> {
        self.0.get(usize::try_from(offset).ok()?..)?.first_chunk().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_absent_where_the_bytes_end() {
        let bytes = [1, 0, 0, 0, 2, 0, 0, 0, 3];
        let fields = Fields(&bytes);
        assert_eq!(fields.word(0), Some(0x2_0000_0001));
        assert_eq!(fields.word(1), Some(0x0300_0000_0200_0000));
        assert_eq!(fields.word(2), None);
        assert_eq!(fields.int(4), Some(2));
        assert_eq!(fields.int(6), None);
        assert_eq!((fields.byte(8), fields.byte(9), fields.byte(u32::MAX)), (Some(3), None, None));
    }
}
