//! How much longer each stretch of work could have taken without the run ending later: what is left between it and the
//! end, less the longest way there through everything that depends on it.

use super::lane::{Lanes, Role};

/// For each lane, the slack of the stretch before each of its points, and of the one behind the last.
pub(super) fn of_units(lanes: &Lanes) -> Vec<Vec<u64>> {
    let mut pass = Pass::new(lanes);
    let mut ready: Vec<usize> = (0..lanes.all.len()).collect();
    loop {
        while let Some(lane) = ready.pop() {
            pass.back(lane, &mut ready);
        }
        // Times that contradict each other, as of a damaged file, can leave lanes that depend on each other: the one
        // that is furthest on goes on as if nobody depended on it.
        let stuck = (0..lanes.all.len()).filter(|&lane| pass.left[lane] > 0);
        match stuck.max_by_key(|&lane| lanes.all[lane].points[pass.left[lane] - 1].at) {
            Some(lane) => {
                let link = lanes.all[lane].points[pass.left[lane] - 1].link;
                pass.brought[link as usize].get_or_insert(0);
                if let Some(round) = lanes.edges[link as usize].round {
                    pass.rounds[round as usize].n_missing = 0;
                }
                ready.push(lane);
            }
            None => return pass.slack,
        }
    }
}

/// The way from the end to the beginning, lane by lane as far as it is known what depends on it.
struct Pass<'a> {
    lanes: &'a Lanes,
    slack: Vec<Vec<u64>>,
    /// The points of each lane that were not passed yet.
    left: Vec<usize>,
    /// The longest way to the end from where each lane was looked at last, and where that was.
    tails: Vec<u64>,
    seen: Vec<u64>,
    /// The longest way to the end from what each link brings, once the lane that it goes to was passed.
    brought: Vec<Option<u64>>,
    is_awaited: Vec<bool>,
    rounds: Vec<Round>,
}

/// A round of a barrier: all that any thread does behind it depends on every arrival.
#[derive(Default)]
struct Round {
    n_missing: u32,
    /// The longest way to the end behind it, so far.
    tail: u64,
    lanes: Vec<usize>,
}

impl<'a> Pass<'a> {
    fn new(lanes: &'a Lanes) -> Self {
        let (n_lanes, n_edges) = (lanes.all.len(), lanes.edges.len());
        Self {
            lanes,
            slack: lanes.all.iter().map(|lane| vec![lanes.end - lane.end; lane.points.len() + 1]).collect(),
            left: lanes.all.iter().map(|lane| lane.points.len()).collect(),
            tails: vec![0; n_lanes],
            seen: lanes.all.iter().map(|lane| lane.end).collect(),
            brought: vec![None; n_edges],
            is_awaited: vec![false; n_edges],
            rounds: lanes.rounds.iter().map(|&n_missing| Round { n_missing, ..Round::default() }).collect(),
        }
    }

    /// Goes back on a lane until something depends on it that was not looked at yet.
    fn back(&mut self, lane: usize, ready: &mut Vec<usize>) {
        while self.left[lane] > 0 {
            let place = self.left[lane] - 1;
            let point = self.lanes.all[lane].points[place];
            let link = point.link as usize;
            let edge = &self.lanes.edges[link];
            let mut tail = self.tails[lane].saturating_add(self.seen[lane].saturating_sub(point.at));
            let mut seen = point.at.min(self.seen[lane]);
            match point.role {
                // What depends on an arrival is looked at where the others went on.
                Role::Out if edge.round.is_some() => {}
                Role::Out => match self.brought[link] {
                    Some(brought) => tail = tail.max(brought),
                    None => {
                        self.is_awaited[link] = true;
                        return;
                    }
                },
                Role::In => {
                    if edge.round.is_none() {
                        self.brought[link] = Some(tail.saturating_add(edge.latency()));
                    }
                    if self.is_awaited[link] {
                        ready.push(edge.from as usize);
                    }
                    if let Some(round) = edge.round {
                        match self.meet(
                            lane,
                            round as usize,
                            link,
                            tail.saturating_add(edge.latency()),
                            ready,
                        ) {
                            Some(longest) => tail = longest,
                            None => return,
                        }
                    }
                    if edge.is_wait {
                        // Waiting is no work: whoever waits could have come so much later.
                        seen = seen.min(edge.since);
                    }
                }
                Role::Release => {}
            }
            self.left[lane] = place;
            (self.tails[lane], self.seen[lane]) = (tail, seen);
            self.slack[lane][place] = (self.lanes.end - seen).saturating_sub(tail);
        }
    }

    /// A lane comes to a barrier from behind: the longest way from there, once all that met there have come.
    fn meet(
        &mut self,
        lane: usize,
        round: usize,
        link: usize,
        tail: u64,
        ready: &mut Vec<usize>,
    ) -> Option<u64> {
        let round = &mut self.rounds[round];
        if self.brought[link].is_none() {
            self.brought[link] = Some(tail);
            round.tail = round.tail.max(tail);
            round.n_missing = round.n_missing.saturating_sub(1);
            if round.n_missing > 0 {
                round.lanes.push(lane);
                return None;
            }
            ready.append(&mut round.lanes);
        }
        Some(round.tail)
    }
}
