//! Answers are found in one room. Pages draw them and the command types them, so neither may call what finds them: each way
//! that was there once is closed here, by the names of calls and of modules.

use super::Problem;
use crate::repository::Repository;

/// What folders may not have, and where it belongs instead.
struct Closed {
    folders: &'static [&'static str],
    /// Files in them that may: each is a debt or has its reason beside it.
    except: &'static [&'static str],
    /// Pieces of code.
    code: &'static [&'static str],
    instead: &'static str,
}

const CLOSED: &[Closed] = &[
    Closed {
        folders: &["crates/calor-report/src/", "crates/calor-cli/src/"],
        // What a gate of budgets adds up, and tables of the workloads.
        except: &["crates/calor-cli/src/bench/model/tables.rs"],
        code: &[
            "CallTree::of_",
            " TreeOptions {",
            " hot_paths(",
            " hot_functions(",
            " folded_paths(",
            " n_listed_paths(",
            " async_paths(",
            " heap_insights(",
            " narrow_vectors(",
            " waits_by_site(",
            " work_rates(",
            " operation_rows(",
            " Summary::new(",
            "Events::new(",
            "GpuSums::of(",
            "Verdicts::of(",
            "Offered::of(",
            "RecordingCost::new(",
            "CriticalPath::of(",
            " amdahl(",
        ],
        instead: "a question to calor-analysis, whose answer has it",
    },
    Closed {
        folders: &["crates/calor-report/src/", "crates/calor-cli/src/", "python/src/"],
        except: &[],
        code: &[
            " difference(",
            " figure_differences(",
            " mismatches(",
            " changes_of_runs(",
            " smallest_change(",
            "RunFigures::",
            ".verdict = ",
            "Verdict::Undecided;",
        ],
        instead: "a `Comparison` or a `GatedComparison` of calor-analysis: what is slower is decided there alone",
    },
    Closed {
        folders: &["crates/calor-report/src/"],
        except: &[],
        code: &["Circumstances", " circumstances"],
        instead: "findings that are passed in: pages judge nothing",
    },
    Closed {
        folders: &["crates/", "python/src/"],
        except: &["crates/calor-analysis/src/workload/", "crates/calor-workloads/"],
        code: &["\"repetitions\"", "\"prefill\"", "strip_prefix(\"round "],
        instead: "calor_analysis::workload, which knows the built-in workloads by the labels of their runs",
    },
    Closed {
        folders: &["crates/", "python/src/"],
        except: &["crates/calor-report/src/html/", "crates/calor-formats/src/", "crates/calor-model/src/"],
        code: &["\"</main>\"", "trim_start_matches('{')", "strip_suffix('}')"],
        instead: "a section or a value that is passed to what makes the page: finished pages are not cut",
    },
];

/// Modules that decided where only drawing or typing is done.
const GONE: &[&str] = &[
    "crates/calor-report/src/compare/choice",
    "crates/calor-report/src/compare/repeated",
    "crates/calor-report/src/compare/settle",
    "crates/calor-report/src/compare/unlike",
    "crates/calor-report/src/compare/work",
    "crates/calor-cli/src/check/budget",
    "crates/calor-cli/src/check/spending",
    "crates/calor-cli/src/check/outcome",
    "crates/calor-cli/src/history/choice",
    "crates/calor-cli/src/ab/advice",
    "crates/calor-cli/src/ab/outcome",
];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| file.has_extension(&["rs"])) {
        let module = file.path.trim_end_matches(".rs").trim_end_matches("/mod");
        if GONE.contains(&module) {
            let what = "this module decided what calor-analysis decides: ask it";
            problems.push(Problem::new(&file.path, 1, what));
        }
        let is_in = |folders: &[&str]| folders.iter().any(|folder| file.path.starts_with(folder));
        let is_test = file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
        if is_test {
            continue;
        }
        let first_test = file.first_test_line();
        for closed in CLOSED.iter().filter(|closed| is_in(closed.folders) && !is_in(closed.except)) {
            for (number, line) in file.lines().take_while(|(number, _)| *number < first_test) {
                let code = line.split("//").next().unwrap_or_default();
                for found in
                    closed.code.iter().filter(|piece| code.contains(**piece) && !declares(code, piece))
                {
                    let what = format!("`{}` is not for here: use {}", found.trim(), closed.instead);
                    problems.push(Problem::new(&file.path, number, what));
                }
            }
        }
    }
}

/// Whether a line declares a function of that name, which is another one.
fn declares(code: &str, piece: &str) -> bool {
    piece.starts_with(' ') && code.contains(&format!("fn{piece}"))
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn what_finds_answers_is_not_called_by_pages_or_the_command() {
        let path = "crates/calor-report/src/section/hot.rs";
        check_rule(
            check,
            &[(path, "let tree = CallTree::of_scopes(profile, &options);\n")],
            &["crates/calor-report/src/section/hot.rs:1: `CallTree::of_` is not for here: use a question"],
        );
        check_rule(
            check,
            &[("crates/calor-cli/src/check/mod.rs", "a\nlet d = difference(a, b);\n")],
            &["crates/calor-cli/src/check/mod.rs:2: `difference(`"],
        );
        check_rule(
            check,
            &[("python/src/x.rs", "page.rfind(\"</main>\")\n")],
            &["python/src/x.rs:1: `\"</main>\"`"],
        );
    }

    #[test]
    fn the_room_itself_tests_and_comments_may() {
        let call = "let tree = CallTree::of_scopes(profile);\n";
        check_rule(check, &[("crates/calor-analysis/src/report/answer.rs", call)], &[]);
        check_rule(check, &[("crates/calor-report/src/a.rs", "// CallTree::of_scopes\n")], &[]);
        check_rule(
            check,
            &[("crates/calor-report/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{call}}}\n"))],
            &[],
        );
        check_rule(check, &[("crates/calor-cli/src/a.rs", "fn difference(a: u8) {}\n")], &[]);
    }

    #[test]
    fn modules_that_decided_do_not_come_back() {
        check_rule(
            check,
            &[("crates/calor-report/src/compare/unlike.rs", "//! Why.\n")],
            &["crates/calor-report/src/compare/unlike.rs:1: this module decided"],
        );
        check_rule(
            check,
            &[("crates/calor-cli/src/check/budget/mod.rs", "//! Why.\n")],
            &["crates/calor-cli/src/check/budget/mod.rs:1: this module decided"],
        );
    }
}
