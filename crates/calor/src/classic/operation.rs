//! What is known of one named operation: its calls wherever they were made, added up.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::Scale;

use super::tree::Figures;

/// One named operation. Only calls that were stopped count.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct OperationStats {
    /// What it is called.
    pub name: String,
    /// How often it was called.
    pub call_count: u64,
    /// Floating-point operations of all calls, as told.
    pub flops: f64,
    /// Bytes read and written by all calls, as told.
    pub bytes: u64,
    total: Duration,
    own: Duration,
    /// The time of all calls, those inside another of the same name included.
    of_calls: Duration,
    min: Duration,
    max: Duration,
}

impl OperationStats {
    /// The time it took. A call inside another of the same name is part of that one and not added again.
    #[must_use]
    pub fn total_time(&self) -> Duration {
        self.total
    }

    /// The time it took less that of the operations inside it.
    #[must_use]
    pub fn self_time(&self) -> Duration {
        self.own
    }

    /// The mean duration of a call.
    #[must_use]
    pub fn avg_time(&self) -> Duration {
        let nanos = self.of_calls.as_nanos().checked_div(u128::from(self.call_count)).unwrap_or(0);
        Duration::from_nanos(nanos as u64)
    }

    /// The shortest call.
    #[must_use]
    pub fn min_time(&self) -> Duration {
        self.min
    }

    /// The longest call.
    #[must_use]
    pub fn max_time(&self) -> Duration {
        self.max
    }

    /// Thousand million floating-point operations a second; `None` when none were told.
    #[must_use]
    pub fn gflops_per_second(&self) -> Option<f64> {
        per_second(self.flops, self.total).map(|rate| rate / 1e9)
    }

    /// Thousand million bytes a second; `None` when none were told.
    #[must_use]
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        per_second(self.bytes as f64, self.total).map(|rate| rate / 1e9)
    }
}

fn per_second(amount: f64, time: Duration) -> Option<f64> {
    (amount > 0.0 && !time.is_zero()).then(|| amount / time.as_secs_f64())
}

/// Adds call paths up by what they end in, in the order of first use.
pub(super) fn by_name(figures: &[Figures], scale: Scale) -> Vec<OperationStats> {
    #[derive(Default)]
    struct Sums {
        count: u64,
        outermost: u64,
        own: u64,
        all: u64,
        min: u64,
        max: u64,
        flops: u64,
        bytes: u64,
    }
    let mut inside = vec![0_u64; figures.len()];
    for node in figures.iter().skip(1) {
        inside[node.parent] = inside[node.parent].saturating_add(node.sum);
    }
    let mut order = Vec::new();
    let mut sums: HashMap<u32, Sums> = HashMap::new();
    for (index, node) in figures.iter().enumerate().skip(1).filter(|(_, node)| node.count > 0) {
        let sums = sums.entry(node.site.id()).or_insert_with(|| {
            order.push(node.site);
            Sums { min: u64::MAX, ..Sums::default() }
        });
        sums.count += node.count;
        sums.all = sums.all.saturating_add(node.sum);
        sums.own = sums.own.saturating_add(node.sum.saturating_sub(inside[index]));
        if !is_inside_itself(figures, index) {
            sums.outermost = sums.outermost.saturating_add(node.sum);
        }
        sums.min = sums.min.min(node.min);
        sums.max = sums.max.max(node.max);
        sums.flops = sums.flops.saturating_add(node.flops);
        sums.bytes = sums.bytes.saturating_add(node.bytes);
    }
    let time = |ticks| Duration::from_nanos(scale.nanos(ticks));
    let stats = order.into_iter().map(|site| {
        let sums = &sums[&site.id()];
        OperationStats {
            name: site.name().to_owned(),
            call_count: sums.count,
            flops: sums.flops as f64,
            bytes: sums.bytes,
            total: time(sums.outermost),
            own: time(sums.own),
            of_calls: time(sums.all),
            min: time(sums.min),
            max: time(sums.max),
        }
    });
    stats.collect()
}

/// Whether a path holds the same site further out, finished at least once: the time is part of that one.
fn is_inside_itself(figures: &[Figures], index: usize) -> bool {
    let site = figures[index].site;
    let mut at = figures[index].parent;
    while at != 0 {
        if std::ptr::eq(figures[at].site, site) && figures[at].count > 0 {
            return true;
        }
        at = figures[at].parent;
    }
    false
}
