//! A site: a place in the source that opens a scope. It is a `static` that a macro makes, so the hot path never
//! touches a string; its number is handed out when it is first entered.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::own_memory::as_own;

/// Names made at run time are kept for good, so there is a limit; further names share one site.
const MAX_NAMED_SITES: usize = 8192;

static NEXT_ID: AtomicU32 = AtomicU32::new(1);

/// What one call of a scope does: see [`Site::set_call_work`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallWork {
    /// Elements it works on.
    pub elements: u64,
    /// Bytes it reads and writes.
    pub bytes: u64,
    /// Operations on floating-point numbers.
    pub flops: u64,
    /// What serves it, such as `"blas"`.
    pub backend: Option<&'static str>,
}

/// A place in the source that opens a scope. Made by [`scope!`](crate::scope) and its relatives.
#[derive(Debug)]
pub struct Site {
    name: &'static str,
    module: &'static str,
    file: &'static str,
    line: u32,
    is_context: bool,
    /// Whether calls at it leave the last call paths of a thread to others.
    gives_way: bool,
    labels: &'static [(&'static str, &'static str)],
    /// Labels that were only known once the scope had run.
    late_labels: OnceLock<Box<[(&'static str, &'static str)]>>,
    /// What each call does, where all do the same.
    work: OnceLock<CallWork>,
    /// 0 until first entered.
    id: AtomicU32,
}

impl Site {
    /// A site for the given name and place.
    #[must_use]
    pub const fn new(name: &'static str, module: &'static str, file: &'static str, line: u32) -> Self {
        Self::at(name, module, file, line, false)
    }

    /// The same, for a named context: what happens inside can be reported alone.
    #[must_use]
    pub const fn context(name: &'static str, module: &'static str, file: &'static str, line: u32) -> Self {
        Self::at(name, module, file, line, true)
    }

    const fn at(
        name: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        is_context: bool,
    ) -> Self {
        let id = AtomicU32::new(0);
        Self {
            name,
            module,
            file,
            line,
            is_context,
            gives_way: false,
            labels: &[],
            late_labels: OnceLock::new(),
            work: OnceLock::new(),
            id,
        }
    }

    /// A site with a place and labels that are only known at run time: what a program in another language opens scopes
    /// by. It is kept for good and nothing is looked up, so whoever asks keeps it, and sees to it that there are few.
    #[must_use]
    pub fn made(
        name: &str,
        module: &str,
        file: &str,
        line: u32,
        labels: &[(&'static str, &str)],
    ) -> &'static Self {
        as_own(|| Box::leak(Box::new(Self::kept(name, module, file, line, labels))))
    }

    /// The same for a function of a library, where all functions are traced: when call paths run short, its
    /// [`CallScope`](crate::CallScope) leaves those that are left to the functions of the program.
    #[must_use]
    pub fn made_of_library(
        name: &str,
        module: &str,
        file: &str,
        line: u32,
        labels: &[(&'static str, &str)],
    ) -> &'static Self {
        as_own(|| {
            let site = Self::kept(name, module, file, line, labels);
            Box::leak(Box::new(Self { gives_way: true, ..site }))
        })
    }

    /// A site whose words are kept for good.
    fn kept(name: &str, module: &str, file: &str, line: u32, labels: &[(&'static str, &str)]) -> Self {
        let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
        let site = Self::new(kept(name), kept(module), kept(file), line);
        Self { labels: Box::leak(kept_labels(labels)), ..site }
    }

    /// The same for a context: what happens inside can be reported alone.
    #[must_use]
    pub fn made_context(name: &str, module: &str, file: &str, line: u32) -> &'static Self {
        as_own(|| {
            let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
            Box::leak(Box::new(Self::context(kept(name), kept(module), kept(file), line)))
        })
    }

    /// Gives a site that was [`made`](Self::made) the labels that were not known before it was entered, such as the type
    /// of a result, beside those it has. Counts once; `false` if that was done before.
    pub fn add_labels(&self, labels: &[(&'static str, &str)]) -> bool {
        if self.late_labels.get().is_some() {
            return false;
        }
        as_own(|| {
            let known = self.labels.iter().copied();
            let all: Box<[_]> = known.chain(kept_labels(labels).iter().copied()).collect();
            self.late_labels.set(all).is_ok()
        })
    }

    /// Says what each call at a site that was [`made`](Self::made) does, for sites all of whose calls do the same, such as
    /// an operation on arrays of one shape: then calls need not tell. Counts once; `false` if that was done before.
    pub fn set_call_work(&self, work: CallWork) -> bool {
        self.work.set(work).is_ok()
    }

    /// What each call does, where that was said.
    #[must_use]
    pub fn call_work(&self) -> Option<CallWork> {
        self.work.get().copied()
    }

    /// The site for a name that is only known at run time. Looking it up costs a lock and a hash, so keep the
    /// result where it is used often. There are at most 8,192 such names; further ones share `(other names)`.
    #[must_use]
    pub fn named(name: &str) -> &'static Self {
        named(name, false)
    }

    /// The site that [`Site::named`] would give, unless it would have to be made.
    #[cfg(feature = "report")]
    pub(crate) fn find_named(name: &str) -> Option<&'static Self> {
        find(name, false, &lock_named())
    }

    /// The site for a context whose name is only known at run time; limits as for [`Site::named`].
    #[must_use]
    pub fn named_context(name: &str) -> &'static Self {
        named(name, true)
    }

    /// What the scope is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The module that the site is in; empty for a name made at run time.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// The source file; empty for a name made at run time.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The line in that file; 0 for a name made at run time.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Whether it opens a context.
    #[must_use]
    pub fn is_context(&self) -> bool {
        self.is_context
    }

    /// Whether its calls leave the last call paths of a thread to others.
    pub(crate) fn gives_way(&self) -> bool {
        self.gives_way
    }

    /// Key and value of each label that tells its calls apart from others at the same place.
    #[must_use]
    pub fn labels(&self) -> &[(&'static str, &'static str)] {
        self.late_labels.get().map_or(self.labels, |labels| labels)
    }

    /// Another site at the same place, with these labels.
    pub(crate) fn with_labels(&self, labels: &'static [(&'static str, &'static str)]) -> Self {
        let Self { name, module, file, line, is_context, .. } = *self;
        Self { labels, ..Self::at(name, module, file, line, is_context) }
    }

    /// The number, 0 if the site was never entered.
    #[inline(always)]
    pub(crate) fn id(&self) -> u32 {
        self.id.load(Relaxed)
    }

    /// The number, handed out now if need be.
    pub(crate) fn assign_id(&self) -> u32 {
        match self.id() {
            0 => {
                let fresh = NEXT_ID.fetch_add(1, Relaxed);
                match self.id.compare_exchange(0, fresh, Relaxed, Relaxed) {
                    Ok(_) => fresh,
                    Err(earlier) => earlier,
                }
            }
            id => id,
        }
    }
}

fn kept_labels(labels: &[(&'static str, &str)]) -> Box<[(&'static str, &'static str)]> {
    let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
    labels.iter().map(|&(key, value)| (key, kept(value))).collect()
}

pub(crate) type NamedSites = HashMap<(&'static str, bool), &'static Site>;

/// The lock over all names made at run time.
pub(crate) fn named_sites() -> &'static Mutex<NamedSites> {
    static SITES: OnceLock<Mutex<NamedSites>> = OnceLock::new();
    SITES.get_or_init(Mutex::default)
}

fn lock_named() -> MutexGuard<'static, NamedSites> {
    named_sites().lock().unwrap_or_else(PoisonError::into_inner)
}

fn named(name: &str, is_context: bool) -> &'static Site {
    let mut sites = lock_named();
    if let Some(site) = find(name, is_context, &sites) {
        return site;
    }
    let name: &'static str = Box::leak(name.into());
    let site = Site { is_context, ..Site::new(name, "", "", 0) };
    let site: &'static Site = Box::leak(Box::new(site));
    sites.insert((name, is_context), site);
    site
}

/// The site of a name: that of all further names when there is no room for another.
fn find(name: &str, is_context: bool, sites: &NamedSites) -> Option<&'static Site> {
    static OTHER: Site = Site::new("(other names)", "", "", 0);
    static OTHER_CONTEXT: Site = Site::context("(other names)", "", "", 0);
    let other = if is_context { &OTHER_CONTEXT } else { &OTHER };
    sites.get(&(name, is_context)).copied().or((sites.len() >= MAX_NAMED_SITES).then_some(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_one_site() {
        assert!(std::ptr::eq(Site::named("site test"), Site::named("site test")));
        assert!(!std::ptr::eq(Site::named("site test"), Site::named_context("site test")));
    }

    #[test]
    fn a_number_is_handed_out_once() {
        static SITE: Site = Site::new("numbered", "", "", 0);
        assert_eq!(SITE.assign_id(), SITE.assign_id());
        assert_ne!(SITE.assign_id(), Site::named("another").assign_id());
    }

    #[test]
    fn a_site_made_at_run_time_has_its_place_and_is_told_late_labels_once() {
        let site = Site::made("add", "numpy", "train.py", 12, &[("op", "numpy")]);
        assert_eq!((site.name(), site.module(), site.file(), site.line()), ("add", "numpy", "train.py", 12));
        assert_eq!(site.labels(), [("op", "numpy")]);
        assert!(site.add_labels(&[("dtype", "float32")]));
        assert!(!site.add_labels(&[("dtype", "float64")]));
        assert_eq!(site.labels(), [("op", "numpy"), ("dtype", "float32")]);
        assert!(!std::ptr::eq(site, Site::made("add", "numpy", "train.py", 12, &[("op", "numpy")])));
    }

    #[test]
    fn what_each_call_does_is_said_once() {
        let site = Site::made("add", "numpy", "train.py", 13, &[]);
        assert_eq!(site.call_work(), None);
        let work = CallWork { elements: 10, bytes: 240, flops: 10, backend: Some("numpy") };
        assert!(site.set_call_work(work) && !site.set_call_work(CallWork::default()));
        assert_eq!(site.call_work(), Some(work));
    }
}
