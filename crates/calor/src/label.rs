//! What can be the value of a label: a short text, a whole number or a truth.

/// The value of a label, for [`scope!`](crate::scope) and [`Site::labelled`](crate::Site::labelled).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LabelValue<'a> {
    /// A whole number; what does not fit is the nearest one that does.
    Number(i64),
    /// Anything else.
    Text(&'a str),
}

impl<'a> From<&'a str> for LabelValue<'a> {
    #[inline(always)]
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for LabelValue<'a> {
    #[inline(always)]
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for LabelValue<'_> {
    #[inline(always)]
    fn from(truth: bool) -> Self {
        Self::Text(if truth { "true" } else { "false" })
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for LabelValue<'_> {
            #[inline(always)]
            fn from(number: $number) -> Self {
                Self::Number(crate::Amount::saturated(number))
            }
        }
    )*};
}

whole_numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl std::fmt::Display for LabelValue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}
