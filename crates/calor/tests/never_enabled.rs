//! A program that has scopes and never turns the recorder on.

#[test]
fn a_snapshot_says_that_the_recorder_was_never_on() {
    {
        calor::scope!("unseen");
    }
    let profile = calor::snapshot();
    assert!(profile.scopes.is_empty());
    let warning =
        profile.warnings.iter().find(|warning| warning.code == "never_enabled").expect("it is said");
    assert!(warning.message.contains("calor::enable()"), "{}", warning.message);
    assert_eq!(profile.runs[0].cpu_nanos, None);
}
