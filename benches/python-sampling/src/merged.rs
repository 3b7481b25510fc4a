//! How well Python and compiled code were brought together: whether numpy's compiled functions stand under the Python
//! function that called them, and whether every Python function has its share.

use harness::Figures;
use harness::sampled::{NUMPY_STAGES, Recorded};

/// Calor's frame for Python functions that it could not be sure of.
const UNVERIFIED: &str = "(Python not verified)";

/// Adds what was found to the figures; `cpu_s` is CPU time of the whole program.
pub(crate) fn judged(
    mut figures: Figures,
    tool: &str,
    recorded: &Recorded,
    truth: &Figures,
    cpu_s: f64,
) -> Figures {
    figures = figures.with("samples", recorded.n_samples as f64);
    // A tool without Python's functions puts nothing under them, which is no failure; ours has to.
    let has_python =
        |stage: &str| tool == "calor" || recorded.share_of(stage).is_some_and(|share| share > 0.0);
    let under =
        |stage, fits: fn(&str) -> bool| recorded.share_under(stage, fits).filter(|_| has_python(stage));
    let found = [
        ("gemm_pct", under("stage_matmul", is_multiplication)),
        ("sort_pct", under("stage_sort", is_sorting)),
        ("rooted_pct", recorded.rooted_share().filter(|share| *share > 0.0)),
        ("unverified_pct", recorded.share_of_parts(&[UNVERIFIED]).filter(|_| tool == "calor")),
    ];
    for (name, share) in found {
        if let Some(share) = share {
            figures = figures.with(name, share * 1e2);
        }
    }
    let off = NUMPY_STAGES.iter().filter_map(|(stage, _)| {
        let share = recorded.share_of(stage).filter(|share| *share > 0.0)?;
        Some((share - truth.get(stage)? / cpu_s).abs() * 1e2)
    });
    let off: Vec<f64> = off.collect();
    // A tool that does not know a stage at all has nothing to be compared with.
    if off.len() == NUMPY_STAGES.len() {
        figures = figures.with("off_points", off.into_iter().fold(0.0, f64::max));
    }
    figures
}

/// The functions of OpenBLAS that multiply, or pack matrices for those.
fn is_multiplication(frame: &str) -> bool {
    frame.contains("gemm") && is_compiled(frame)
}

/// The sorting functions of numpy, of C's library and of the C++ one.
fn is_sorting(frame: &str) -> bool {
    frame.contains("sort") && is_compiled(frame)
}

/// Tools write the file behind the name of a Python function, or have Python functions alone.
fn is_compiled(frame: &str) -> bool {
    !frame.contains(".py:")
        && frame != "sort"
        && !NUMPY_STAGES.iter().any(|(stage, _)| frame.starts_with(stage))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(tool: &str, folded: &str) -> Figures {
        let truth = [("stage_fib", 0.4), ("stage_count", 0.1), ("stage_matmul", 0.3), ("stage_sort", 0.2)];
        let truth = truth.iter().fold(Figures::default(), |truth, (name, value)| truth.with(name, *value));
        judged(Figures::default(), tool, &Recorded::of_folded(folded).unwrap(), &truth, 1.0)
    }

    #[test]
    fn compiled_code_counts_where_its_python_function_is_further_out() {
        let figures = judge(
            "calor",
            "main;stage_fib 40\nmain;stage_count 10\nmain;stage_matmul;array_matmul;dgemm_kernel_HASWELL 27\n\
             main;dgemm_itcopy 3\nmain;stage_sort;npy_sort;quicksort_double;partition 18\nmain;stage_sort (t.py:33) 2\n",
        );
        assert!((figures.get("gemm_pct").unwrap() - 90.0).abs() < 1e-9);
        assert_eq!(figures.get("sort_pct"), Some(100.0));
        assert!((figures.get("off_points").unwrap() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_tool_without_python_names_has_no_shares() {
        let folded = "main;dgemm_kernel_HASWELL 30\nmain;eval 70\n";
        let figures = judge("perf-dwarf", folded);
        assert_eq!((figures.get("gemm_pct"), figures.get("off_points")), (None, None));
        assert_eq!(judge("calor", folded).get("gemm_pct"), Some(0.0));
        assert_eq!(figures.get("sort_pct"), None);
    }
}
