//! What runs of `calor bench` are called in lists: all of them are runs of one program, so they are told apart by what was measured,
//! as those are that the bench saves itself.

use calor_analysis::workload::{model_names, workload_at};
use calor_model::{Profile, command_words};

/// `bench simd`, or `bench model small,medium`; `None` of any other program.
pub(crate) fn bench_name(profile: &Profile) -> Option<String> {
    let [run] = &profile.runs[..] else { return None };
    let words = command_words(run.command.as_deref()?);
    let workload = &words[workload_at(&words)?];
    // A recording from outside has no such label.
    let workload = run.labels.get("workload").unwrap_or(workload);
    Some(name_of(workload, &model_names(profile).join(",")))
}

/// What a run of a workload is called, with the models that it ran.
pub(crate) fn name_of(workload: &str, models: &str) -> String {
    format!("bench {workload} {models}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Run, ScopeKey, ScopeStats};

    use super::*;

    fn named(command: &str, workload: Option<&str>, models: &[&str]) -> Option<String> {
        let labels = workload.map(|name| ("workload".to_owned(), name.to_owned()));
        let run =
            Run { command: Some(command.to_owned()), labels: labels.into_iter().collect(), ..Run::default() };
        let mut profile = Profile { runs: vec![run], ..Profile::default() };
        let thread = profile.intern_thread(1, 1, "main");
        for model in models {
            let [key, value] = ["model", model].map(|text| profile.strings.intern(text));
            let labels = profile.labels.intern(&[(key, value)]);
            let stack = profile.intern_named_path(&[model], FrameKind::Scope).expect("a path has a frame");
            profile.scopes.add(ScopeKey { stack, thread, labels }, ScopeStats::default());
        }
        bench_name(&profile)
    }

    #[test]
    fn benches_are_called_by_what_they_measure() {
        for (command, workload, models, expected) in [
            ("calor bench simd --quick", Some("simd"), &[][..], Some("bench simd")),
            (
                "bin/calor bench model -q",
                Some("model"),
                &["small", "medium"],
                Some("bench model small,medium"),
            ),
            ("calor bench compression --quick", None, &[], Some("bench compression")),
            ("./bench simd", Some("simd"), &[], None),
            ("calor bench -q simd", None, &[], Some("bench simd")),
            ("calor top", None, &[], None),
        ] {
            assert_eq!(named(command, workload, models).as_deref(), expected, "{command}");
        }
    }
}
