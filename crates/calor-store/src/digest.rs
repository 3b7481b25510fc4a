//! What tells two saved profiles apart: a digest of their bytes. It has to be the same for all time, on all machines,
//! which the standard library's hashes do not promise; nobody gains by making two profiles collide.

/// FNV-1a of 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(pub(crate) u128);

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Digest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(OFFSET).and(bytes)
    }

    /// The digest of what was digested before, and of more behind it.
    pub(crate) fn and(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME)))
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(u128::from_be_bytes(bytes.try_into().ok()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_the_algorithm_is_published_with() {
        assert_eq!(Digest::of(b""), Digest(OFFSET));
        assert_eq!(Digest::of(b"a").0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(Digest::of(b"foobar").0, 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
        assert_eq!(Digest::of(b"foo").and(b"bar"), Digest::of(b"foobar"));
    }
}
