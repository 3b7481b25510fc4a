//! What can be added to a counter: any whole number, so that a `usize` from `len()` needs no cast.

/// A whole number of any type, for [`Scope::add`](crate::Scope::add). What does not fit into 64 bits is counted as the
/// largest or smallest number that does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no whole number, which counters are made of",
    label = "expected an integer",
    note = "count in a smaller unit, such as nanoseconds for seconds, or round: `x.round() as i64`"
)]
pub trait Amount: sealed::Sealed {
    /// The number, or the nearest one that fits.
    fn saturated(self) -> i64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl sealed::Sealed for $number {}

        impl Amount for $number {
            #[inline(always)]
            fn saturated(self) -> i64 {
                i64::try_from(self).unwrap_or(if self > 0 { i64::MAX } else { i64::MIN })
            }
        }
    )*};
}

whole_numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_and_what_does_not_is_the_nearest_that_does() {
        assert_eq!((3_u8.saturated(), (-3_i8).saturated(), 7_usize.saturated()), (3, -3, 7));
        assert_eq!(i64::MIN.saturated(), i64::MIN);
        assert_eq!((u64::MAX.saturated(), u128::MAX.saturated()), (i64::MAX, i64::MAX));
        assert_eq!((i128::MIN.saturated(), i128::MAX.saturated()), (i64::MIN, i64::MAX));
    }
}
