//! Traces whose bytes were changed: read or refused, never worse.

use calor_formats::{Error, WriteOptions, chrome};
use proptest::prelude::*;

use crate::fixtures::{KILLED, TRACING_CHROME, VIZTRACER};

/// Reads, and writes what was read: nothing that is let in may break the writer.
fn survive(bytes: &[u8]) {
    match chrome::read(bytes) {
        Ok(profile) => {
            let mut again = Vec::new();
            chrome::write(&profile, &WriteOptions::default(), &mut again).unwrap();
            chrome::read(&again).unwrap();
        }
        Err(Error::NothingUsable { .. }) => {}
        Err(error) => assert!(error.to_string().contains("expected"), "{error}"),
    }
}

#[test]
fn any_byte_may_change() {
    for bytes in [&KILLED[..2500], &VIZTRACER[..2500]] {
        for at in 0..bytes.len() {
            let mut damaged = bytes.to_vec();
            // One of these at each byte; together they meet every place of an event.
            damaged[at] = [b'"', b'9', 0xff, b'}', b'-', b'e'][at % 6];
            survive(&damaged);
        }
    }
}

proptest! {
    #[test]
    fn bursts_of_changed_bytes_never_panic(
        which in 0_usize..3,
        at in any::<prop::sample::Index>(),
        burst in proptest::collection::vec(prop_oneof![Just(b'9'), Just(b'"'), Just(b'['), any::<u8>()], 1..40),
    ) {
        let mut bytes = [VIZTRACER, TRACING_CHROME, KILLED][which].to_vec();
        let at = at.index(bytes.len());
        for (byte, new) in bytes[at..].iter_mut().zip(&burst) {
            *byte = *new;
        }
        survive(&bytes);
    }

    #[test]
    fn any_values_in_any_field_never_panic(
        events in proptest::collection::vec(
            (
                prop_oneof![Just("X"), Just("B"), Just("E"), Just("I"), Just("C"), Just("M")],
                value(), value(), value(), value(), value(),
            ),
            0..20,
        ),
    ) {
        let events: Vec<String> = events
            .iter()
            .map(|(ph, ts, dur, pid, name, args)| {
                format!(r#"{{"ph":"{ph}","ts":{ts},"dur":{dur},"pid":{pid},"tid":{pid},"name":{name},"args":{args}}}"#)
            })
            .collect();
        let trace = format!("[{}]", events.join(","));
        let is_fine = matches!(chrome::read(trace.as_bytes()), Ok(_) | Err(Error::NothingUsable { .. }));
        prop_assert!(is_fine, "{}", trace);
        survive(trace.as_bytes());
    }
}

/// Values of every kind, with those at the edges.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (0_u32..50).prop_map(|number| number.to_string()),
        (0_u32..50_000).prop_map(|number| format!("{}.{:03}", number / 1000, number % 1000)),
        Just("1e18".to_owned()),
        Just("-0.0".to_owned()),
        Just("2305843009213693.951".to_owned()),
        Just("null".to_owned()),
        Just("NaN".to_owned()),
        Just(r#""thread_name""#.to_owned()),
        Just(r#""\u00e9\ud800\n""#.to_owned()),
        Just(r#"{"name":"n","value":3,"sort_index":"x","correlation":1}"#.to_owned()),
        Just(r#"[1,{"a":null}]"#.to_owned()),
    ]
}
