//! Where threads wait, and for how long.

use calor_model::SampleKind;
use calor_testing::{Need, cannot};

use super::workbench::{Workbench, rows, warns};

#[test]
fn a_sleep_and_a_wait_for_a_lock_show_under_their_callers_with_their_time() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&["--off-cpu"], &["known", "waits", "300"]) else { return };
    if warns(&recorded.profile, "off_cpu_missing") {
        cannot(Need::Kernel, "waiting threads are hidden from this user, only the warning is tested");
        assert!(recorded.stderr.contains("waiting threads were not recorded"), "{}", recorded.stderr);
        return;
    }
    for (thread, caller) in [("sleeper", "sleep_on_purpose"), ("waiter", "wait_for_lock")] {
        let waits = rows(&recorded.profile, SampleKind::OffCpu);
        let nanos: u64 = waits
            .filter(|(path, name, _)| *name == thread && path.contains(&caller))
            .map(|(.., weight)| weight.nanos)
            .sum();
        // Never less than asked for, but a little for the time between the start of one and the other.
        assert!((250_000_000..5_000_000_000).contains(&nanos), "{thread}: {nanos} ns: {}", recorded.stderr);
    }
    assert!(recorded.stderr.contains("Longest waits:"), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("--metric off_cpu"), "{}", recorded.stderr);
}

#[test]
fn waiting_is_counted_on_in_every_part() {
    let bench = Workbench::new();
    let program = super::workbench::program("known");
    let program = program.to_str().expect("a temporary path is text");
    let mut command = bench.command(&["--off-cpu", "--", program, "waits", "600"]);
    command.env("CALOR_PART_AFTER", "50ms");
    let Some(recorded) = bench.outcome(command) else { return };
    if warns(&recorded.profile, "off_cpu_missing") {
        cannot(Need::Kernel, "waiting threads are hidden from this user");
        return;
    }
    let nanos: u64 = rows(&recorded.profile, SampleKind::OffCpu)
        .filter(|(path, ..)| path.contains(&"sleep_on_purpose"))
        .map(|(.., weight)| weight.nanos)
        .sum();
    assert!((590_000_000..5_000_000_000).contains(&nanos), "{nanos} ns: {}", recorded.stderr);
}
