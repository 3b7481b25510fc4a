//! The nodes of a flame graph in columns, in the order they are drawn: depth first, siblings by name. Where a node
//! begins and where its inside ends follows from that order.

/// Nodes in the order they are drawn; the root comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlameLayout {
    pub(crate) frame: Vec<u32>,
    /// `u32::MAX` at the root.
    pub(crate) parent: Vec<u32>,
    pub(crate) depth: Vec<u32>,
    pub(crate) start: Vec<u64>,
    pub(crate) own: Vec<u64>,
    pub(crate) total: Vec<u64>,
    pub(crate) end: Vec<u32>,
}

/// A node that has callees waiting for it.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) place: u32,
    pub(crate) depth: u32,
}

impl FlameLayout {
    /// Adds the next node, below one that was added before.
    pub(crate) fn push(&mut self, below: Option<Placed>, frame: u32, own: u64, total: u64) -> Placed {
        let placed =
            Placed { place: self.frame.len() as u32, depth: below.map_or(0, |below| below.depth + 1) };
        self.frame.push(frame);
        self.parent.push(below.map_or(u32::MAX, |below| below.place));
        self.depth.push(placed.depth);
        self.own.push(own);
        self.total.push(total);
        placed
    }

    /// Leaves out nodes until at most `most` are there: those that weigh least, and with them all that weigh as
    /// much as the heaviest of them. What the least that stays weighs, if any went.
    pub(crate) fn keep_heaviest(&mut self, most: usize) -> Option<u64> {
        let most = most.max(1);
        if self.total.len() <= most {
            return None;
        }
        let mut totals = self.total.clone();
        let heaviest_out = *totals.select_nth_unstable_by(most, |a, b| b.cmp(a)).1;
        let least = heaviest_out.saturating_add(1);
        // A caller weighs at least as much as what it calls, so what stays hangs together.
        let mut kept = Self::default();
        let mut places = vec![u32::MAX; self.total.len()];
        for node in 0..self.total.len() {
            if node > 0 && self.total[node] < least {
                continue;
            }
            let below = places.get(self.parent[node] as usize);
            let below = below.map(|place| Placed { place: *place, depth: self.depth[node] - 1 });
            places[node] = kept.push(below, self.frame[node], self.own[node], self.total[node]).place;
        }
        *self = kept;
        Some(least)
    }

    /// Fills in starts and ends: callees begin where their caller does and follow each other.
    pub(crate) fn finish(&mut self) {
        let n = self.frame.len();
        let mut cursor: Vec<u64> = Vec::with_capacity(n);
        for node in 0..n {
            let start = match cursor.get_mut(self.parent[node] as usize) {
                Some(next) => std::mem::replace(next, *next + self.total[node]),
                None => 0,
            };
            cursor.push(start);
            self.start.push(start);
        }
        self.end = vec![0; n];
        for node in (0..n).rev() {
            let end = self.end[node].max(node as u32 + 1);
            self.end[node] = end;
            if let Some(parent_end) = self.end.get_mut(self.parent[node] as usize) {
                *parent_end = (*parent_end).max(end);
            }
        }
    }
}
