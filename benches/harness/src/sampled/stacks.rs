//! What a tool found: stacks, and how they are judged. A stack counts as rooted when one of its functions is a place
//! where a thread begins; unwinding that went wrong does not get there.

/// What a tool has in its file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recorded {
    /// The stacks, outermost frames first, with their weights: samples, or time.
    pub stacks: Vec<(Vec<String>, u64)>,
    /// Samples in the file.
    pub n_samples: u64,
    /// Samples that the tool says were lost; `None` when it does not say.
    pub n_lost: Option<u64>,
    /// Whether a thread of the tool is inside the program and in its CPU, and is not to be sampled: then samples are
    /// asked for of the stages alone, by their own clocks.
    pub is_inside: bool,
}

/// Where threads begin, by the last part of the name, without the underscores before it: some tools leave them out.
const ROOTS: [&str; 11] = [
    "<module>",
    "Thread._bootstrap",
    "bootstrap",
    "main",
    "start",
    "libc_start_call_main",
    "clone",
    "clone3",
    "GI___clone3",
    "start_thread",
    "thread_start",
];

impl Recorded {
    /// Reads folded stacks: frames separated by semicolons, a space, a weight.
    pub fn of_folded(text: &str) -> Result<Self, String> {
        let mut recorded = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts = line.rsplit_once(' ').and_then(|(stack, weight)| Some((stack, weight.parse().ok()?)));
            let (stack, weight): (_, u64) =
                parts.ok_or_else(|| format!("expected a weight at the end of '{line}'"))?;
            recorded.stacks.push((stack.split(';').map(str::to_owned).collect(), weight));
            recorded.n_samples += weight;
        }
        Ok(recorded)
    }

    /// How much of the weight is on stacks that reach the beginning of their thread.
    #[must_use]
    pub fn rooted_share(&self) -> Option<f64> {
        self.share(|frame| {
            let name = function(frame).trim_start_matches('_');
            ROOTS.contains(&name) || name.starts_with("libc_start_main")
        })
    }

    /// How much of it is on stacks with this function.
    #[must_use]
    pub fn share_of(&self, name: &str) -> Option<f64> {
        self.share(|frame| function(frame) == name)
    }

    /// Of the weight on stacks with a function that fits, the share on those that have the function `name` further out;
    /// `None` where no function fits.
    #[must_use]
    pub fn share_under(&self, name: &str, fits: impl Fn(&str) -> bool) -> Option<f64> {
        let (mut all, mut under) = (0, 0);
        for (frames, weight) in &self.stacks {
            let Some(innermost) = frames.iter().rposition(|frame| fits(frame)) else { continue };
            let is_under = frames[..innermost].iter().any(|frame| function(frame) == name);
            all += weight;
            under += if is_under { *weight } else { 0 };
        }
        (all > 0).then(|| under as f64 / all as f64)
    }

    /// How much of it is on stacks with a function whose name has one of these parts.
    #[must_use]
    pub fn share_of_parts(&self, parts: &[&str]) -> Option<f64> {
        self.share(|frame| parts.iter().any(|part| frame.contains(part)))
    }

    fn share(&self, is_counted: impl Fn(&str) -> bool) -> Option<f64> {
        let all: u64 = self.stacks.iter().map(|(_, weight)| weight).sum();
        let counted = self.stacks.iter().filter(|(frames, _)| frames.iter().any(|frame| is_counted(frame)));
        (all > 0).then(|| counted.map(|(_, weight)| weight).sum::<u64>() as f64 / all as f64)
    }
}

/// The last part of a function's name, without its module, hash, arguments and what a tool writes behind it.
fn function(frame: &str) -> &str {
    let name = frame.split([' ', '(', '@', '+']).next().unwrap_or(frame);
    let mut parts = name.rsplit("::");
    let last = parts.next().unwrap_or(name);
    let is_hash =
        last.len() == 17 && last.starts_with('h') && last[1..].chars().all(|c| c.is_ascii_hexdigit());
    if is_hash { parts.next().unwrap_or(last) } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_known_by_the_last_part_of_its_name() {
        for (frame, expect) in [
            ("sampling_bench::native::stage_a", "stage_a"),
            ("sampling_bench::native::stage_a::h0123456789abcdef", "stage_a"),
            ("stage_fib (numpy_target.py:14)", "stage_fib"),
            ("__libc_start_main@@GLIBC_2.34", "__libc_start_main"),
            ("main", "main"),
        ] {
            assert_eq!(function(frame), expect);
        }
    }

    #[test]
    fn shares_are_of_all_weight_and_a_function_counts_once_a_stack() {
        let text = "# note\nwork;clone3;stage_a;stage_a 3\nwork;[unknown];cblas_dgemm 1\n";
        let recorded = Recorded::of_folded(text).unwrap();
        assert_eq!(recorded.n_samples, 4);
        assert_eq!(recorded.share_of("stage_a"), Some(0.75));
        assert_eq!(recorded.rooted_share(), Some(0.75));
        assert_eq!(recorded.share_of_parts(&["gemm", "matmul"]), Some(0.25));
        assert_eq!(Recorded::default().rooted_share(), None);
    }

    #[test]
    fn a_share_under_a_function_is_of_the_stacks_that_hold_what_it_calls() {
        let text =
            "main;stage_matmul (t.py:3);dgemm;kernel 8\nmain;dgemm_kernel 2\nmain;stage_matmul;memcpy 5\n";
        let recorded = Recorded::of_folded(text).unwrap();
        assert_eq!(recorded.share_under("stage_matmul", |leaf| leaf.contains("gemm")), Some(0.8));
        assert_eq!(recorded.share_under("stage_sort", |leaf| leaf.contains("sort")), None);
    }

    #[test]
    fn a_line_without_a_weight_is_named() {
        assert!(Recorded::of_folded("main;run\n").unwrap_err().contains("'main;run'"));
    }
}
