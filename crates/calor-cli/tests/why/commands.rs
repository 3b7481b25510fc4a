//! Two commands.

use crate::workbench::{calor, causes, explained, has_vectors, operation, text};

fn check(variant: &str, planted: &str) {
    if !has_vectors() {
        return;
    }
    let page = explained(variant, &[]);
    assert_eq!(causes(&page).first().map(String::as_str), Some(planted), "{page:#}");
    let shares: f64 =
        page["why"].as_array().into_iter().flatten().filter_map(|it| it["share"].as_f64()).sum();
    let rest = page["unexplained"].as_f64().expect("a number");
    assert!((shares + rest - 1.0).abs() < 1e-6 && page["explained"]["slower"] == "B", "{page:#}");
}

#[test]
fn a_loop_that_is_left_early_is_narrow_code() {
    check("scalar", "scalar_code");
}

#[test]
fn a_name_put_together_in_each_call_is_overhead_of_calls() {
    check("overhead", "call_overhead");
}

#[test]
fn a_walk_down_the_columns_is_strided() {
    check("strided", "strided_access");
}

#[test]
fn a_lock_for_every_few_elements_is_found() {
    check("lock", "lock");
}

#[test]
fn commands_that_print_different_things_are_refused_unless_told_otherwise() {
    let output = calor(&["ab", "--why", "--max-time", "2s", "echo 1", "echo 2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("print different things"), "{}", text(&output.stderr));
    let told = calor(&["ab", "--why", "--no-check", "--max-time", "2s", "echo 1", "echo 2"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
}

#[test]
fn what_is_asked_wrongly_is_answered_with_how_it_is_right() {
    for (words, expected) in [
        (&["--why", "a"][..], "at least two commands"),
        (&["--why", "a", "b", "c"], "between two commands"),
        (&["--why", "--sizes", "1k", "a", "b"], "write {n} there"),
        (&["--why", "a {n}", "b"], "in both, or in neither"),
        (&["--sizes", "1k", "a", "b"], "--why"),
        (&["--why", "--sizes", "1q", "a", "b"], "such as 1000"),
        (&["--format", "html", "a", "b"], "add --why"),
    ] {
        let output = calor(&[&["ab"], words].concat());
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{words:?}: {said}");
    }
}

#[test]
fn the_page_for_a_browser_has_the_curves_and_flame_graphs() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let page = folder.path().join("why.html");
    let (page, program) = (page.to_str().expect("text"), operation().to_str().expect("text"));
    let side = |variant: &str| format!("{program} {variant} {{n}} {{calls}}");
    let words = [
        "ab",
        "--why",
        "--sizes",
        "1k,4k,16k",
        "--max-time",
        "10s",
        "-o",
        page,
        &side("good"),
        &side("overhead"),
    ];
    if has_vectors() {
        let output = calor(&words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let page = std::fs::read_to_string(page).expect("the page is written");
        for part in
            ["id=\"causes\"", "class=\"curves\"", "id=\"flame-both\"", "id=\"flame-a\"", "id=\"flame-b\""]
        {
            assert!(page.contains(part), "{part} is missing");
        }
    }
}

#[test]
fn work_that_the_compiler_removed_is_told_as_such() {
    // A shell that does nothing with the number of calls is such a program.
    let output = calor(&[
        "ab",
        "--why",
        "--no-check",
        "--max-time",
        "5s",
        "true {calls}",
        "i=0; while [ $i -lt {calls} ]; do i=$((i+1)); done",
    ]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a call of A takes no measurable time") && said.contains("black_box"), "{said}");
}
