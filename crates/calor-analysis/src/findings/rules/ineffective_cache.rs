//! A cache that rarely has what is asked for: each look-up costs, and the work is done all the same.

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, ScopeFacts, Topic, Unit,
};

/// Fewer look-ups are the filling of a cache.
const LEAST_LOOKUPS: i64 = 1_000;
/// A cache that has less than this of what is asked for hardly helps.
const LEAST_HITS: f64 = 0.5;
/// The scope that looks up has to take this part of the whole.
const LEAST_SHARE: f64 = 0.05;
/// A cache that fits has this part of what is asked for.
const GOOD_HITS: f64 = 0.95;
/// The part of the misses that a better cache saves, from what few distinct keys allow to all of them.
const SAVED: (f64, f64) = (0.15, 1.0);

pub(super) struct IneffectiveCache;

const ABOUT: About<'_> = About {
    id: "CPU-INEFFECTIVE-CACHE",
    version: 1,
    topic: Topic::Cpu,
    title: "a cache rarely has what is asked for",
    needs: &[Need::Scopes],
    suppresses: &["CPU-CRITICAL-SCOPE"],
};

impl Rule for IneffectiveCache {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let caches: Vec<(&ScopeFacts, Cache<'_>)> = facts
            .scopes()
            .iter()
            .flat_map(|scope| caches(facts, scope).map(move |cache| (scope, cache)))
            .collect();
        if caches.is_empty() {
            return Outcome::NotEnough {
                missing: "scopes that count hits and misses of a cache".to_owned(),
                how: "scope.add(\"hits\", 1) or scope.add(\"misses\", 1) in the program, and run it"
                    .to_owned(),
            };
        }
        Outcome::of(caches.iter().filter_map(|(scope, cache)| finding(facts, scope, cache)).collect())
    }
}

/// Counts of one cache.
struct Cache<'p> {
    /// What stands before `hits`; often nothing.
    name: &'p str,
    hits: i64,
    misses: i64,
}

/// Caches of a scope: pairs of counters that end in `hits` and `misses`, one of which may be missing.
fn caches<'p>(facts: &Facts<'p>, scope: &ScopeFacts) -> impl Iterator<Item = Cache<'p>> {
    let work = &scope.stats.work;
    let names = facts
        .counters(work)
        .filter_map(|(name, _)| name.strip_suffix("hits").or(name.strip_suffix("misses")));
    let mut names: Vec<&'p str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let counted: Vec<Cache<'p>> = names
        .into_iter()
        .map(|name| {
            let count = |what: &str| facts.counter(work, &format!("{name}{what}")).unwrap_or(0);
            Cache {
                name: name.trim_end_matches(['.', '_', ' ']),
                hits: count("hits"),
                misses: count("misses"),
            }
        })
        .collect();
    counted.into_iter()
}

fn finding(facts: &Facts<'_>, scope: &ScopeFacts, cache: &Cache<'_>) -> Option<Finding> {
    let lookups = cache.hits.checked_add(cache.misses)?;
    let hits = cache.hits as f64 / lookups.max(1) as f64;
    let is_heavy = scope.total_share.estimate >= LEAST_SHARE && lookups >= LEAST_LOOKUPS;
    if !is_heavy || cache.hits < 0 || hits >= LEAST_HITS {
        return None;
    }
    let place = facts.place(scope.stack);
    let name = if cache.name.is_empty() { "its cache" } else { cache.name };
    let title = format!("`{}` finds {:.0} % of what it looks for in {name}", place.function, 100.0 * hits);
    let avoidable = (GOOD_HITS - hits) / (1.0 - hits);
    let gain = Gain::removed(
        scope.total_share,
        (SAVED.0 * avoidable, SAVED.1 * avoidable),
        "if the cache has up to 95 % of what is asked for, and misses are what takes the time",
    );
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(
                "A miss costs the look-up, the work, and the entry that pushes out another. A cache that is too small for what \
                 is used in turn, or whose keys differ where the values do not, misses nearly always.",
            )
            .with(Evidence::new("part of the look-ups that hit", hits, Unit::Share).against(LEAST_HITS))
            .with(Evidence::new("look-ups", lookups as f64, Unit::Count).against(LEAST_LOOKUPS as f64))
            .with(Evidence::share("share of the time", scope.total_share).against(LEAST_SHARE))
            .fixed_by(
                Fix::new(
                    "Make the cache large enough for what is used in turn, leave out of the key what does not change the value, \
                     or do without the cache.",
                )
                .with_code(
                    "let key = (query.text.clone(), Instant::now());\nlet plan = cache.get_or_insert(key, || parse(&query.text));",
                    "let plan = cache.get_or_insert(query.text.clone(), || parse(&query.text));",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;

    fn judged(counters: &[(&str, i64)], share: f64) -> Outcome {
        let profile = Draft::new()
            .seconds(1.0)
            .change(|profile| {
                let mut work = Work::default();
                for (name, count) in counters {
                    work.add_counter(profile.strings.intern(name), *count);
                }
                let stack = profile.intern_named_path(&["plan"], calor_model::FrameKind::Scope).unwrap();
                let thread = profile.intern_thread(1, 1, "main");
                let labels = calor_model::LabelTable::none();
                let stats = ScopeStats {
                    calls: 5_000,
                    total_nanos: (share * 1e9) as u64,
                    work,
                    ..ScopeStats::default()
                };
                profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats);
            })
            .profile();
        IneffectiveCache.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_cache_that_misses_is_found_by_its_counters() {
        let Outcome::Findings(found) = judged(&[("hits", 500), ("misses", 4_500)], 0.5) else {
            panic!("found")
        };
        assert!(
            found[0].title.contains("`plan` finds 10 % of what it looks for in its cache"),
            "{}",
            found[0].title
        );
        assert!(found[0].gain.low > 1.05 && found[0].gain.high < 1.91, "{:?}", found[0].gain);
        let Outcome::Findings(found) = judged(&[("word_misses", 4_500)], 0.5) else { panic!("found") };
        assert!(found[0].title.ends_with("finds 0 % of what it looks for in word"), "{}", found[0].title);
    }

    #[test]
    fn caches_that_hit_are_new_or_matter_little_are_fine() {
        assert_eq!(judged(&[("hits", 2_500), ("misses", 2_500)], 0.5), Outcome::Fine);
        assert_eq!(judged(&[("hits", 99), ("misses", 900)], 0.5), Outcome::Fine);
        assert_eq!(judged(&[("hits", 500), ("misses", 4_500)], 0.04), Outcome::Fine);
    }

    #[test]
    fn scopes_that_count_nothing_of_the_kind_are_not_enough() {
        assert!(matches!(judged(&[("rows", 500)], 0.5), Outcome::NotEnough { .. }));
    }
}
