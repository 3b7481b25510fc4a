//! The summary on a page, in every format.

use super::*;

fn busy_profiler() -> Profiler {
    let profiler = Profiler::new();
    profiler.start("train");
    profiler.start_with_flops("matmul <script>\"&", 1e3);
    spin(Duration::from_millis(1));
    profiler.stop("matmul <script>\"&");
    profiler.stop("train");
    profiler.record_alloc("weights", 1 << 20);
    profiler
}

#[test]
fn the_summary_prints_scopes_memory_and_bottlenecks() {
    let text = busy_profiler().summary().to_string();
    for expected in ["train", "matmul <script>", "weights", "1.00 MiB", "\nBottlenecks\n", "GFLOP/s"] {
        assert!(text.contains(expected), "no `{expected}` in\n{text}");
    }
    busy_profiler().print_summary();
}

#[test]
fn an_empty_profiler_has_a_summary_that_says_so() {
    let text = Profiler::new().summary().to_string();
    assert!(text.contains("none above the thresholds"), "{text}");
}

#[test]
fn every_format_is_written_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let report = busy_profiler().summary();
    for format in ReportFormat::ALL {
        let path = folder.path().join(format!("profile.{format}"));
        report.export(&path, format).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), report.render(format).unwrap());
    }
}

#[test]
fn json_is_one_object_with_the_bottlenecks_in_it() {
    let report = busy_profiler().summary();
    let page: serde_json::Value =
        serde_json::from_str(&report.render(ReportFormat::Json).unwrap()).expect("it is JSON");
    assert!(page["hot_paths"].as_array().is_some_and(|paths| paths.len() == 2), "{page:#}");
    let found = page["bottlenecks"].as_array().unwrap();
    assert_eq!(found.len(), report.bottlenecks().len());
    let slow = found.iter().find(|found| found["kind"] == "low_throughput").unwrap();
    assert_eq!(slow["name"], "matmul <script>\"&");
    assert_eq!(slow["threshold"], 1.0);
    let empty = Profiler::new().summary().render(ReportFormat::Json).unwrap();
    let empty: serde_json::Value = serde_json::from_str(&empty).expect("it is JSON");
    assert_eq!(empty["bottlenecks"], serde_json::json!([]));
}

#[test]
fn html_needs_no_network_and_is_not_steered_by_names() {
    let page = busy_profiler().summary().render(ReportFormat::Html).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for outside in ["http://", "https://", "src=", "<link"] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
    assert!(!page.contains("<script>"), "names are escaped");
    assert_eq!(page.matches("<script type=\"module\">").count(), 1, "the page has its own");
    let (at, end) = (page.find("<section id=\"bottlenecks\"").unwrap(), page.find("</main>").unwrap());
    assert!(at < end && page[at..end].contains("matmul &lt;script&gt;"));
}

#[test]
fn markdown_has_a_section_of_bottlenecks_and_escapes_names() {
    let page = busy_profiler().summary().render(ReportFormat::Markdown).unwrap();
    let (_, section) = page.split_once("\n## Bottlenecks\n\n").unwrap();
    assert!(section.lines().all(|line| line.starts_with("- **")), "{section}");
    assert!(section.contains("matmul \\<script\\>"), "{section}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_names_it() {
    let path = std::path::Path::new("no such folder/profile.html");
    let error = Profiler::new().summary().export(path, ReportFormat::Html).unwrap_err();
    assert!(matches!(error, Error::Export { .. }));
    assert!(error.to_string().ends_with("no such folder/profile.html"), "{error}");
}
