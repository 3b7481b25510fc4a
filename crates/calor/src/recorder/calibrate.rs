//! What a scope costs: measured once, on a block of its own, so that a report can print it and take it off.

use std::sync::OnceLock;

use calor_model::Cost;

use crate::clock::{self, Scale};
use crate::{Scope, Site};

use super::block::Block;
use super::{registry, state};

const SCOPES: u64 = 512;
/// The quickest batch counts: others were disturbed.
const BATCHES: u64 = 8;

/// The cost of an empty scope in ticks, for all `SCOPES` of a batch.
#[derive(Clone, Copy)]
struct Measured {
    whole: u64,
    inside: u64,
    /// Of a counted scope that is not timed.
    untimed: u64,
}

const NOTHING: Measured = Measured { whole: 0, inside: 0, untimed: 0 };

static MEASURED: OnceLock<Measured> = OnceLock::new();

/// Measures, the first time. The recorder must be on.
pub(crate) fn measure() {
    MEASURED.get_or_init(|| {
        static SITE: Site = Site::new("(empty scope)", "", "", 0);
        let block = Block::leak();
        let batches = registry::with_private_block(block, || {
            let word = state::load();
            block.adopt(word);
            block.quick_state.set(word);
            (0..BATCHES).map(|_| batch(block, &SITE)).collect::<Vec<_>>()
        });
        let untimed = batches.iter().map(|batch| batch.untimed).min().unwrap_or(0);
        // A batch that took no time inside its scopes met another thread's disable or reset.
        let undisturbed = batches.into_iter().filter(|batch| batch.inside > 0);
        let quickest = undisturbed.min_by_key(|batch| batch.whole).unwrap_or(NOTHING);
        Measured { untimed, ..quickest }
    });
}

fn batch(block: &Block, site: &'static Site) -> Measured {
    let inside_before = inside(block);
    let begin = clock::ticks();
    for _ in 0..SCOPES {
        let _scope = Scope::enter(site);
    }
    let whole = clock::ticks().wrapping_sub(begin);
    block.fold_now();
    // Less than before if everything was reset meanwhile.
    let inside = inside(block).saturating_sub(inside_before);
    let begin = clock::ticks();
    for _ in 0..SCOPES {
        let _scope = Scope::enter_one_in(site, state::MAX_ONE_IN);
    }
    Measured { whole, inside, untimed: clock::ticks().wrapping_sub(begin) }
}

fn inside(block: &Block) -> u64 {
    (0..block.n_nodes.load(std::sync::atomic::Ordering::Relaxed))
        .map(|index| block.node(index).tally.sum.load(std::sync::atomic::Ordering::Relaxed))
        .sum()
}

/// What of an empty scope's cost falls inside its own time, in ticks; 0 when it was not measured.
pub(crate) fn inside_ticks() -> f64 {
    MEASURED.get().map_or(0.0, |measured| measured.inside as f64 / SCOPES as f64)
}

/// What so many timed and untimed scopes cost in nanoseconds, if the cost was measured.
pub(crate) fn cost_of(timed: u64, untimed: u64) -> Option<u64> {
    let measured = MEASURED.get()?;
    let ticks = timed as f64 * measured.whole as f64 + untimed as f64 * measured.untimed as f64;
    Some((ticks / SCOPES as f64 * Scale::measure().nanos_per_tick()) as u64)
}

/// The cost of an empty scope, if it was measured.
pub(crate) fn cost() -> Cost {
    let Some(measured) = MEASURED.get() else { return Cost::default() };
    let scale = Scale::measure();
    let picos = |ticks: u64| Some((ticks as f64 * scale.nanos_per_tick() * 1000.0 / SCOPES as f64) as u64);
    Cost {
        per_scope_picos: picos(measured.whole),
        inside_scope_picos: picos(measured.inside),
        ..Cost::default()
    }
}
