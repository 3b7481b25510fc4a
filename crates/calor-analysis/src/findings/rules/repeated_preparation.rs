//! What is made once and used often is made again for each use: patterns and code from their text, classes, the signatures
//! of functions. Python's library takes its time for these, since it expects to do it once.

use std::collections::HashSet;

use calor_model::{Frame, FrameKind, Profile, SampleKind, StackId};
use foldhash::fast::RandomState;

use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit,
};

/// Less of the whole is what getting ready costs any program.
const LEAST_SHARE: f64 = 0.10;
/// Where samples do not tell when they were taken, so much more has to be there that doing it once would not explain it.
const LEAST_UNTIMED: f64 = 0.20;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 30;
/// What is prepared at the start is prepared once: of the time in it so much has to be in the later half of the function's.
const LEAST_LATER: f64 = 0.25;
/// And from its first to its last sample, so much of the run, or it was one stage of it.
const LEAST_SPREAD: f64 = 0.5;
/// What goes if the result is kept.
const REMOVED: (f64, f64) = (0.6, 1.0);

/// What was made is also freed, by functions that do not tell for what.
const ABOVE: f64 = 1.1;

pub(super) struct RepeatedPreparation;

const ABOUT: About<'_> = About {
    id: "PYTHON-REPEATED-PREPARATION",
    version: 1,
    topic: Topic::Python,
    title: "patterns, code or classes are made again for each use",
    needs: &[Need::CpuSamples, Need::Python],
    suppresses: &["PYTHON-INTERPRETED-LOOP"],
};

/// Something that is made once as a rule.
struct Preparation {
    /// What.
    what: &'static str,
    /// Files of Python's library that make it, and the function in it; any where that is empty.
    files: &'static [(&'static str, &'static str)],
    /// Beginnings of the interpreter's functions that make it.
    functions: &'static [&'static str],
}

const PREPARATIONS: [Preparation; 4] = [
    Preparation {
        what: "patterns",
        files: &[
            ("/re/_compiler.py", ""),
            ("/re/_parser.py", ""),
            ("/sre_compile.py", ""),
            ("/sre_parse.py", ""),
        ],
        functions: &[],
    },
    Preparation {
        what: "classes",
        files: &[
            ("/collections/__init__.py", "namedtuple"),
            ("/dataclasses.py", "_process_class"),
            ("/enum.py", "__new__"),
        ],
        functions: &[],
    },
    Preparation {
        what: "signatures of functions",
        files: &[("/inspect.py", "signature"), ("/typing.py", "get_type_hints")],
        functions: &[],
    },
    Preparation {
        what: "code from text",
        files: &[("/ast.py", "parse")],
        functions: &[
            "_PyPegen_run_parser",
            "_PyParser_",
            "PyParser_",
            "_PyAST_Compile",
            "PyAST_",
            "PyRun_String",
            "Py_CompileString",
        ],
    },
];

impl Rule for RepeatedPreparation {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let profile = facts.profile();
        let is_import = facts.paths_through(|frame| {
            frame.file.is_some_and(|file| profile.strings.get(file).starts_with("<frozen importlib"))
        });
        let mut found: Vec<Finding> = Vec::new();
        for preparation in &PREPARATIONS {
            let is_preparing = facts.paths_through(|frame| preparation.is_made_by(profile, frame));
            let sites = facts.cpu_sites(|stack| is_preparing[stack.index()] && !is_import[stack.index()]);
            // What stands outside of functions runs once.
            let sites = sites.iter().filter(|site| facts.name(site.stack) != "<module>");
            found.extend(sites.filter_map(|site| finding(facts, site, preparation)));
        }
        Outcome::of(found)
    }
}

impl Preparation {
    fn is_made_by(&self, profile: &Profile, frame: Frame) -> bool {
        let name = profile.strings.get(frame.name);
        let file = frame.file.map_or("", |file| profile.strings.get(file));
        match frame.kind {
            FrameKind::Python => self.files.iter().any(|(of_library, function)| {
                let last = name.rsplit('.').next().unwrap_or(name);
                file.ends_with(of_library) && (function.is_empty() || last == *function)
            }),
            FrameKind::Native => self.functions.iter().any(|function| name.starts_with(function)),
            _ => false,
        }
    }
}

fn finding(facts: &Facts<'_>, site: &CpuSite, preparation: &Preparation) -> Option<Finding> {
    let repeated = repeated(facts, site);
    let least = if repeated.is_some() { LEAST_SHARE } else { LEAST_UNTIMED };
    let is_heavy = site.share.estimate >= least && site.samples >= LEAST_SAMPLES;
    if !is_heavy || repeated.is_some_and(|(spread, later)| spread < LEAST_SPREAD || later < LEAST_LATER) {
        return None;
    }
    let place = facts.place(site.stack);
    let what = preparation.what;
    let title =
        format!("`{}` spends {:.0} % of the time making {what}", place.function, 100.0 * site.share.estimate);
    let reason = "if what is made is kept, 60 % to all of making it";
    let Share { low, estimate, high } = site.share;
    let share = Share::between(low, estimate, ABOVE * high);
    let mut finding = Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
        .because(format!(
            "Making {what} takes some ten microseconds to a millisecond, much more than using them. Here it goes on for the \
             whole run instead of being done once.",
        ))
        .with(Evidence::share("share of the time in making them", site.share).against(least))
        .with(Evidence::new("samples in it", site.samples as f64, Unit::Count).against(LEAST_SAMPLES as f64))
        .fixed_by(
            Fix::new(
                "Make it once, outside of the function, or keep what was made by its text: re keeps the last 512 patterns alone, \
                 and eval keeps nothing.",
            )
            .with_code(
                "for row in rows:\n    total += eval(rule, {}, row)",
                "code = compile(rule, \"<rule>\", \"eval\")\nfor row in rows:\n    total += eval(code, {}, row)",
            ),
        );
    if let Some((spread, later)) = repeated {
        let part = Evidence::new("part of the run in which it goes on", spread, Unit::Share);
        let late = Evidence::new("part of it in the later half of the function", later, Unit::Share);
        finding = finding.with(part.against(LEAST_SPREAD)).with(late.against(LEAST_LATER));
    }
    Some(finding)
}

/// How many of all samples lie between the first and the last of a site, as a part, and which part of them is in the later half of
/// its function's; `None` where samples do not tell when they were taken.
fn repeated(facts: &Facts<'_>, site: &CpuSite) -> Option<(f64, f64)> {
    let profile = facts.profile();
    let function = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame).function();
    let own = function(site.stack);
    let preparing: HashSet<StackId, RandomState> = site.stacks.iter().copied().collect();
    let mut samples: Vec<(u64, bool, bool)> = Vec::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind != SampleKind::OffCpu) {
        let is_own = facts.program_site(key.stack).is_some_and(|site| function(site) == own);
        let sample = (key.at_nanos?, is_own, preparing.contains(&key.stack));
        samples.extend(std::iter::repeat_n(sample, weight.count as usize));
    }
    samples.sort_unstable();
    let is_preparing = |sample: &(u64, bool, bool)| sample.2;
    let first = samples.iter().position(is_preparing)?;
    let last = samples.iter().rposition(is_preparing)?;
    let of_function: Vec<_> = samples.iter().filter(|sample| sample.1).collect();
    let later = of_function[of_function.len() / 2..].iter().filter(|sample| sample.2).count();
    let all = of_function.iter().filter(|sample| sample.2).count();
    Some(((last - first) as f64 / samples.len() as f64, later as f64 / all.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:match@/home/me/run.py:12";
    const PARSE: &str = "py:Tokenizer.get@/usr/lib/python3.11/re/_parser.py:255";
    const MILLI: u64 = 1_000_000;

    fn judged(path: &[&str], count: u64, others: u64) -> Outcome {
        let profile = Draft::new().seconds(1.0).cpu(path, count).cpu(&[LINE], others).profile();
        RepeatedPreparation.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn patterns_and_code_made_in_functions_are_found() {
        let Outcome::Findings(found) = judged(&[LINE, PARSE, "dict_get!python3.11"], 400, 600) else {
            panic!("found")
        };
        assert!(
            found[0].title.contains("`match` spends 40 % of the time making patterns"),
            "{}",
            found[0].title
        );
        let eval = [LINE, "builtin_eval!python3.11", "_PyPegen_run_parser!python3.11", "term_raw!python3.11"];
        let Outcome::Findings(found) = judged(&eval, 400, 600) else { panic!("found") };
        assert!(found[0].title.contains("making code from text"), "{}", found[0].title);
    }

    #[test]
    fn little_of_it_imports_and_what_stands_outside_of_functions_are_fine() {
        assert!(matches!(judged(&[LINE, PARSE], 205, 795), Outcome::Findings(_)));
        assert_eq!(judged(&[LINE, PARSE], 195, 805), Outcome::Fine);
        assert_eq!(judged(&[LINE, PARSE], 29, 71), Outcome::Fine, "too few samples");
        let import = [LINE, "py:_load@<frozen importlib._bootstrap>:9", PARSE];
        assert_eq!(judged(&import, 500, 500), Outcome::Fine);
        assert_eq!(judged(&["py:<module>@/home/me/run.py:3", PARSE], 500, 500), Outcome::Fine);
    }

    /// Patterns are made in every third sample until an instant, and the function runs until another.
    fn judged_at(made_until: u64, until: u64) -> Outcome {
        let mut draft = Draft::new().seconds(1.0);
        for at in 0..1000 {
            let path = match at {
                at if at % 3 == 0 && at < made_until => vec![LINE, PARSE],
                at if at < until => vec![LINE],
                _ => vec!["py:main@/home/me/run.py:60"],
            };
            draft = draft.cpu_at("main", &path, 1, at * MILLI);
        }
        RepeatedPreparation.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn what_is_made_in_the_beginning_of_a_function_is_fine() {
        assert!(matches!(judged_at(1000, 1000), Outcome::Findings(_)));
        assert!(matches!(judged_at(700, 1000), Outcome::Findings(_)));
        assert_eq!(judged_at(640, 1000), Outcome::Fine);
    }

    #[test]
    fn what_is_made_in_one_stage_of_the_run_is_fine() {
        assert!(matches!(judged_at(520, 520), Outcome::Findings(_)));
        assert_eq!(judged_at(495, 495), Outcome::Fine);
    }
}
