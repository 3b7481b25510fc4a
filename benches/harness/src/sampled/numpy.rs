//! The Python program with numpy that more than one area samples.

/// The Python program with numpy, which takes the number of its turns.
pub const NUMPY_TARGET: &str = include_str!("numpy_target.py");

/// A part of a program's work: its function, and parts of the names of what that calls in compiled code.
pub type Stage = (&'static str, &'static [&'static str]);

/// The stages of [`NUMPY_TARGET`].
pub const NUMPY_STAGES: &[Stage] = &[
    ("stage_fib", &[]),
    ("stage_count", &[]),
    ("stage_matmul", &["gemm", "matmul"]),
    ("stage_sort", &["sort"]),
];
