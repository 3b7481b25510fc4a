//! A list is gone over from one end to the other for one element, again and again: to look whether it is there, to find its
//! place, or to make room at the front. Twice the input takes four times as long.

use calor_model::{FrameKind, StackId};

use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Owner, Rule, Topic, Unit,
};
use crate::wait_reason::bare;

/// Less of the whole is a list of a few elements that is looked at often.
const LEAST_SHARE: f64 = 0.15;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 30;
/// What goes with a container that finds, or has two ends: its own look-ups stay.
const REMOVED: (f64, f64) = (0.6, 1.0);
/// Beginnings of the interpreter's functions that compare with one element after the other.
const SEARCHES: [&str; 3] = ["list_contains", "list_index", "list_remove"];
/// Of those that move all elements after the one that comes or goes.
const SHIFTS: [&str; 6] = ["list_insert", "list_pop", "list_ass_", "list_del", "ins1", "PyList_Insert"];
/// Of those that move memory, or put elements in their new places.
const MOVES: [&str; 4] = ["memmove", "memcpy", "ins1", "list_insert"];

pub(super) struct ListScans;

const ABOUT: About<'_> = About {
    id: "PYTHON-LIST-SCANS",
    version: 1,
    topic: Topic::Python,
    title: "a list is gone over for one element, again and again",
    needs: &[Need::CpuSamples, Need::Python],
    suppresses: &["CPU-MEMORY-COPIES", "PYTHON-INTERPRETED-LOOP"],
};

impl Rule for ListScans {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let searches = facts.cpu_sites(|stack| calls(facts, stack, &SEARCHES));
        let is_shift = |stack: StackId| calls(facts, stack, &SHIFTS) && is_one_of(facts.name(stack), &MOVES);
        let shifts = facts.cpu_sites(is_shift);
        let is_heavy = |site: &&CpuSite| site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES;
        let searches = searches.iter().filter(is_heavy).map(|site| finding(facts, site, true));
        let shifts = shifts.iter().filter(is_heavy).map(|site| finding(facts, site, false));
        Outcome::of(searches.chain(shifts).collect())
    }
}

fn finding(facts: &Facts<'_>, site: &CpuSite, is_search: bool) -> Finding {
    let place = facts.place(site.stack);
    let percent = 100.0 * site.share.estimate;
    let (title, cause, fix) = if is_search {
        (
            format!("`{}` spends {percent:.0} % of the time searching lists", place.function),
            "To know whether a list has an element, Python compares it with one after the other. Done for each of many elements, \
             that is as much work as all pairs of them.",
            Fix::new(
                "Keep what is searched in a set, or the places of elements in a dict: both find at once.",
            )
            .with_code(
                "seen = []\nfor item in items:\n    if item not in seen:\n        seen.append(item)",
                "seen = set()\nfor item in items:\n    if item not in seen:\n        seen.add(item)",
            ),
        )
    } else {
        (
            format!("`{}` spends {percent:.0} % of the time moving the elements of lists", place.function),
            "A list has its elements side by side, so one that comes or goes anywhere but at the end moves all that stand after \
             it.",
            Fix::new("Take from both ends of a collections.deque, or put elements at the end and reverse the list once.")
                .with_code(
                    "while pending:\n    item = pending.pop(0)",
                    "pending = collections.deque(pending)\nwhile pending:\n    item = pending.popleft()",
                ),
        )
    };
    let reason = "if 60 % to all of it goes with a container that need not be gone over";
    Finding::new(&ABOUT, title, place, Gain::removed(site.share, REMOVED, reason))
        .because(cause)
        .with(Evidence::share("share of the time in going over lists", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in it", site.samples as f64, Unit::Count).against(LEAST_SAMPLES as f64))
        .fixed_by(fix)
}

/// Whether one of these functions of the interpreter is on a path, after its last Python function.
fn calls(facts: &Facts<'_>, stack: StackId, names: &[&str]) -> bool {
    let mut at = Some(stack);
    while let Some(here) = at.filter(|here| facts.kind(*here) != FrameKind::Python) {
        if facts.owner(here) == Owner::Interpreter && is_one_of(facts.name(here), names) {
            return true;
        }
        at = facts.profile().stacks.get(here).parent;
    }
    false
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    let name = bare(name);
    names.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const LINE: &str = "py:unique@/home/me/run.py:12";

    fn judged(path: &[&str], count: u64, others: u64) -> Outcome {
        let path: Vec<&str> = [LINE].iter().chain(path).copied().collect();
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&path, count)
            .cpu(&["py:<module>@/home/me/run.py:40", "array_dot!_multiarray_umath.so"], others)
            .profile();
        ListScans.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn searching_and_moving_are_found_where_the_list_is_used() {
        let search = ["list_contains!python3.11", "long_richcompare!python3.11"];
        let Outcome::Findings(found) = judged(&search, 300, 700) else { panic!("found") };
        assert!(
            found[0].title.contains("`unique` spends 30 % of the time searching lists"),
            "{}",
            found[0].title
        );
        let shift = ["list_pop_impl.lto_priv.0!python3.12", "__memmove_avx_unaligned_erms!libc.so.6"];
        let Outcome::Findings(found) = judged(&shift, 300, 700) else { panic!("found") };
        assert!(found[0].title.contains("moving the elements of lists"), "{}", found[0].title);
    }

    #[test]
    fn little_of_it_taking_from_the_end_and_what_others_search_are_fine() {
        let search = ["list_index!python3.11"];
        assert!(matches!(judged(&search, 155, 845), Outcome::Findings(_)));
        assert_eq!(judged(&search, 145, 855), Outcome::Fine);
        assert_eq!(judged(&search, 29, 61), Outcome::Fine, "too few samples");
        assert_eq!(judged(&["list_pop_impl!python3.12"], 500, 500), Outcome::Fine);
        assert_eq!(judged(&["list_contains!_mine.so"], 500, 500), Outcome::Fine);
        assert_eq!(judged(&["list_count!python3.12"], 500, 500), Outcome::Fine, "counting has to see all");
    }

    #[test]
    fn it_hides_the_loop_and_the_copies_that_it_is() {
        let rules: [&dyn Rule; 2] = [&ListScans, &crate::findings::rules::memory_copies::MemoryCopies];
        let shift = [LINE, "list_pop!python3.11", "memmove!libc.so.6"];
        let profile = Draft::new().seconds(1.0).cpu(&shift, 900).profile();
        let all = findings(&Facts::new(&profile, None), &rules, &[]);
        assert_eq!((all.found.len(), all.suppressed.len()), (1, 1));
        assert_eq!(all.found[0].rule, "PYTHON-LIST-SCANS");
    }
}
