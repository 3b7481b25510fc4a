//! Every kernel has the class that its author gave it.

use calor_analysis::Verdicts;
use calor_model::Profile;
use calor_testing::{Need, cannot};

use crate::kernels::{EXPECTED, calor, fixtures, record};

/// What is wrong with the verdicts of a profile, of kernels that ran.
fn mistakes(profile: &Profile, did_run: impl Fn(&str) -> bool) -> Vec<String> {
    let verdicts = Verdicts::of(profile);
    let mut mistakes = Vec::new();
    for (name, class, fma) in EXPECTED.into_iter().filter(|(name, ..)| did_run(name)) {
        let code = profile.code.iter().find(|(key, _)| profile.strings.get(key.name) == name);
        let verdict = code.and_then(|(key, _)| verdicts.of_code(key));
        let found = verdict.as_ref().map(|verdict| (verdict.class.word(), verdict.fma()));
        if found != Some((class, fma)) {
            mistakes.push(format!("{name}: expected {class} (fma {fma}), found {verdict:?}"));
        }
    }
    mistakes
}

#[test]
fn kernels_that_were_recorded_before_have_their_class_everywhere() {
    let bytes = std::fs::read(fixtures().join("kernels.calor")).expect("the fixture is there");
    let profile = calor_formats::read(&bytes).expect("it can be read");
    let mistakes = mistakes(&profile, |_| true);
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn kernels_that_are_recorded_here_and_now_have_their_class() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let Some((profile, skipped)) = record(folder.path()) else { return };
    if !skipped.is_empty() {
        let why = "those are tested by an earlier recording alone";
        cannot(Need::Processor, format_args!("this processor cannot run {skipped:?}: {why}"));
    }
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        assert!(skipped.is_empty(), "a fixture has all kernels");
        let mut bytes = Vec::new();
        calor_formats::native::write(&profile.canonical(), &mut bytes).expect("it can be written");
        std::fs::write(fixtures().join("kernels.calor"), bytes).expect("the folder is there");
    }
    let did_run = |name: &str| !skipped.iter().any(|skipped| name.ends_with(skipped.as_str()));
    let mistakes = mistakes(&profile, did_run);
    assert!(mistakes.is_empty(), "{mistakes:#?}");

    // What the command says is the same.
    let output =
        calor(folder.path(), &["report", "kernels.calor", "--format", "json", "--group", "function"]);
    let page: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let rows = page["hot_paths"].as_array().expect("there are paths");
    for (name, class, fma) in EXPECTED {
        if let Some(simd) = rows.iter().find(|row| row["name"] == name).and_then(|row| row.get("simd")) {
            assert_eq!((&simd["class"], &simd["fma"]), (&class.into(), &fma.into()), "{name}");
        }
    }
}
