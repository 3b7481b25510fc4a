//! A program with as many call paths on a thread as the recorder has room for, 4,096 nodes with the root: 15 scopes
//! with 16 each inside, and 16 in each of those. 1 + 15 + 15 x 16 + 15 x 16 x 16 = 4,096.

/// How many paths [`all`] walks.
pub(crate) const PATHS: u64 = 4_095;

/// Opens a scope on each of the paths.
pub(crate) fn all() {
    for first in 0..15 {
        first::scope(first, || {
            for second in 0..16 {
                second::scope(second, || {
                    for third in 0..16 {
                        third::scope(third, || {});
                    }
                });
            }
        });
    }
}

/// Sixteen scopes, of which the number says which one to open.
macro_rules! level {
    ($level:ident: $($number:literal)*) => {
        mod $level {
            pub(super) fn scope(number: u32, body: impl Fn()) {
                match number {
                    $($number => {
                        ::calor::scope!(concat!(stringify!($level), " ", $number));
                        body();
                    })*
                    _ => unreachable!("a level has sixteen scopes"),
                }
            }
        }
    };
}

level!(first: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
level!(second: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
level!(third: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
