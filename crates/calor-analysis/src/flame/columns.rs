//! All metrics of a flame graph over one tree of paths, in columns: what a page needs that lets its reader change
//! the metric, turn the graph around or take threads apart, without a tree for each.

use std::collections::HashMap;

use calor_model::Profile;
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::frames::FlameFrame;
use super::input::{FlameInput, FlameUnit};
use super::left_out::FlameLeftOut;
use super::paths::{FlamePaths, ROOT};

/// For so many paths one row of what was left out may know how it ends: it is about as large in a file.
const ENDS_PER_PATHS: usize = 4;

/// The paths of an input and what weighs on them.
#[derive(Clone, Debug)]
pub struct FlameColumns<'p> {
    /// The places, sorted by name; threads are among them.
    pub frames: Vec<FlameFrame<'p>>,
    /// The frame of each path's end; the root comes first, a caller before its callees.
    pub frame: Vec<u32>,
    /// The path without its end; the root is its own.
    pub parent: Vec<u32>,
    /// The metrics.
    pub metrics: Vec<FlameColumn>,
    /// Paths that were left out because they weigh least; what weighed on them is in [`FlameColumn::left_out`].
    pub n_left_out: usize,
}

/// The weights of one metric, a row for each path and thread.
#[derive(Clone, Debug)]
pub struct FlameColumn {
    /// A short word that stays the same.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is counted in.
    pub unit: FlameUnit,
    /// Which path.
    pub path: Vec<u32>,
    /// Which thread, as one of the frames.
    pub thread: Vec<u32>,
    /// How much.
    pub self_value: Vec<u64>,
    /// What weighs on paths that were left out.
    pub left_out: FlameLeftOut,
}

impl<'p> FlameColumns<'p> {
    /// Gathers the weights of `input`, on at most `max_paths` paths.
    #[must_use]
    pub fn new(profile: &'p Profile, input: &FlameInput, max_paths: usize) -> Self {
        let mut paths = FlamePaths::new(profile);
        let mut thread_frames = HashMap::<_, u32, RandomState>::default();
        let mut metrics = Vec::with_capacity(input.metrics.len());
        for metric in &input.metrics {
            let mut rows: IndexMap<(u32, u32), u64, RandomState> = IndexMap::default();
            let mut room = u64::MAX;
            for weight in &metric.weights {
                let value = weight.self_value.min(room);
                if value == 0 {
                    continue;
                }
                room -= value;
                let thread =
                    *thread_frames.entry(weight.thread).or_insert_with(|| paths.frames.thread(weight.thread));
                *rows.entry((paths.place(weight.stack, weight.leaf), thread)).or_default() += value;
            }
            metrics.push(rows);
        }
        let kept = Kept::new(&paths, &metrics, max_paths.max(1));
        let ranks = paths.frames.ranks();
        let (mut frame, mut parent) = (Vec::new(), Vec::new());
        for node in (0..paths.len() as u32).filter(|node| kept.is_kept(*node)) {
            frame.push(ranks[paths.node(node).1 as usize]);
            parent.push(if node == ROOT { 0 } else { kept.new_place[paths.node(node).0 as usize] });
        }
        let metrics = metrics.into_iter().zip(&input.metrics);
        let metrics = metrics
            .map(|(rows, metric)| {
                let new_place = |node: &u32| kept.new_place[*node as usize];
                let left_out = FlameLeftOut::new(
                    &paths,
                    &rows,
                    |node| kept.is_kept(node),
                    &kept.new_place,
                    &ranks,
                    max_paths / ENDS_PER_PATHS,
                );
                let rows: Vec<_> = rows.iter().filter(|((node, _), _)| kept.is_kept(*node)).collect();
                FlameColumn {
                    id: metric.id.clone(),
                    name: metric.name.clone(),
                    unit: metric.unit,
                    path: rows.iter().map(|((node, _), _)| new_place(node)).collect(),
                    thread: rows.iter().map(|((_, thread), _)| ranks[*thread as usize]).collect(),
                    self_value: rows.iter().map(|(_, value)| **value).collect(),
                    left_out,
                }
            })
            .collect();
        let mut frames: Vec<_> = ranks.iter().zip(paths.frames.into_vec()).collect();
        frames.sort_unstable_by_key(|(rank, _)| **rank);
        let frames = frames.into_iter().map(|(_, frame)| frame).collect();
        Self { frames, frame, parent, metrics, n_left_out: kept.n_left_out }
    }

    /// Whether nothing weighs on any path.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.metrics.iter().all(|metric| metric.self_value.is_empty())
    }
}

/// Which nodes stay, and where a node went: to its own new place or to that of its nearest kept caller.
struct Kept {
    shares: Vec<f64>,
    least: f64,
    new_place: Vec<u32>,
    n_left_out: usize,
}

impl Kept {
    fn new(paths: &FlamePaths<'_>, metrics: &[IndexMap<(u32, u32), u64, RandomState>], max: usize) -> Self {
        // The largest share of a node in any metric; a caller's is never smaller than its callee's.
        let mut shares = vec![0.0_f64; paths.len()];
        for rows in metrics {
            let mut total = vec![0_u64; paths.len()];
            rows.iter().for_each(|((node, _), value)| total[*node as usize] += value);
            for node in (1..total.len()).rev() {
                total[paths.node(node as u32).0 as usize] += total[node];
            }
            for (share, total_of_node) in shares.iter_mut().zip(&total) {
                *share = share.max(*total_of_node as f64 / total[0].max(1) as f64);
            }
        }
        shares[0] = f64::INFINITY;
        let n_used = shares.iter().filter(|share| **share > 0.0).count();
        let mut least = 0.0;
        if n_used > max {
            let mut sorted = shares.clone();
            // What weighs as much as the first that does not fit is left out with it.
            least = *sorted.select_nth_unstable_by(max, |a, b| b.total_cmp(a)).1;
        }
        let mut kept = Self { shares, least, new_place: Vec::with_capacity(paths.len()), n_left_out: 0 };
        let mut n_kept = 0;
        for node in 0..paths.len() as u32 {
            if kept.is_kept(node) {
                kept.new_place.push(n_kept);
                n_kept += 1;
            } else {
                kept.new_place.push(kept.new_place[paths.node(node).0 as usize]);
            }
        }
        kept.n_left_out = n_used - n_kept as usize;
        kept
    }

    fn is_kept(&self, node: u32) -> bool {
        self.shares[node as usize] > self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn what_does_not_fit_is_left_out_below_its_caller_with_its_end_and_its_names() {
        let profile = Sketch::new()
            .scope("a", &["run"], 1, 100)
            .scope("a", &["run", "big"], 1, 70)
            .scope("a", &["run", "tiny"], 1, 13)
            .scope("a", &["run", "tiny", "tinier"], 1, 10)
            .scope("a", &["run", "tiny", "tinier", "run"], 1, 4)
            .profile();
        let input = FlameInput::of_profile(&profile);
        let names = |columns: &FlameColumns<'_>, frames: &[u32]| {
            frames.iter().map(|frame| columns.frames[*frame as usize].name.to_owned()).collect::<Vec<_>>()
        };
        let columns = FlameColumns::new(&profile, &input, 3);
        assert_eq!(names(&columns, &columns.frame), ["all", "run", "big"]);
        assert_eq!(columns.n_left_out, 3);
        let scopes = &columns.metrics[0];
        assert_eq!((&scopes.path[..], &scopes.self_value[..]), (&[1, 2][..], &[17, 70][..]));
        // No row may know its end where so few paths are kept.
        let rows = &scopes.left_out.rows;
        assert_eq!(
            rows.iter().map(|row| (row.path, row.end, row.value)).collect::<Vec<_>>(),
            [(1, None, 13)]
        );
        // `run` is on all of these paths, and above what was left out.
        let held = &scopes.left_out.names;
        let frames: Vec<_> = held.iter().map(|held| held.frame).collect();
        assert_eq!(names(&columns, &frames), ["tinier", "tiny"]);
        assert_eq!(
            held.iter().map(|held| (held.total, held.self_value)).collect::<Vec<_>>(),
            [(10, 6), (13, 3)]
        );

        let columns = FlameColumns::new(&profile, &input, 4);
        let rows = &columns.metrics[0].left_out.rows;
        assert_eq!(names(&columns, &columns.frame), ["all", "run", "big", "tiny"]);
        let ends = rows.iter().map(|row| {
            (row.path, row.end.map(|end| columns.frames[end as usize].name), row.has_gap, row.value)
        });
        assert_eq!(ends.collect::<Vec<_>>(), [(3, None, true, 4), (3, Some("tinier"), false, 6)]);

        let whole = FlameColumns::new(&profile, &input, 100);
        assert_eq!((whole.n_left_out, &whole.metrics[0].left_out), (0, &FlameLeftOut::default()));
    }
}
