//! Hot functions that compute with less than the processor offers.

use std::cmp::Reverse;

use calor_model::{Profile, SampleKind};

use super::{Class, Offered, Verdicts};
use crate::Insight;

/// A function with less of the samples is not worth a sentence.
const NOTABLE_SHARE: f64 = 0.05;
/// At most so many sentences.
const MOST: usize = 3;

/// The hottest functions whose vectors are narrower than they could be, or that have none for their floating-point
/// numbers. Code of general registers is left alone: most of it could not be otherwise; so are ciphers and hashes.
#[must_use]
pub fn narrow_vectors(profile: &Profile, verdicts: &Verdicts, offered: Option<Offered>) -> Vec<Insight> {
    let Some(offered) = offered else { return Vec::new() };
    let running = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu);
    let n_all: u64 = running.map(|(_, weight)| weight.count).sum();
    let mut found: Vec<(u64, Insight)> = Vec::new();
    for (key, code) in profile.code.iter() {
        let n_samples = code.n_samples();
        let share = n_samples as f64 / n_all.max(1) as f64;
        let Some(verdict) = verdicts.of_code(key) else { continue };
        let is_narrow =
            verdict.class != Class::Integer && verdict.class < offered.widest && !verdict.is_crypto();
        if share >= NOTABLE_SHARE && is_narrow {
            let (function, class) = (key.name, verdict.class);
            found.push((
                n_samples,
                Insight::NarrowVectors { function, share, class, offered: offered.widest },
            ));
        }
    }
    found.sort_by_key(|(n_samples, _)| Reverse(*n_samples));
    found.into_iter().take(MOST).map(|(_, insight)| insight).collect()
}
