//! The hot loop of the slower side computes with one number at a time, or with narrower vectors than the other's.

use crate::Class;
use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::hot_loop::WhyLoop;
use crate::why::share::Factor;
use crate::why::words::percent;

/// Loops have to be this part of the time of the slower side before their width says something.
const LEAST_PART: f64 = 0.2;

pub(super) fn scalar_code(gap: &Gap<'_>) -> Option<Factor> {
    let (slow, fast) = (gap.slow.hottest()?, gap.fast.hottest()?);
    if gap.slow.in_loops() < LEAST_PART || fast.class <= Class::Scalar {
        return None;
    }
    // Where the size of numbers is not known, those of the other side are taken.
    let number = slow.number_bytes.or(fast.number_bytes).unwrap_or(4);
    let narrow = slow.bits().unwrap_or(8 * number);
    let times = f64::from(fast.bits()?) / f64::from(narrow);
    if times <= 1.0 {
        return None;
    }
    let tell = |side: char, hot: &WhyLoop, bits: u32| {
        let place = hot.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let width = match hot.class {
            Class::Scalar | Class::Integer => "one number at a time".to_owned(),
            _ => format!("vectors of {bits} bits"),
        };
        format!(
            "{} of the CPU time of {side} is in the loop of `{}`{place}: {width}",
            percent(hot.share),
            hot.function
        )
    };
    let evidence =
        vec![tell(gap.slow_name(), slow, narrow), tell(gap.fast_name(), fast, fast.bits().unwrap_or(narrow))];
    Some(Factor { cause: WhyCause::ScalarCode, times, is_open: false, evidence })
}
