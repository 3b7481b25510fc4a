//! Profiles inside reports: found, read like the profile itself, and refused when they are not whole.

#![cfg(feature = "native")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test reports")]

use calor_formats::{Error, Format, embedded, native, read};
use calor_model::{FrameKind, LabelTable, Profile, ScopeKey, ScopeStats};

fn file() -> Vec<u8> {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 2, "main");
    for number in 0..300_u64 {
        let stack = profile.intern_named_path(&["run", &format!("step {number}")], FrameKind::Scope).unwrap();
        let mut stats = ScopeStats { calls: 1, total_nanos: number * 977, ..ScopeStats::default() };
        stats.timed.record(number * 977);
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    let mut file = Vec::new();
    native::write(&profile, &mut file).unwrap();
    file
}

fn report() -> String {
    format!(
        "{}\n# A report\n\ncalor-profile is a word here\n\n<!--\n{}-->\n",
        embedded::ANNOUNCEMENT,
        embedded::lines(&file())
    )
}

fn message(report: &[u8]) -> String {
    read(report).unwrap_err().to_string()
}

#[test]
fn a_report_is_read_like_the_profile_inside_it() {
    let report = report();
    assert_eq!(Format::detect(report.as_bytes()), Some(Format::Native));
    let profile = read(report.as_bytes()).unwrap();
    assert_eq!(profile.scopes.len(), 300);
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
}

#[test]
fn line_ends_and_indents_of_a_mailer_do_no_harm() {
    let report = report().replace('\n', "\r\n");
    assert_eq!(read(report.as_bytes()).unwrap().scopes.len(), 300);
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(report.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read(&utf16).unwrap().scopes.len(), 300);
}

#[test]
fn nothing_in_it_ends_a_comment_or_an_element() {
    let lines = embedded::lines(&file());
    assert!(!lines.contains("--") && !lines.contains(['<', '>', '&']));
    assert!(lines.lines().all(|line| line.len() <= 120));
}

#[test]
fn a_report_that_was_cut_off_is_refused_wherever_it_was_cut() {
    let report = report();
    let end = report.find("calor-profile end").unwrap();
    for length in (embedded::ANNOUNCEMENT.len()..end).step_by(17) {
        let error = message(&report.as_bytes()[..length]);
        assert!(error.contains("cut off") || error.contains("damaged"), "{length}: {error}");
        assert!(error.contains("copy the report again"), "{error}");
    }
}

#[test]
fn a_changed_letter_is_found_by_the_checksum_and_a_strange_one_by_its_place() {
    let report = report();
    let at = report.find("crc32=").unwrap() + 40;
    let mut changed = report.clone().into_bytes();
    changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
    assert!(message(&changed).contains("expected the checksum"), "{}", message(&changed));
    changed[at] = b'*';
    let error = message(&changed);
    assert!(error.contains("expected base64, found byte 0x2a") && error.ends_with("made of"), "{error}");
    assert!(error.contains(&format!("at byte {at}")), "{error}");
    changed.remove(at);
    changed.remove(at);
    changed.remove(at);
    changed.remove(at);
    assert!(message(&changed).contains("bytes of a profile, found"), "{}", message(&changed));
}

#[test]
fn a_heading_that_makes_no_sense_and_a_later_version_are_told_apart() {
    let broken = report().replace("bytes=", "size=");
    assert!(message(broken.as_bytes()).contains("\"calor-profile 1 size="), "{}", message(broken.as_bytes()));
    let later = report().replace("calor-profile 1 bytes=", "calor-profile 2 letters=");
    assert!(matches!(read(later.as_bytes()), Err(Error::Newer { found: 2, supported: 1 })));
}

#[test]
fn an_announcement_without_a_profile_says_what_is_missing() {
    let error = message(format!("{}\n# A report\n", embedded::ANNOUNCEMENT).as_bytes());
    assert!(error.contains("cut off: expected a line that begins with"), "{error}");
    assert!(Format::detect(b"a report about calor-profile 1 and more").is_none());
}

#[test]
fn a_program_that_holds_the_words_of_reports_is_no_report() {
    let mut program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\n".to_vec();
    program.extend_from_slice(report().as_bytes());
    assert_eq!(Format::detect(&program), None);
    assert!(message(&program).contains("a program (ELF)"), "{}", message(&program));
}
