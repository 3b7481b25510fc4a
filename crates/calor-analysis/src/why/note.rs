//! What is worth knowing of the sides besides causes: how near the machine's roofs they are, whose code they run, how many
//! instructions; and what was not recorded.

use super::gap::{Gap, LEAST_SAMPLES, NAMES};
use super::words::{bytes, percent, times};

/// From so much of what memory delivers on, there is little to gain but by moving less.
const NEAR: f64 = 0.7;
/// More than this is no rate of memory, however much it scatters.
const MOST: f64 = 1.15;

pub(super) fn notes(gap: &Gap<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(roof(gap));
    for (name, side) in NAMES.iter().zip(&gap.evidence.sides) {
        if !side.blas.is_empty() {
            notes.push(format!("{name} runs in a library of linear algebra: {}", side.blas.join(", ")));
        }
    }
    if let (Some(slow), Some(fast)) = (gap.slow.instructions, gap.fast.instructions)
        && fast > 0.0
    {
        notes.push(format!(
            "a call of {} executes {} as many instructions as one of {}, and takes {} as long",
            gap.slow_name(),
            times(slow / fast),
            gap.fast_name(),
            times(gap.slow_nanos / gap.fast_nanos)
        ));
    }
    notes
}

/// How near each side comes to what the tier that holds its data delivers.
fn roof(gap: &Gap<'_>) -> Vec<String> {
    let Some((amount, (_, tier))) = gap.point().bytes.zip(gap.tier()) else { return Vec::new() };
    let share = |nanos: f64| amount / nanos * 1e9 / tier.bytes_per_s;
    // Nobody moves more than memory delivers: a program holds what its calls do not touch.
    if gap.point().cpu.iter().any(|nanos| share(*nanos) > MOST) {
        return vec![format!(
            "how much of the {} that are held a call moves is not known: `--bytes` says how many it works on for each \
             element",
            bytes(amount)
        )];
    }
    let each = gap.point().cpu.iter().zip(NAMES).map(|(nanos, name)| {
        let share = share(*nanos);
        let near = if share >= NEAR { ": only moving less would help" } else { "" };
        format!(
            "{name} moves the {} of a call at {} of what {} delivers{near}",
            bytes(amount),
            percent(share),
            tier.name
        )
    });
    each.collect()
}

pub(super) fn missing(gap: &Gap<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for (name, side) in NAMES.iter().zip(&gap.evidence.sides) {
        if side.n_samples < LEAST_SAMPLES {
            missing.push(format!(
                "{} CPU samples of {name} are too few to tell what it does: let each run do more",
                side.n_samples
            ));
        } else if side.loops.is_empty() && side.parts.own > 0.5 {
            missing.push(format!("no hot loop was found in the code of {name}: vector widths are not known"));
        }
    }
    if gap.slow.heap_bytes.is_none() || gap.fast.heap_bytes.is_none() {
        missing.push("what calls allocate is not known: the heap could not be watched".to_owned());
    }
    if gap.lines.is_none() {
        missing.push(
            "fewer than three small sizes do not tell what each call costs: give more with `--sizes`"
                .to_owned(),
        );
    }
    if gap.slow.instructions.is_none() || gap.fast.instructions.is_none() {
        missing.push(
            "instructions were not counted: the processor does not count them here; `--simulate` lets valgrind do it"
                .to_owned(),
        );
    }
    missing
}
