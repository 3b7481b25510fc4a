//! What the loops of both sides move between far memory and the processor, read off their code. Where a side moves it nearly
//! as fast as memory delivers, what it moves beyond the other is what it takes longer for, whatever the sizes say: two
//! stretches that lie badly to each other are slow in the nearest cache as well.

use crate::why::gap::Gap;
use crate::why::loop_threads::of_one_share;
use crate::why::share::Claim;
use crate::why::words::{bytes, percent};
use crate::why::{WhyCause, WhyLoop, WhySide};

/// Loops below this part of the time are beginnings and ends of others.
const LEAST_PART: f64 = 0.12;
/// A side whose loops have less of its time than this is not told by them.
const LEAST_LOOPS: f64 = 0.6;
/// By so many times as much a side moves more.
const MORE: f64 = 1.15;
/// From this part of what memory delivers to whoever only reads it, memory is what limits: stores are slower than loads.
const NEAR_ROOF: f64 = 0.5;

pub(super) fn traffic(gap: &Gap<'_>) -> Option<Claim> {
    let (_, tier) = gap.tier()?;
    let held = gap.point().bytes?;
    let (slow, fast) = (Moved::of(gap.slow)?, Moved::of(gap.fast)?);
    // What a call works on are all stretches; one of them is the part that each is.
    let each = held / slow.n_streams.max(fast.n_streams) as f64;
    let rate = slow.times * each / (gap.slow_cpu * 1e-9);
    let part = rate / tier.bytes_per_s;
    if slow.times < MORE * fast.times || part < NEAR_ROOF {
        return None;
    }
    let tell = |name: char, moved: &Moved| {
        let stretches = if moved.n_streams == 1 { "stretch" } else { "stretches" };
        format!(
            "loops of {name} go along {} {stretches} of memory and move {} a call",
            moved.n_streams,
            bytes(moved.times * each)
        )
    };
    let evidence = vec![
        tell(gap.slow_name(), &slow),
        tell(gap.fast_name(), &fast),
        format!(
            "{} moves them {}: what is written elsewhere is fetched before",
            gap.slow_name(),
            match part < 1.0 {
                true => format!("at {} of what {} delivers", percent(part), tier.name),
                false => format!("as fast as {} delivers", tier.name),
            }
        ),
    ];
    let nanos = gap.slow_cpu * (1.0 - fast.times / slow.times);
    Some(Claim { cause: WhyCause::Bandwidth, nanos, evidence })
}

/// What all passes of a side move.
struct Moved {
    /// Stretches of the pass that goes along most of them.
    n_streams: usize,
    /// By the length of a stretch.
    times: f64,
}

impl Moved {
    /// `None` where loops have too little of the time, or go along no memory.
    fn of(side: &WhySide) -> Option<Self> {
        let is_pass = |it: &&WhyLoop| !it.is_locked() && !it.has_call && it.share >= LEAST_PART;
        let passes: Vec<&WhyLoop> = side.loops.iter().filter(is_pass).collect();
        let share: f64 = passes.iter().map(|it| it.share).sum();
        if share < LEAST_LOOPS {
            return None;
        }
        if passes.iter().any(|it| it.moved.is_none()) {
            return None;
        }
        let times = of_one_share(&passes, |it| it.moved.unwrap_or(0.0));
        Some(Self { n_streams: passes.iter().map(|it| it.n_streams).max()?, times })
    }
}
