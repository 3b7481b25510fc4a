//! Newtype handles into the tables of a profile. A handle is an index that only its own table hands out,
//! so that a frame can never be looked up where a stack was meant.

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The handle of row `index`. Rows past `u32::MAX` do not exist: tables refuse to grow so far.
            #[must_use]
            #[inline]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table holds at most u32::MAX rows"))
            }

            /// The row this handle stands for.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

handles! {
    /// A string of the profile's [`StringTable`](crate::StringTable).
    StringId;
    /// A place in the code: a row of the [`FrameTable`](crate::FrameTable).
    FrameId;
    /// A call path: a row of the [`StackTable`](crate::StackTable).
    StackId;
    /// A thread of the recorded program: a row of the [`ThreadTable`](crate::ThreadTable).
    ThreadId;
    /// A set of labels: a row of the [`LabelTable`](crate::LabelTable).
    LabelSetId;
}
