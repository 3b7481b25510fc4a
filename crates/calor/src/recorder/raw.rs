//! What a reader takes out of a block: the same figures as plain values, still in ticks. The difference of two
//! looks at a thread is what a recording writes.

use crate::Site;
use crate::clock::Scale;

use super::calibrate;
use super::fold::FinishedScope;
use super::node::ExtraKind;

/// A thread as it was at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawThread {
    pub(crate) serial: u64,
    pub(crate) tid: u64,
    pub(crate) name: String,
    /// Parents before children; the root comes first and has no figures.
    pub(crate) nodes: Vec<RawNode>,
    pub(crate) spans: Vec<FinishedScope>,
    /// Where the next look for spans begins.
    pub(crate) head: u64,
    /// Spans that were overwritten before this look.
    pub(crate) lost_spans: u64,
    pub(crate) over_limit: u64,
    pub(crate) too_deep: u64,
    pub(crate) resets: u64,
    /// Whether the owner was too busy for one consistent look: nodes are whole, but of slightly different moments.
    pub(crate) is_torn: bool,
}

/// A call path as it was at one moment.
#[derive(Clone, Debug)]
pub(crate) struct RawNode {
    pub(crate) site: &'static Site,
    /// The parent's place in the list.
    pub(crate) parent: usize,
    pub(crate) timed: RawTally,
    pub(crate) untimed: u64,
    pub(crate) sampled: u64,
    pub(crate) sampled_sum: u64,
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    pub(crate) flops: u64,
    pub(crate) extras: Vec<(ExtraKind, &'static str, i64)>,
    pub(crate) extras_lost: u64,
    pub(crate) future: Option<Box<RawFuture>>,
    pub(crate) memory: RawMemory,
    /// What the untimed calls took, estimated from those that stand for them, and the variance of that in ticks
    /// squared.
    pub(crate) untimed_ticks: u64,
    pub(crate) variance: f64,
    /// Of the time of the timed calls, what was spent inside another call of this path and does not count again.
    pub(crate) recursive_ticks: u64,
    pub(crate) open_calls: i64,
    /// In nanoseconds: what was told must be taken back to the last one, whatever the clock's rate is then.
    pub(crate) open_nanos: i64,
}

/// What was allocated and freed on a call path itself, its children apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RawMemory {
    pub(crate) allocated_bytes: u64,
    pub(crate) allocated_count: u64,
    pub(crate) freed_bytes: u64,
    pub(crate) freed_count: u64,
    /// The most that one call held, its children included.
    pub(crate) peak_bytes: u64,
}

impl RawMemory {
    fn is_empty(self) -> bool {
        self.allocated_count == 0 && self.freed_count == 0
    }

    /// The peak stays: it is true of the whole so far, and merging parts takes the largest of all.
    fn subtract(&mut self, earlier: Self) {
        for (own, theirs) in [
            (&mut self.allocated_bytes, earlier.allocated_bytes),
            (&mut self.allocated_count, earlier.allocated_count),
            (&mut self.freed_bytes, earlier.freed_bytes),
            (&mut self.freed_count, earlier.freed_count),
        ] {
            *own = own.saturating_sub(theirs);
        }
    }
}

/// The lives of an async scope's futures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RawFuture {
    pub(crate) wall: RawTally,
    pub(crate) cancelled: u64,
}

/// Statistics of durations in ticks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RawTally {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    pub(crate) squares: u128,
    pub(crate) min: u64,
    pub(crate) max: u64,
    /// Bucket and count, in order, none zero.
    pub(crate) buckets: Vec<(u16, u64)>,
}

impl RawThread {
    /// What happened since an earlier look at the same owner of the block. This look then holds all that was
    /// told so far, even where it saw less than the earlier one did.
    pub(crate) fn since(&mut self, earlier: &Self) -> Self {
        let is_reset = earlier.resets != self.resets;
        let mut nodes: Vec<RawNode> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter_mut().enumerate() {
            nodes.push(match earlier.nodes.get(index) {
                Some(earlier) if is_reset => node.with_open_since(earlier),
                Some(earlier) => {
                    node.keep(earlier);
                    let mut news = node.with_open_since(earlier);
                    news.subtract(earlier);
                    news
                }
                None => node.clone(),
            });
        }
        let losses = |now: u64, earlier: u64| if is_reset { now } else { now.saturating_sub(earlier) };
        Self {
            nodes,
            over_limit: losses(self.over_limit, earlier.over_limit),
            too_deep: losses(self.too_deep, earlier.too_deep),
            name: self.name.clone(),
            spans: self.spans.clone(),
            ..*self
        }
    }
}

impl RawNode {
    /// A call path of which nothing is known but its place.
    pub(crate) fn without_figures(site: &'static Site, parent: usize) -> Self {
        Self {
            site,
            parent,
            timed: RawTally::default(),
            untimed: 0,
            sampled: 0,
            sampled_sum: 0,
            elements: 0,
            bytes: 0,
            flops: 0,
            extras: Vec::new(),
            extras_lost: 0,
            future: None,
            memory: RawMemory::default(),
            untimed_ticks: 0,
            variance: 0.0,
            recursive_ticks: 0,
            open_calls: 0,
            open_nanos: 0,
        }
    }

    /// Estimates what the untimed calls took. Calls that were timed because all were need no scaling; those
    /// timed one in N stand for the untimed ones too.
    pub(crate) fn estimate(&mut self) {
        let (n, sum) = if self.sampled > 0 {
            (self.sampled, self.sampled_sum)
        } else {
            (self.timed.count, self.timed.sum)
        };
        if self.untimed == 0 || n == 0 {
            return;
        }
        let (n, untimed) = (n as f64, self.untimed as f64);
        // A timed call holds part of what timing it cost; the untimed ones it stands for do not. That cost is
        // known to a quarter at best, which is much when scopes are hardly longer.
        let own = calibrate::inside_ticks();
        self.untimed_ticks = ((sum as f64 / n - own).max(0.0) * untimed) as u64;
        let spread = self.timed.squared_deviations() / self.timed.count as f64;
        self.variance =
            (self.sampled as f64 + untimed) * untimed * spread / n + (untimed * own / 4.0).powi(2);
    }

    /// The same, with what is open told as a change. After a reset too, or what was told would stay for good.
    fn with_open_since(&self, earlier: &Self) -> Self {
        Self {
            open_calls: self.open_calls - earlier.open_calls,
            open_nanos: self.open_nanos - earlier.open_nanos,
            ..self.clone()
        }
    }

    /// Keeps what an earlier look saw more of. A look that was not of one moment lacks what is in the ring, and
    /// an estimate may fall; both were told and cannot be taken back, so they count towards what comes next.
    fn keep(&mut self, earlier: &Self) {
        if self.timed.count < earlier.timed.count {
            self.timed = earlier.timed.clone();
            (self.sampled, self.sampled_sum) = (earlier.sampled, earlier.sampled_sum);
        }
        self.untimed_ticks = self.untimed_ticks.max(earlier.untimed_ticks);
        self.variance = self.variance.max(earlier.variance);
        self.settle_recursive();
        let counted = |node: &Self| node.timed.sum.saturating_sub(node.recursive_ticks);
        self.defer_recursive(counted(earlier).saturating_sub(counted(self)).min(self.recursive_ticks));
    }

    /// Takes time that counts once only off the calls that are still open where the finished ones hold less: the calls
    /// around it have not ended.
    pub(crate) fn settle_recursive(&mut self) {
        self.defer_recursive(self.recursive_ticks.saturating_sub(self.timed.sum));
    }

    fn defer_recursive(&mut self, ticks: u64) {
        if ticks > 0 {
            self.recursive_ticks -= ticks;
            self.open_nanos -= Scale::measure().nanos(ticks).cast_signed();
        }
    }

    /// Whether there is nothing to tell.
    pub(crate) fn is_empty(&self) -> bool {
        self.timed.count == 0
            && self.untimed == 0
            && self.open_calls == 0
            && self.open_nanos == 0
            && self.elements == 0
            && self.bytes == 0
            && self.flops == 0
            && self.memory.is_empty()
            && self.extras.iter().all(|extra| extra.2 == 0)
            && self.future.as_ref().is_none_or(|future| future.wall.count == 0 && future.cancelled == 0)
    }

    fn subtract(&mut self, earlier: &Self) {
        self.timed.subtract(&earlier.timed);
        for (own, theirs) in [
            (&mut self.untimed, earlier.untimed),
            (&mut self.sampled, earlier.sampled),
            (&mut self.sampled_sum, earlier.sampled_sum),
            (&mut self.untimed_ticks, earlier.untimed_ticks),
            (&mut self.recursive_ticks, earlier.recursive_ticks),
            (&mut self.elements, earlier.elements),
            (&mut self.bytes, earlier.bytes),
            (&mut self.flops, earlier.flops),
            (&mut self.extras_lost, earlier.extras_lost),
        ] {
            *own = own.saturating_sub(theirs);
        }
        // Named figures are only ever appended.
        for (own, theirs) in self.extras.iter_mut().zip(&earlier.extras) {
            own.2 = own.2.wrapping_sub(theirs.2);
        }
        if let (Some(own), Some(theirs)) = (&mut self.future, &earlier.future) {
            own.wall.subtract(&theirs.wall);
            own.cancelled = own.cancelled.saturating_sub(theirs.cancelled);
        }
        self.memory.subtract(earlier.memory);
        self.variance -= earlier.variance;
    }
}

impl RawTally {
    fn subtract(&mut self, earlier: &Self) {
        self.count = self.count.saturating_sub(earlier.count);
        self.sum = self.sum.saturating_sub(earlier.sum);
        self.squares = self.squares.saturating_sub(earlier.squares);
        // The extremes stay: they are true of the whole so far, and merging parts takes the extremes of all.
        let mut theirs = earlier.buckets.iter().peekable();
        self.buckets.retain_mut(|(bucket, count)| {
            while theirs.next_if(|entry| entry.0 < *bucket).is_some() {}
            if let Some(entry) = theirs.next_if(|entry| entry.0 == *bucket) {
                *count = count.saturating_sub(entry.1);
            }
            *count > 0
        });
    }

    /// The sum of squared distances from the mean, in ticks squared. Count, sum and squares are exact, so
    /// nothing cancels: n·Σd² − (Σd)² is formed in 256 bits.
    pub(crate) fn squared_deviations(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let (high, low) = multiply(self.squares, u128::from(self.count));
        let square = u128::from(self.sum) * u128::from(self.sum);
        let (low, borrow) = low.overflowing_sub(square);
        let high = high.saturating_sub(u128::from(borrow));
        (high as f64 * 2.0_f64.powi(128) + low as f64) / self.count as f64
    }
}

/// The 256-bit product as its high and low half, the second factor below 2^64.
fn multiply(a: u128, b: u128) -> (u128, u128) {
    let (a_high, a_low) = (a >> 64, a & u128::from(u64::MAX));
    let low = a_low * b;
    let middle = a_high * b + (low >> 64);
    (middle >> 64, (middle << 64) | (low & u128::from(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(durations: &[u64]) -> RawTally {
        RawTally {
            count: durations.len() as u64,
            sum: durations.iter().sum(),
            squares: durations.iter().map(|&d| u128::from(d) * u128::from(d)).sum(),
            ..RawTally::default()
        }
    }

    #[test]
    fn spread_is_exact_where_floats_would_cancel() {
        let base = 1 << 50;
        assert_eq!(tally(&[base, base + 2, base + 4]).squared_deviations(), 8.0);
        assert_eq!(tally(&[7; 1000]).squared_deviations(), 0.0);
    }

    #[test]
    fn the_spread_of_a_difference_is_that_of_the_new_durations() {
        let mut later = tally(&[5, 9, 1_000_000, 1_000_003]);
        later.subtract(&tally(&[5, 9]));
        assert_eq!(later.squared_deviations(), 4.5);
    }
}
