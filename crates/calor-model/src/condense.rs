//! Making a profile small without making its figures wrong. Pruning adds what goes to its caller, which changes what
//! the caller seems to have done itself, and a function that was called from many places loses most of its time.
//! Condensing keeps the paths that matter, and of the others the functions that matter most: what lies between
//! becomes a frame of its own, [`LEFT_OUT`].

use std::borrow::Cow;
use std::cmp::Ordering;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::destinations::{Destinations, enclosing};
use crate::respects::{Respect, largest_shares, respects};
use crate::rewrite::{Selection, rewrite};
use crate::{FrameId, FunctionKey, Profile, Stack, StackId, StackTable};

/// The name of the frame that stands for call paths that were left out.
pub const LEFT_OUT: &str = "(left out)";

/// A profile that can be condensed to several sizes: what matters in it is looked up once.
pub struct Condenser<'p> {
    /// Holds the frame that stands for what is left out.
    profile: Cow<'p, Profile>,
    left_out: FrameId,
    respects: Vec<Respect>,
    /// By call path: the largest share in any respect.
    shares: Vec<f64>,
    /// By call path: whether its function is not among its callers.
    is_outermost: Vec<bool>,
    /// By frame.
    function_of: Vec<usize>,
    /// By function: 0 is the one that matters most.
    ranks: Vec<usize>,
    /// By function: the frame that stands for it where its line is not kept.
    first_frame: Vec<FrameId>,
}

/// A condensed profile and what it lost.
pub struct Condensed {
    /// The profile.
    pub profile: Profile,
    /// How many call paths are not there any more as they were.
    pub n_left_out: usize,
    /// The most that any one function lost of its total or of what it did itself, as a share of the profile (0 to 1) in
    /// the respect in which that is largest.
    pub most_missing: f64,
}

impl Profile {
    /// Looks up what matters.
    #[must_use]
    pub fn condenser(&self) -> Condenser<'_> {
        Condenser::new(self)
    }

    /// The frame that stands for call paths that were left out, where there is one.
    #[must_use]
    pub fn left_out_frame(&self) -> Option<FrameId> {
        self.synthetic_frame(LEFT_OUT)
    }
}

impl<'p> Condenser<'p> {
    fn new(profile: &'p Profile) -> Self {
        let (profile, left_out) = profile.with_synthetic_frame(LEFT_OUT);
        let mut functions: IndexSet<FunctionKey, RandomState> = IndexSet::default();
        let mut first_frame = Vec::new();
        let mut function_of = Vec::with_capacity(profile.frames.len());
        for (id, frame) in profile.frames.iter() {
            let (function, is_new) = functions.insert_full(frame.function());
            function_of.push(function);
            first_frame.extend(is_new.then_some(id));
        }
        let respects = respects(&profile);
        let places = profile.stacks.iter().map(|(_, stack)| function_of[stack.frame.index()]);
        let places: Vec<Option<StackId>> = places.map(|place| Some(StackId::from_index(place))).collect();
        let outer = enclosing(&profile.stacks, &places, functions.len());
        let mut condenser = Self {
            shares: largest_shares(&profile, &respects),
            is_outermost: outer.iter().map(Option::is_none).collect(),
            ranks: Vec::new(),
            profile,
            left_out,
            respects,
            function_of,
            first_frame,
        };
        condenser.ranks = condenser.ranked();
        condenser
    }

    /// The profile with the call paths that hold at least `min_share` of it in any one respect as they are (roots
    /// always), and elsewhere with the frames of the `n_functions` functions that matter most. Below the first
    /// [`LEFT_OUT`] of a path, a function stands under the nearest of those that called it, not always directly.
    ///
    /// - Totals of the profile, of its threads and of paths that stayed are what they were, and so is what those paths
    ///   did themselves. Totals and self times of the kept functions are what they were; calls are all counted.
    /// - Of other functions [`Condensed::most_missing`] tells how much at most is not under their name any more.
    /// - Spans on paths that were left out lie inside those of their callers and go.
    #[must_use]
    pub fn condense(&self, min_share: f64, n_functions: usize) -> Condensed {
        let is_kept =
            |id: StackId, stack: Stack| stack.parent.is_none() || self.shares[id.index()] >= min_share;
        // By path of the condensed profile: whether it was kept as it is.
        let mut is_whole: Vec<bool> = Vec::new();
        let destinations = Destinations::folded(&self.profile, true, |paths, id, stack, caller| {
            let is_kept = is_kept(id, stack);
            let place = match caller {
                Some(caller) if !is_kept => self.place(paths, &is_whole, stack.frame, caller, n_functions),
                caller => paths.intern(caller, stack.frame),
            };
            is_whole.resize(paths.len(), false);
            is_whole[place.index()] |= is_kept;
            Some(place)
        });
        let left_out = || self.profile.stacks.iter().filter(|(id, stack)| !is_kept(*id, *stack));
        Condensed {
            n_left_out: left_out().count(),
            most_missing: self.most_missing(left_out, n_functions),
            profile: rewrite(&self.profile, &destinations, &Selection::default(), None),
        }
    }

    /// Where a frame of a path that was left out goes, below or at the place of its caller.
    fn place(
        &self,
        paths: &mut StackTable,
        is_whole: &[bool],
        frame: FrameId,
        caller: StackId,
        n_functions: usize,
    ) -> StackId {
        let is_left_out = paths.get(caller).frame == self.left_out;
        let function = self.function_of[frame.index()];
        if self.ranks[function] >= n_functions {
            return if is_left_out { caller } else { paths.intern(Some(caller), self.left_out) };
        }
        // Below what was left out one mark is enough: more would make many paths of few functions. And a function that
        // is called by itself, or by itself through nothing that has a name, stays where it is.
        let outer = paths.get(caller).parent.filter(|outer| is_left_out && !is_whole[outer.index()]);
        let nearest = outer.unwrap_or(caller);
        if is_whole[nearest.index()] {
            return paths.intern(Some(nearest), frame);
        }
        match self.function_of[paths.get(nearest).frame.index()] == function {
            true => nearest,
            false => paths.intern(Some(nearest), self.first_frame[function]),
        }
    }

    /// The place of each function in the order of what matters: by its total and by what it did itself, by turns, as
    /// lists are sorted by either.
    fn ranked(&self) -> Vec<usize> {
        let n_functions = self.first_frame.len();
        let mut largest = [vec![0.0_f64; n_functions], vec![0.0_f64; n_functions]];
        for respect in &self.respects {
            let mut sums = [vec![0.0_f64; n_functions], vec![0.0_f64; n_functions]];
            for (id, stack) in self.profile.stacks.iter() {
                let function = self.function_of[stack.frame.index()];
                if self.is_outermost[id.index()] {
                    sums[0][function] += respect.inclusive[id.index()];
                }
                sums[1][function] += respect.own[id.index()];
            }
            for (largest, sums) in largest.iter_mut().zip(sums) {
                largest.iter_mut().zip(sums).for_each(|(largest, sum)| *largest = largest.max(sum));
            }
        }
        let mut best = vec![usize::MAX; n_functions];
        for weights in &largest {
            for (rank, function) in in_order(n_functions, |a, b| weights[b].total_cmp(&weights[a])) {
                best[function] = best[function].min(rank);
            }
        }
        // What is left out has no name to be kept by.
        best[self.function_of[self.left_out.index()]] = usize::MAX;
        let mut ranks = vec![usize::MAX; n_functions];
        for (rank, function) in in_order(n_functions, |a, b| best[a].cmp(&best[b])) {
            ranks[function] = rank;
        }
        ranks[self.function_of[self.left_out.index()]] = usize::MAX;
        ranks
    }

    fn most_missing<I: Iterator<Item = (StackId, Stack)>>(
        &self,
        left_out: impl Fn() -> I,
        n_functions: usize,
    ) -> f64 {
        let mut most = 0.0_f64;
        for respect in &self.respects {
            let nothing = || vec![0.0_f64; self.first_frame.len()];
            let [mut totals, mut own] = [nothing(), nothing()];
            for (id, stack) in left_out() {
                let function = self.function_of[stack.frame.index()];
                if self.ranks[function] < n_functions || stack.frame == self.left_out {
                    continue;
                }
                own[function] += respect.own[id.index()];
                // Inside itself it is part of its total already, which is there or counted where it is outermost.
                totals[function] +=
                    if self.is_outermost[id.index()] { respect.inclusive[id.index()] } else { 0.0 };
            }
            most = totals.into_iter().chain(own).fold(most, f64::max);
        }
        most
    }
}

/// Functions with their places in an order; equal ones in the order of their first use.
fn in_order(
    n_functions: usize,
    compare: impl Fn(usize, usize) -> Ordering,
) -> impl Iterator<Item = (usize, usize)> {
    let mut order: Vec<usize> = (0..n_functions).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order.into_iter().enumerate()
}
