//! Findings as the Python package hands them out: what to do, how much that gives, and the code of it, in flat fields.

use calor_analysis::findings::{Finding, Gain, Severity};
use calor_wire::findings::{Evidence, Location, Recommendation};

use super::words;
use crate::Error;

/// Findings as a JSON list, in their order.
///
/// # Errors
/// When a figure cannot be written as JSON.
pub fn recommendations_json(found: &[Finding]) -> Result<String, Error> {
    let list: Vec<Recommendation<'_>> = found.iter().map(recommendation).collect();
    Ok(serde_json::to_string(&list).map_err(std::io::Error::from)?)
}

fn recommendation(finding: &Finding) -> Recommendation<'_> {
    let (gain, place) = (&finding.gain, &finding.place);
    Recommendation {
        priority: priority(finding.severity()),
        title: &finding.title,
        estimated_speedup: speed_up(gain),
        description: [finding.description.as_str(), finding.fix.text.as_str()].join(" ").trim().to_owned(),
        code_example: code(finding),
        rule: &finding.rule,
        severity: finding.severity().map(Severity::word),
        evidence: finding.evidence.iter().map(Evidence::new).collect(),
        location: Location { file: place.file.as_deref(), line: place.line, function: &place.function },
        gain: [gain.low, gain.high],
        memory_gain: gain.memory.map(|(low, high)| [low, high]),
        reason: &gain.reason,
        doc: &finding.doc,
    }
}

/// What the fix gives, in text: "1.20x to 1.60x".
fn speed_up(gain: &Gain) -> String {
    match gain.memory {
        Some(_) => words::gain_in_short(gain),
        None => words::times(gain.low, gain.high),
    }
}

fn priority(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Critical | Severity::High) => "HIGH",
        Some(Severity::Medium) => "MEDIUM",
        Some(Severity::Low) | None => "LOW",
    }
}

/// Code before and after, or the change in words where no code shows it.
fn code(finding: &Finding) -> String {
    let parts = [("BEFORE", &finding.fix.before), ("AFTER", &finding.fix.after)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(word, code)| Some(format!("{word}:\n{}", indented(code.as_deref()?))))
        .collect();
    if parts.is_empty() { finding.fix.text.clone() } else { parts.join("\n\n") }
}

fn indented(code: &str) -> String {
    code.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use calor_analysis::findings::{About, Fix, Place, Share};
    use serde_json::Value;

    use super::*;

    fn told(gain: Gain, fix: Fix) -> Value {
        let about = About { id: "NUMPY-TEST", ..calor_analysis::findings::rules::RULES[0].about() };
        let place = Place {
            function: "step".to_owned(),
            file: Some("train.py".to_owned()),
            line: Some(7),
            ..Place::default()
        };
        let finding =
            Finding::new(&about, "small arrays", place, gain).because("Each call costs.").fixed_by(fix);
        let json = recommendations_json(&[finding]).unwrap();
        serde_json::from_str::<Value>(&json).unwrap()[0].take()
    }

    #[test]
    fn a_recommendation_has_its_code_its_place_and_its_gain() {
        let fix = Fix::new("Batch them.").with_code("for x in xs:\n    f(x)", "f(xs)");
        let told = told(Gain::faster(Share::exact(0.5), (2.0, 4.0), "if all are batched"), fix);
        assert_eq!(
            (told["priority"].as_str(), told["estimated_speedup"].as_str()),
            (Some("HIGH"), Some("1.33x to 1.60x"))
        );
        assert_eq!(told["description"], "Each call costs. Batch them.");
        assert_eq!(told["code_example"], "BEFORE:\n    for x in xs:\n        f(x)\n\nAFTER:\n    f(xs)");
        assert_eq!(told["location"]["file"], "train.py");
        assert_eq!(
            (told["location"]["line"].as_u64(), told["location"]["function"].as_str()),
            (Some(7), Some("step"))
        );
        assert!(told["gain"][0].as_f64().unwrap() > 1.33 && told["gain"][1].as_f64().unwrap() < 1.61);
    }

    #[test]
    fn without_code_the_change_is_told_in_words() {
        let told = told(Gain::removed(Share::exact(0.04), (1.0, 1.0), ""), Fix::new("Set OMP_NUM_THREADS."));
        assert_eq!(
            (told["priority"].as_str(), told["code_example"].as_str()),
            (Some("MEDIUM"), Some("Set OMP_NUM_THREADS."))
        );
    }
}
