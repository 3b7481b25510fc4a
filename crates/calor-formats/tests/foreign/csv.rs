//! Tables for spreadsheets.

use calor_formats::{Format, WriteOptions, read, write};
use calor_model::*;

fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    write(profile, Format::Csv, &WriteOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_columns_stay_as_they_are() {
    let expected = "path,name,kind,module,file,line,calls,total_ns,self_ns,mean_ns,min_ns,max_ns,stddev_ns,p50_ns,\
                    p95_ns,p99_ns,open_calls,elements,bytes,flops,cpu_samples,cpu_ns,off_cpu_count,off_cpu_ns,\
                    wall_samples,wall_ns,allocated_bytes,allocated_count,live_bytes,peak_bytes,temporary_count,\
                    gpu_count,gpu_ns,elements_per_s,bytes_per_s,flops_per_s,live_count,peak_count,temporary_bytes,\
                    allocated_samples\r\n";
    assert_eq!(written(&Profile::default()), expected);
}

#[test]
fn a_row_has_what_was_recorded_and_nothing_where_nothing_was() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 2, "t");
    let labels = LabelTable::none();
    let run = profile.intern_named_path(&["run"], FrameKind::Scope).unwrap();
    let step = profile.intern_named_path(&["run", "say \"hi\", twice"], FrameKind::Scope).unwrap();
    for (stack, durations) in [(run, &[100][..]), (step, &[20, 40])] {
        let mut stats = ScopeStats { calls: durations.len() as u64, ..ScopeStats::default() };
        durations.iter().for_each(|&nanos| stats.timed.record(nanos));
        stats.total_nanos = stats.timed.total_nanos;
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    let text = written(&profile);
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[1], "run,run,scope,,,,1,100,40,100,100,100,0,100,100,100,0,,,,,,,,,,,,,,,,,,,,,,,");
    let quoted =
        "\"run;say \"\"hi\"\", twice\",\"say \"\"hi\"\", twice\",scope,,,,2,60,60,30,20,40,10,20,40,40,0,";
    assert!(lines[2].starts_with(quoted), "{}", lines[2]);
    assert_eq!((lines.len(), lines[3]), (4, ""));
}

#[test]
fn what_a_scope_worked_on_has_its_rate() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 2, "t");
    let stack = profile.intern_named_path(&["dot"], FrameKind::Scope).unwrap();
    let work = Work { bytes: 8_000, flops: 2_000, ..Work::default() };
    let stats = ScopeStats { calls: 1, total_nanos: 500_000, work, ..ScopeStats::default() };
    profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    let text = written(&profile);
    assert!(text.trim_end().ends_with(",,16000000,4000000,,,,"), "{text}");
}

#[test]
fn every_row_has_as_many_fields_as_there_are_columns() {
    for (format, name, bytes) in crate::fixtures::ALL {
        let text = written(&read(bytes).unwrap());
        for line in text.split_terminator("\r\n") {
            let mut is_quoted = false;
            let is_comma = |&one: &char| {
                is_quoted ^= one == '"';
                one == ',' && !is_quoted
            };
            assert_eq!(line.chars().filter(is_comma).count(), 39, "{format} {name}: {line}");
        }
    }
}
