//! The slower side has a faster path and does not take it at this size: at another size, where it is hardly slower, its
//! hottest loop is another one, and wider.

use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::hot_loop::WhyLoop;
use crate::why::share::Factor;
use crate::why::words::size;

/// Another loop of the same width is another path only if it is much faster there.
const WIDER: f64 = 1.5;
/// A step between two neighbouring sizes, as a logarithm: caches change times more gently than another path does.
const STEP: f64 = 0.3;

pub(super) fn dispatch(gap: &Gap<'_>) -> Option<Factor> {
    let (other_size, other) = gap.evidence.elsewhere.as_ref()?;
    let (here, there) = (gap.slow.hottest()?, other.hottest()?);
    let (narrow, wide) = (f64::from(here.bits()?), f64::from(there.bits()?));
    let (from, to, step) = widest_step(gap)?;
    if wide < WIDER * narrow || step < STEP {
        return None;
    }
    let evidence = vec![
        format!(
            "at size {} {} runs {}, at size {} {}",
            size(gap.point().size),
            gap.slow_name(),
            told(here),
            size(*other_size),
            told(there)
        ),
        format!("the gap changes between the sizes {} and {}", size(from), size(to)),
    ];
    Some(Factor { cause: WhyCause::Dispatch, times: wide / narrow, is_open: true, evidence })
}

/// The neighbouring sizes between which the gap changes most towards the one without it, and by how much.
fn widest_step(gap: &Gap<'_>) -> Option<(f64, f64, f64)> {
    let (points, gaps) = (&gap.evidence.points, gap.by_size());
    let steps = points.windows(2).zip(gaps.windows(2));
    let steps = steps.map(|(points, gaps)| (points[0].size, points[1].size, (gaps[1] - gaps[0]).abs()));
    steps.max_by(|a, b| a.2.total_cmp(&b.2))
}

fn told(hot: &WhyLoop) -> String {
    let bits = hot.bits().map(|bits| format!(", {bits} bits at a time")).unwrap_or_default();
    format!("`{}`{bits}", hot.function)
}
