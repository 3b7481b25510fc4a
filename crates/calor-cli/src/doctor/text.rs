//! The checks for people.

use calor_report::wrapped;

use super::Check;

/// Columns before what was found: the mark and the longest name.
const LEFT: usize = 30;
/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 30;

/// All checks, what is not ok with its remedy.
pub(super) fn page(checks: &[Check], width: usize, is_coloured: bool) -> String {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let room = width.saturating_sub(LEFT).max(NARROWEST);
    let mut page = String::new();
    for check in checks {
        let mark = match (check.ok, check.is_absent) {
            (true, true) => paint("2", "none  "),
            (true, false) => paint("32", "ok    "),
            (false, _) => paint("33", "not ok"),
        };
        let lines = wrapped(&check.found, room);
        page += &format!("  {mark} {:<20} {}\n", check.name, lines[0]);
        for line in &lines[1..] {
            page += &format!("{:LEFT$}{line}\n", "");
        }
        if let Some(fix) = &check.fix {
            // In one line, whatever its length, so that it can be copied.
            page += &format!("{:LEFT$}fix: {}\n", "", paint("1", fix));
        }
    }
    let n_wrong = checks.iter().filter(|check| !check.ok).count();
    page += &match n_wrong {
        0 => "\nAll is well.\n".to_owned(),
        1 => "\nOne thing is not as it could be.\n".to_owned(),
        n => format!("\n{n} things are not as they could be.\n"),
    };
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_need_not_have_is_neither_ok_nor_wrong() {
        let page = page(&[Check::absent("pmu", "not there")], 80, false);
        assert!(page.starts_with("  none   pmu") && page.ends_with("All is well.\n"), "{page}");
    }

    #[test]
    fn what_is_not_ok_is_counted_and_shown_with_its_remedy() {
        let checks = [Check::ok("a", "fine"), Check::not_ok("b", "missing").fixed_by("get b")];
        let page = page(&checks, 80, false);
        assert!(page.contains("  ok     a") && page.contains("  not ok b"), "{page}");
        assert!(
            page.contains("fix: get b\n") && page.ends_with("One thing is not as it could be.\n"),
            "{page}"
        );
    }
}
