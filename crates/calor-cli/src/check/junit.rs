//! The outcome as JUnit XML, which every builder shows among its tests: a test for the comparison, and one for each budget.

use calor_analysis::Verdict;
use calor_analysis::gate::OpenVerdict;
use calor_report::Escaped;

use super::checked::Checked;

/// One test.
struct Case {
    class: &'static str,
    name: String,
    /// What went wrong: the element, its type and its words.
    trouble: Option<(&'static str, &'static str, String)>,
}

pub(super) fn page(checked: &Checked) -> String {
    let mut cases = Vec::new();
    let outcome = &checked.outcome;
    if let (Some(comparison), Some(before)) = (&outcome.comparison, &checked.before) {
        let told = comparison.headline();
        let trouble = match comparison.verdict() {
            Verdict::Regressed => Some(("failure", "regressed", told)),
            Verdict::Undecided if outcome.open == OpenVerdict::Fails => Some(("failure", "undecided", told)),
            Verdict::Undecided => Some(("skipped", "undecided", told)),
            Verdict::Same | Verdict::Improved => None,
        };
        cases.push(Case { class: "calor.compare", name: before.name(), trouble });
    }
    for spending in &outcome.budgets {
        let trouble = (!spending.is_within()).then(|| ("failure", "over_budget", spending.sentence()));
        cases.push(Case { class: "calor.budget", name: spending.budget.to_string(), trouble });
    }
    suite(&cases)
}

/// A check that could not be made.
pub(super) fn failed(error: &anyhow::Error) -> String {
    let trouble = Some(("error", "failed", format!("{error:#}")));
    suite(&[Case { class: "calor.check", name: "check".to_owned(), trouble }])
}

fn suite(cases: &[Case]) -> String {
    let n = |element: &str| {
        cases.iter().filter(|case| case.trouble.as_ref().is_some_and(|(found, ..)| *found == element)).count()
    };
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        n("failure"),
        n("error"),
        n("skipped")
    );
    let mut page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"calor check\" {counts}>\n  <testsuite name=\"calor \
         check\" {counts}>\n"
    );
    for Case { class, name, trouble } in cases {
        let start = format!("    <testcase classname=\"{class}\" name=\"{}\"", escaped(name));
        page += &match trouble {
            None => format!("{start}/>\n"),
            // This one has no type.
            Some(("skipped", _, told)) => {
                format!("{start}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(told))
            }
            Some((element, kind, told)) => {
                let told = escaped(told);
                format!(
                    "{start}>\n      <{element} type=\"{kind}\" message=\"{told}\">{told}</{element}>\n    </testcase>\n"
                )
            }
        };
    }
    page + "  </testsuite>\n</testsuites>\n"
}

/// Text as XML has it; what no XML may hold is left out.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect();
    Escaped(&text).to_string().replace('\n', "&#10;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_failed_is_a_test_with_an_error() {
        let page = failed(&anyhow::anyhow!("`a < b` & \"c\"\u{1b}\nended"));
        assert!(page.contains("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""), "{page}");
        assert!(page.contains("message=\"`a &lt; b` &amp; &quot;c&quot;&#10;ended\""), "{page}");
    }
}
