//! A value that several rows have in common, or do not.

/// What all rows looked at so far agree on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Agreed<T> {
    /// No row was looked at.
    #[default]
    Nobody,
    /// All have this.
    On(T),
    /// They differ.
    No,
}

impl<T: Copy + PartialEq> Agreed<T> {
    /// Looks at another row.
    pub(super) fn with(self, value: T) -> Self {
        match self {
            Self::Nobody => Self::On(value),
            Self::On(other) if other == value => self,
            Self::On(_) | Self::No => Self::No,
        }
    }

    /// The common value; `None` where there is none.
    pub(super) fn value(self) -> Option<T> {
        match self {
            Self::On(value) => Some(value),
            Self::Nobody | Self::No => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_that_differs_is_enough() {
        let of = |values: &[u8]| values.iter().fold(Agreed::default(), |agreed, value| agreed.with(*value));
        assert_eq!([of(&[]), of(&[3]), of(&[3, 3])].map(Agreed::value), [None, Some(3), Some(3)]);
        assert_eq!(of(&[3, 4, 3]).value(), None);
    }
}
