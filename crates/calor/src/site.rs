//! A site: a place in the source that opens a scope. It is a `static` that a macro makes, so the hot path never
//! touches a string; its number is handed out when it is first entered.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Names made at run time are kept for good, so there is a limit; further names share one site.
const MAX_NAMED_SITES: usize = 8192;

static NEXT_ID: AtomicU32 = AtomicU32::new(1);

/// A place in the source that opens a scope. Made by [`scope!`](crate::scope) and its relatives.
#[derive(Debug)]
pub struct Site {
    name: &'static str,
    module: &'static str,
    file: &'static str,
    line: u32,
    is_context: bool,
    labels: &'static [(&'static str, &'static str)],
    /// 0 until first entered.
    id: AtomicU32,
}

impl Site {
    /// A site for the given name and place.
    #[must_use]
    pub const fn new(name: &'static str, module: &'static str, file: &'static str, line: u32) -> Self {
        Self { name, module, file, line, is_context: false, labels: &[], id: AtomicU32::new(0) }
    }

    /// The same, for a named context: what happens inside can be reported alone.
    #[must_use]
    pub const fn context(name: &'static str, module: &'static str, file: &'static str, line: u32) -> Self {
        Self { name, module, file, line, is_context: true, labels: &[], id: AtomicU32::new(0) }
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

    /// Key and value of each label that tells its calls apart from others at the same place.
    #[must_use]
    pub fn labels(&self) -> &'static [(&'static str, &'static str)] {
        self.labels
    }

    /// Another site at the same place, with these labels.
    pub(crate) fn with_labels(&self, labels: &'static [(&'static str, &'static str)]) -> Self {
        let Self { name, module, file, line, is_context, .. } = *self;
        Self { name, module, file, line, is_context, labels, id: AtomicU32::new(0) }
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
}
