//! Whole trees of objects are copied, object by object, often to change or only to read a part of them.

use calor_model::FrameKind;

use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Topic, Unit,
};

/// Less of the whole is what a copy now and then costs.
const LEAST_SHARE: f64 = 0.10;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 30;
/// What goes if nothing is copied, or only what changes.
const REMOVED: (f64, f64) = (0.5, 1.0);

pub(super) struct DeepCopies;

const ABOUT: About<'_> = About {
    id: "PYTHON-DEEP-COPIES",
    version: 1,
    topic: Topic::Python,
    title: "whole trees of objects are copied",
    needs: &[Need::CpuSamples, Need::Python],
    suppresses: &[],
};

impl Rule for DeepCopies {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let strings = &facts.profile().strings;
        let is_copying = facts.paths_through(|frame| {
            frame.kind == FrameKind::Python
                && strings.get(frame.name) == "deepcopy"
                && frame.file.is_some_and(|file| strings.get(file).ends_with("/copy.py"))
        });
        let sites = facts.cpu_sites(|stack| is_copying[stack.index()]);
        let is_heavy = |site: &&CpuSite| site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES;
        Outcome::of(sites.iter().filter(is_heavy).map(|site| finding(facts, site)).collect())
    }
}

fn finding(facts: &Facts<'_>, site: &CpuSite) -> Finding {
    let place = facts.place(site.stack);
    let title = format!(
        "`{}` spends {:.0} % of the time in copy.deepcopy",
        place.function,
        100.0 * site.share.estimate
    );
    let reason = "if half to all of these copies go, since nothing or little of them is changed";
    Finding::new(&ABOUT, title, place, Gain::removed(site.share, REMOVED, reason))
        .because(
            "deepcopy is written in Python and goes over every object below the one it is given: it looks up how each is copied, \
             remembers each in case it comes again, and makes it anew. That takes about a microsecond for each.",
        )
        .with(Evidence::share("share of the time in deepcopy", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in it", site.samples as f64, Unit::Count).against(LEAST_SAMPLES as f64))
        .fixed_by(
            Fix::new(
                "Pass what is only read as it is. Copy the one level that changes: dict(settings, limit=8), list(rows), \
                 dataclasses.replace. Data that has to be copied whole is copied several times faster by \
                 pickle.loads(pickle.dumps(data)).",
            )
            .with_code(
                "own = copy.deepcopy(settings)\nown[\"limit\"] = limit",
                "own = {**settings, \"limit\": limit}",
            ),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn judged(file: &str, count: u64, others: u64) -> Outcome {
        let deepcopy = format!("py:deepcopy@{file}:128");
        let path = ["py:serve@/home/me/app.py:12", &deepcopy, &deepcopy, "dict_get!python3.11"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&path, count)
            .cpu(&["py:serve@/home/me/app.py:13"], others)
            .profile();
        DeepCopies.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn copies_are_found_where_the_program_asks_for_them() {
        let Outcome::Findings(found) = judged("/usr/lib/python3.11/copy.py", 400, 600) else {
            panic!("found")
        };
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place.source().as_deref(), Some("/home/me/app.py:12"));
        assert!(found[0].title.contains("`serve` spends 40 % of the time"), "{}", found[0].title);
    }

    #[test]
    fn few_copies_and_other_functions_of_that_name_are_fine() {
        assert!(matches!(judged("/usr/lib/python3.11/copy.py", 105, 895), Outcome::Findings(_)));
        assert_eq!(judged("/usr/lib/python3.11/copy.py", 95, 905), Outcome::Fine);
        assert_eq!(judged("/usr/lib/python3.11/copy.py", 29, 71), Outcome::Fine, "too few samples");
        assert_eq!(judged("/home/me/copies.py", 400, 600), Outcome::Fine);
    }
}
