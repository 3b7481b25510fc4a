//! The workloads, written once. A participant brings two macros, one that puts a scope around an expression and
//! one that puts a trace or a frame around a batch of scopes where it has such a thing, and gets every workload
//! with a distinct call site for each name.

/// Scopes in a batch: what one trace or one frame holds for the participants that have them. Fastrace drops spans
/// beyond 10,240 in a trace.
pub(crate) const BATCH: u64 = 4_096;

/// The sizes of the batches that make up `scopes`.
pub(crate) fn batches(scopes: u64) -> impl Iterator<Item = u64> {
    // Hidden from the compiler, or it would unroll loops of a constant length for some participants.
    let batch = std::hint::black_box(BATCH);
    (0..scopes.div_ceil(batch)).map(move |at| batch.min(scopes - at * batch))
}

/// Implements the workloads of [`crate::peer::Peer`]. `black_box(())` is a barrier without an instruction: it keeps
/// the compiler from merging or dropping rounds of a loop, for every participant alike.
macro_rules! workloads {
    ($scope:ident, $batch:ident) => {
        fn flat(&self, scopes: u64) {
            flat(scopes);
        }

        fn flat_address(&self) -> usize {
            flat as *const () as usize
        }

        fn nested(&self, scopes: u64) {
            for count in $crate::workloads::batches(scopes) {
                $batch!({
                    for _ in 0..count / 8 {
                        $scope!(
                            "nested 1",
                            $scope!(
                                "nested 2",
                                $scope!(
                                    "nested 3",
                                    $scope!(
                                        "nested 4",
                                        $scope!(
                                            "nested 5",
                                            $scope!(
                                                "nested 6",
                                                $scope!(
                                                    "nested 7",
                                                    $scope!("nested 8", std::hint::black_box(()))
                                                )
                                            )
                                        )
                                    )
                                )
                            )
                        );
                    }
                });
            }
        }

        fn wide(&self, scopes: u64) {
            for count in $crate::workloads::batches(scopes) {
                $batch!($scope!("parent", {
                    for _ in 0..count / 256 {
                        children::in_random_order();
                    }
                }));
            }
        }

        fn matmul(&self, matrices: &mut $crate::matmul::Matrices, times: u64) {
            $batch!({
                for _ in 0..times {
                    $scope!("matmul", {
                        for part in 0..$crate::matmul::PARTS {
                            $scope!("part of matmul", matrices.part(part));
                        }
                    });
                }
            });
        }
    };
}

/// The parts of the workloads that are functions of their own: to be called beside the `impl`.
macro_rules! workload_functions {
    ($scope:ident, $batch:ident) => {
        fn flat(scopes: u64) {
            for count in $crate::workloads::batches(scopes) {
                $batch!({
                    for _ in 0..count {
                        $scope!("flat", std::hint::black_box(()));
                    }
                });
            }
        }

        mod children {
            #[allow(unused_imports)]
            use super::*;
            wide_children!($scope);
        }
    };
}

/// Thirty-two functions with one scope each, and a fixed random sequence of direct calls: the recorder meets its
/// children in random order while no participant pays for a mispredicted jump of the loop itself.
macro_rules! wide_children {
    ($scope:ident) => {
        wide_children! { $scope:
            c00 0 "child 00", c01 1 "child 01", c02 2 "child 02", c03 3 "child 03", c04 4 "child 04",
            c05 5 "child 05", c06 6 "child 06", c07 7 "child 07", c08 8 "child 08", c09 9 "child 09",
            c10 10 "child 10", c11 11 "child 11", c12 12 "child 12", c13 13 "child 13", c14 14 "child 14",
            c15 15 "child 15", c16 16 "child 16", c17 17 "child 17", c18 18 "child 18", c19 19 "child 19",
            c20 20 "child 20", c21 21 "child 21", c22 22 "child 22", c23 23 "child 23", c24 24 "child 24",
            c25 25 "child 25", c26 26 "child 26", c27 27 "child 27", c28 28 "child 28", c29 29 "child 29",
            c30 30 "child 30", c31 31 "child 31"
        }

        /// 256 scopes.
        pub(super) fn in_random_order() {
            calls! {
                c22 c30 c06 c23 c26 c12 c24 c21 c11 c29 c02 c31 c13 c08 c20 c01
                c28 c14 c00 c09 c04 c10 c05 c25 c18 c07 c19 c03 c15 c16 c17 c27
                c00 c02 c27 c20 c01 c13 c26 c17 c07 c08 c11 c12 c24 c05 c25 c10
                c06 c18 c23 c21 c31 c19 c29 c14 c30 c28 c04 c22 c09 c03 c15 c16
                c18 c13 c21 c26 c09 c05 c16 c23 c04 c27 c03 c08 c17 c29 c07 c20
                c22 c11 c19 c02 c06 c14 c00 c28 c10 c01 c25 c12 c31 c30 c15 c24
                c03 c12 c25 c16 c09 c27 c01 c04 c17 c31 c21 c24 c23 c13 c26 c20
                c05 c00 c18 c22 c02 c28 c06 c11 c19 c29 c07 c30 c14 c08 c15 c10
                c27 c09 c06 c17 c18 c24 c21 c11 c25 c20 c00 c14 c28 c01 c08 c15
                c12 c16 c26 c29 c04 c30 c07 c05 c22 c31 c13 c19 c03 c23 c10 c02
                c26 c28 c17 c15 c23 c11 c01 c16 c08 c19 c21 c27 c13 c02 c00 c14
                c07 c24 c29 c18 c20 c25 c30 c12 c10 c03 c05 c22 c04 c31 c06 c09
                c23 c03 c09 c02 c01 c10 c26 c16 c05 c07 c00 c25 c27 c19 c06 c24
                c29 c17 c11 c12 c20 c22 c13 c28 c04 c18 c14 c31 c08 c30 c21 c15
                c29 c14 c15 c11 c26 c06 c04 c19 c03 c12 c08 c17 c30 c21 c09 c16
                c05 c02 c25 c27 c28 c07 c13 c24 c22 c20 c01 c31 c18 c23 c10 c00
            }
        }
    };
    ($scope:ident: $($function:ident $number:literal $name:literal),*) => {$(
        #[inline(never)]
        fn $function() {
            // The number keeps the compiler from folding the functions of the floors into one.
            $scope!($name, { std::hint::black_box($number); });
        }
    )*};
}

macro_rules! calls {
    ($($function:ident)*) => { $($function();)* };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_add_up_to_all_scopes() {
        for scopes in [1, 4_095, 4_096, 50_000] {
            assert_eq!(batches(scopes).sum::<u64>(), scopes);
            assert!(batches(scopes).all(|count| count <= BATCH));
        }
    }
}
