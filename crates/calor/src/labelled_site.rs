//! Sites with labels: to the recorder each set of labels at a place is a site of its own, so that a labelled scope is as
//! quick as any other once its site is found. Each thread remembers the sites it found last; only a set that is new to it
//! takes a lock. Sets are kept for good, so there is a limit, and what is beyond it is counted.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::process_lock::ProcessLock;
use crate::recorder::registry;
use crate::{LabelValue, Site};

/// Sets of labels of one place, and of all. A call path with its figures takes 5 KiB a thread.
const MAX_SETS_OF_SITE: usize = 128;
const MAX_SETS: usize = 1024;
/// Sites that a thread remembers.
const N_RECENT: usize = 256;

/// A label as it is kept: the key, and the value as it was given.
type Kept = (&'static str, LabelValue<'static>);

/// A site with labels.
struct LabelledSite {
    site: Site,
    of: &'static Site,
    given: &'static [Kept],
}

impl LabelledSite {
    fn is(&self, of: &'static Site, labels: &[(&'static str, LabelValue<'_>)]) -> bool {
        std::ptr::eq(self.of, of)
            && self.given.len() == labels.len()
            && self.given.iter().zip(labels).all(|(kept, given)| kept.1 == given.1 && kept.0 == given.0)
    }
}

/// All labelled sites, by hash.
#[derive(Default)]
struct Known {
    by_hash: HashMap<u64, Vec<&'static LabelledSite>>,
    n_sets: usize,
    n_of_site: HashMap<usize, usize>,
}

static KNOWN: ProcessLock<Known> = ProcessLock::new();
static N_LOST: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static RECENT: [Cell<Option<&'static LabelledSite>>; N_RECENT] = const { [const { Cell::new(None) }; N_RECENT] };
}

impl Site {
    /// The same place with labels, which tell its calls apart: each set of labels has statistics of its own. There are at
    /// most 128 sets of a place and 1,024 in all; calls with further ones are recorded without labels, and counted.
    ///
    /// ```
    /// # calor::enable();
    /// # let (n, codec) = (1024, "zstd");
    /// let site = calor::site!("compress").labelled(&[("n", n.into()), ("codec", codec.into())]);
    /// let _scope = calor::Scope::enter(site);
    /// ```
    ///
    /// [`scope!`](crate::scope) takes labels as they are: `calor::scope!("compress", n = n, codec = codec)`.
    #[must_use]
    #[inline]
    pub fn labelled(&'static self, labels: &[(&'static str, LabelValue<'_>)]) -> &'static Self {
        let hash = hash(self, labels);
        let at = (hash >> 32) as usize % N_RECENT;
        let recent = RECENT.try_with(|recent| recent[at].get()).ok().flatten();
        match recent.filter(|recent| recent.is(self, labels)) {
            Some(recent) => &recent.site,
            None => find(self, labels, hash, at),
        }
    }
}

#[cold]
fn find(
    site: &'static Site,
    labels: &[(&'static str, LabelValue<'_>)],
    hash: u64,
    at: usize,
) -> &'static Site {
    if labels.is_empty() {
        return site;
    }
    // An allocator that opens labelled scopes itself does without labels while those around it are looked for.
    let found = registry::at_work(|| {
        let mut known = KNOWN.lock();
        let is_meant = |labelled: &&&LabelledSite| labelled.is(site, labels);
        let earlier = known.by_hash.get(&hash).and_then(|sites| sites.iter().find(is_meant)).copied();
        earlier.or_else(|| known.add(site, labels, hash))
    });
    match found {
        Some(found) => {
            let _ = RECENT.try_with(|recent| recent[at].set(Some(found)));
            &found.site
        }
        None => {
            N_LOST.fetch_add(1, Relaxed);
            site
        }
    }
}

impl Known {
    /// Keeps a set; `None` when there are too many.
    fn add(
        &mut self,
        of: &'static Site,
        labels: &[(&'static str, LabelValue<'_>)],
        hash: u64,
    ) -> Option<&'static LabelledSite> {
        let n_of_site = self.n_of_site.entry(std::ptr::from_ref(of).addr()).or_default();
        if self.n_sets >= MAX_SETS || *n_of_site >= MAX_SETS_OF_SITE {
            return None;
        }
        *n_of_site += 1;
        self.n_sets += 1;
        let texts: Vec<(&'static str, &'static str)> =
            labels.iter().map(|(key, value)| (*key, &*value.to_string().leak())).collect();
        let texts: &'static [_] = texts.leak();
        let kept = |(&(key, given), &(_, text)): (&(&'static str, LabelValue<'_>), _)| {
            let value = match given {
                LabelValue::Number(number) => LabelValue::Number(number),
                LabelValue::Text(_) => LabelValue::Text(text),
            };
            (key, value)
        };
        let given: Vec<Kept> = labels.iter().zip(texts).map(kept).collect();
        let labelled: &'static LabelledSite =
            Box::leak(Box::new(LabelledSite { site: of.with_labels(texts), of, given: given.leak() }));
        self.by_hash.entry(hash).or_default().push(labelled);
        Some(labelled)
    }
}

/// Calls that were recorded without their labels.
pub(crate) fn n_lost() -> u64 {
    N_LOST.load(Relaxed)
}

pub(crate) fn clear_lost() {
    N_LOST.store(0, Relaxed);
}

/// In a forked child: what was kept stays where it is, and what is asked for is found anew.
pub(crate) fn forget() {
    KNOWN.forget();
}

/// Mixes the place and the values; keys are compared, not mixed.
#[inline]
fn hash(site: &'static Site, labels: &[(&'static str, LabelValue<'_>)]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(MIX).rotate_left(29);
    labels.iter().fold(std::ptr::from_ref(site).addr() as u64, |hash, (_, value)| match value {
        LabelValue::Number(number) => mix(hash, number.cast_unsigned()),
        LabelValue::Text(text) => {
            text.as_bytes().chunks(8).fold(mix(hash, text.len() as u64), |hash, bytes| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                mix(hash, u64::from_le_bytes(word))
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_set_of_labels_is_one_site_wherever_it_is_asked_for() {
        static SITE: Site = Site::new("labelled", "module", "file.rs", 7);
        let site = || SITE.labelled(&[("n", 64.into()), ("codec", "zstd".into())]);
        let elsewhere =
            std::thread::spawn(move || std::ptr::from_ref(site()).addr()).join().expect("no panic");
        assert_eq!(std::ptr::from_ref(site()).addr(), elsewhere);
        assert_eq!(site().labels(), [("n", "64"), ("codec", "zstd")]);
        assert_eq!((site().name(), site().file(), site().line()), ("labelled", "file.rs", 7));
        assert!(!std::ptr::eq(site(), SITE.labelled(&[("n", 65.into()), ("codec", "zstd".into())])));
        // A number and its text are told apart, so are keys.
        assert!(!std::ptr::eq(SITE.labelled(&[("n", 1.into())]), SITE.labelled(&[("m", 1.into())])));
        assert!(std::ptr::eq(SITE.labelled(&[]), &raw const SITE));
    }

    #[test]
    fn beyond_the_limit_a_place_has_no_more_sets_and_those_it_has_stay() {
        static SITE: Site = Site::new("many sets", "", "", 0);
        let lost = n_lost();
        let n_labelled = (0..200).filter(|n: &i32| !SITE.labelled(&[("n", (*n).into())]).labels().is_empty());
        assert_eq!(n_labelled.count(), MAX_SETS_OF_SITE);
        assert_eq!(n_lost() - lost, 200 - MAX_SETS_OF_SITE as u64);
        assert_eq!(SITE.labelled(&[("n", 3.into())]).labels(), [("n", "3")]);
    }
}
