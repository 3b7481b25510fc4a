//! Values at the edge of what can be counted, and files that hold much and nothing of use.

use calor_formats::{Error, read};
use calor_model::Profile;

fn warned(profile: &Profile, code: &str) -> Option<u64> {
    profile.warnings.iter().find(|warning| warning.code == code)?.count
}

fn total(profile: &Profile) -> u128 {
    profile.samples.iter().map(|(_, weight)| u128::from(weight.nanos)).sum()
}

#[test]
fn weights_that_add_up_to_more_than_can_be_counted_are_cut_and_told() {
    let most = u64::MAX;
    let speedscope = |first: &str, second: &str| {
        format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"a"}},{{"name":"b"}}]}},
            "profiles":[{{"type":"sampled","name":"x","unit":"nanoseconds","startValue":0,"endValue":1,
            "samples":[[0],[1]],"weights":[{first},{second}]}}]}}"#
        )
    };
    for (text, n_cut) in [
        (format!("a {most}\nb {most}\n"), 2),
        (format!("a {most}\na {most}\n"), 1),
        (format!("a {}\nb 7\n", most - 2), 1),
        (speedscope("1e300", "1e300"), 2),
    ] {
        let profile = read(text.as_bytes()).unwrap();
        assert_eq!(warned(&profile, "values_too_large"), Some(n_cut), "{text}");
        assert_eq!(total(&profile), u128::from(most), "{text}");
    }
    let profile = read(format!("a {}\nb 1\n", most - 2).as_bytes()).unwrap();
    assert_eq!((warned(&profile, "values_too_large"), total(&profile)), (None, u128::from(most - 1)));
    // A weight below zero is no weight.
    let profile = read(speedscope("-5", "3").as_bytes()).unwrap();
    assert_eq!((warned(&profile, "weight_left_out"), total(&profile)), (Some(1), 3));
    assert!(matches!(read(speedscope("-5", "-3").as_bytes()), Err(Error::NothingUsable { .. })));
}

#[test]
fn a_file_of_which_nothing_can_be_used_is_refused_with_why_and_an_empty_one_is_not() {
    for (text, why) in [
        (r#"{"traceEvents":[{"ph":"X","name":"a","ts":NaN,"dur":1,"pid":1,"tid":1}]}"#, "makes sense"),
        (r#"{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":-1,"pid":1,"tid":1}]}"#, "(1 times)"),
        (r#"{"traceEvents":[{"ph":"X","name":"a","ts":1e300,"dur":1,"pid":1,"tid":1}]}"#, "makes sense"),
        (r#"{"traceEvents":[{"ph":"b","name":"a","ts":1,"pid":1,"tid":1}]}"#, "asynchronous events"),
        ("a -5\nb -7\n", "2 lines with a weight below zero"),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    for text in [
        r#"{"traceEvents":[]}"#,
        r#"{"traceEvents":[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"x"}}]}"#,
    ] {
        assert!(read(text.as_bytes()).unwrap().warnings.is_empty(), "{text}");
    }
}
