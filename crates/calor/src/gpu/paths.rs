//! Numbers for call paths: what is launched is done later, when its thread may be elsewhere or gone, so what is remembered
//! of it is a number that stays.

use std::collections::HashMap;
use std::num::NonZeroU32;

use crate::Site;
use crate::own_memory::as_own;
use crate::process_lock::ProcessLock;
use crate::recorder::block::MAX_DEPTH;
use crate::recorder::node::Node;

/// Paths that are kept. What is launched from further ones has none.
const MAX_PATHS: usize = 1 << 16;

#[derive(Default)]
struct Paths {
    /// By the addresses of their sites, which are never given to others.
    numbers: HashMap<Box<[usize]>, NonZeroU32>,
    paths: Vec<Box<[&'static Site]>>,
}

static PATHS: ProcessLock<Paths> = ProcessLock::new();

/// The number of the path to a node; `None` where there are too many.
pub(super) fn number(node: &'static Node) -> Option<NonZeroU32> {
    let mut sites = [None; MAX_DEPTH as usize];
    let mut key = [0; MAX_DEPTH as usize];
    let mut n = 0;
    let around = std::iter::successors(Some(node), |node| node.parent());
    for node in around.take_while(|node| node.depth() > 0).take(MAX_DEPTH as usize) {
        let site = node.site();
        (sites[n], key[n]) = (Some(site), std::ptr::from_ref(site).addr());
        n += 1;
    }
    let mut paths = PATHS.lock();
    if let Some(number) = paths.numbers.get(&key[..n]) {
        return Some(*number);
    }
    if paths.paths.len() >= MAX_PATHS {
        return None;
    }
    as_own(|| {
        // Outermost first.
        paths.paths.push(sites[..n].iter().rev().copied().flatten().collect());
        let number = u32::try_from(paths.paths.len()).ok().and_then(NonZeroU32::new)?;
        paths.numbers.insert(key[..n].into(), number);
        Some(number)
    })
}

/// The sites on a path, outermost first.
pub(super) fn sites(number: NonZeroU32) -> Box<[&'static Site]> {
    PATHS.lock().paths.get(number.get() as usize - 1).cloned().unwrap_or_default()
}

/// In the child of a fork.
pub(super) fn forget() {
    PATHS.forget();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::registry;

    /// The number of the path that this thread is at.
    fn here() -> Option<NonZeroU32> {
        registry::current().current_node().and_then(number)
    }

    #[test]
    fn a_path_has_one_number_on_all_threads_and_another_one_elsewhere() {
        crate::enable();
        let told = || {
            crate::scope!("gpu_path_outer");
            let outer = here();
            let inner = {
                crate::scope!("gpu_path_inner");
                here()
            };
            (outer, inner, here())
        };
        let (outer, inner, again) = told();
        assert!(outer.is_some() && outer == again && inner != outer);
        assert_eq!(std::thread::spawn(told).join().expect("it ends"), (outer, inner, again));
        let names: Vec<&str> = sites(inner.expect("a number")).iter().map(|site| site.name()).collect();
        assert_eq!(names, ["gpu_path_outer", "gpu_path_inner"]);
    }
}
