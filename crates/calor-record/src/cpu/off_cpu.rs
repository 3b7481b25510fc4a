//! Where threads wait: the path on which a thread left its processor, and how long until it came back.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::python::Lock;

/// A thread that is away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Away {
    pub(crate) node: u32,
    pub(crate) pid: i32,
    pub(crate) since: u64,
    pub(crate) lock: Option<Lock>,
    /// Whether an earlier part has counted it already.
    pub(crate) is_counted: bool,
}

/// All threads that are away.
#[derive(Debug, Default)]
pub(crate) struct OffCpu {
    away: HashMap<i32, Away, RandomState>,
}

impl OffCpu {
    /// A thread left its processor on a path.
    pub(crate) fn left(&mut self, tid: i32, away: Away) {
        self.away.insert(tid, away);
    }

    /// A thread was pushed off although it could have gone on: that is no waiting. Whether it was taken for such.
    pub(crate) fn pushed_off(&mut self, tid: i32) -> bool {
        self.away.remove(&tid).is_some()
    }

    /// A thread came back; where it was away and for how long.
    pub(crate) fn came_back(&mut self, tid: i32, time: u64) -> Option<(Away, u64)> {
        let away = self.away.remove(&tid)?;
        Some((away, time.saturating_sub(away.since)))
    }

    /// A thread ended.
    pub(crate) fn ended(&mut self, tid: i32) {
        self.away.remove(&tid);
    }

    /// All that are away, with how long they have been up to `time`; from then on they count anew from there.
    /// Their paths are asked for again since the sums begin anew.
    pub(crate) fn settle(&mut self, time: u64) -> Vec<(i32, Away, u64)> {
        self.away
            .iter_mut()
            .map(|(tid, away)| {
                let nanos = time.saturating_sub(away.since);
                away.since = away.since.max(time);
                (*tid, *away, nanos)
            })
            .collect()
    }
}
