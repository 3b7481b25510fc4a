//! A program with 4,096 call paths on a thread, as a large service has them: 16 scopes with 15 each inside, and 16
//! in each of those. 16 + 16 x 15 + 16 x 15 x 16 = 4,096.

/// How many paths [`all`] walks.
pub(crate) const PATHS: u64 = 4_096;

/// Opens a scope on each of the paths.
pub(crate) fn all() {
    for first in 0..16 {
        first::scope(first, || {
            for second in 0..15 {
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
