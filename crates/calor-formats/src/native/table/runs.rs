//! The runs. Most parts of a recording know little about their run but its number and how long it is by now,
//! so a mask says which fields follow, and what is empty takes no byte.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{Canary, Profile, Recorder, Run, RunId};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::warn_of_unknown;
use crate::Error;

/// Bytes that a run takes at least.
const RUN_BYTES: usize = 17;

/// The recorders, by their number in a file.
const RECORDERS: [Recorder; 6] =
    [Recorder::Scopes, Recorder::Cpu, Recorder::OffCpu, Recorder::Heap, Recorder::Gpu, Recorder::Counters];

/// The whole numbers of a run, in the order of their bits in the mask. The first two are never missing from
/// a run, so 0 stands for them when they are missing here.
fn numbers(run: &Run) -> [Option<u64>; 9] {
    let known = |value: u64| (value != 0).then_some(value);
    [
        known(run.started_at_unix_nanos),
        known(run.duration_nanos),
        run.cpu_nanos,
        run.host.cores.map(u64::from),
        run.host.memory_bytes,
        run.cost.own_cpu_nanos,
        run.cost.per_scope_picos,
        run.cost.inside_scope_picos,
        run.cost.memory_bytes,
    ]
}

/// The texts of a run, in the order of their bits, which follow those of the numbers.
fn texts(run: &Run) -> [Option<&str>; 7] {
    fn known(text: &str) -> Option<&str> {
        (!text.is_empty()).then_some(text)
    }
    let host = &run.host;
    [
        run.command.as_deref(),
        run.commit.as_deref(),
        known(&host.name),
        known(&host.os),
        known(&host.kernel),
        known(&host.arch),
        known(&host.cpu),
    ]
}

/// The bits after numbers and texts.
const LABELS_BIT: u32 = 16;
const RECORDERS_BIT: u32 = 17;
/// Fields of bits from here on are unknown, and so is their length. What a run has beside these follows in columns
/// behind all runs, which earlier readers step over.
const N_BITS: u32 = 18;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    encoder.count(encoder.profile.runs.len());
    for run in &encoder.profile.runs {
        let known = numbers(run).map(|number| number.is_some()).into_iter();
        let known = known.chain(texts(run).map(|text| text.is_some()));
        let known = known.chain([!run.labels.is_empty(), !run.recorders.is_empty()]);
        let mask = known.enumerate().fold(0, |mask, (bit, is_known)| mask | u64::from(is_known) << bit);
        encoder.bytes(&run.id.0.to_le_bytes());
        encoder.varint(mask);
        encoder.column(numbers(run).into_iter().flatten());
        texts(run).into_iter().flatten().for_each(|text| encoder.text(text));
        if !run.labels.is_empty() {
            encoder.count(run.labels.len());
            for (key, value) in &run.labels {
                encoder.text(key);
                encoder.text(value);
            }
        }
        if !run.recorders.is_empty() {
            encoder.count(run.recorders.len());
            for recorder in &run.recorders {
                encoder.byte(
                    RECORDERS.iter().position(|known| known == recorder).map_or(u8::MAX, |at| at as u8),
                );
            }
        }
    }
    let features = |run: &Run| run.host.cpu_features.iter().cloned().collect::<Vec<_>>().join(" ");
    // Columns are told apart by their order: one that follows makes those before it needed.
    let has_canary = encoder.profile.runs.iter().any(|run| run.canary != Canary::default());
    if has_canary || encoder.profile.runs.iter().any(|run| !run.host.cpu_features.is_empty()) {
        encoder.profile.runs.iter().for_each(|run| encoder.text(&features(run)));
    }
    if has_canary {
        for run in &encoder.profile.runs {
            // 0 stands for a time that is not known: the code takes longer.
            encoder.varint(run.canary.first_nanos.unwrap_or(0));
            encoder.varint(run.canary.last_nanos.unwrap_or(0));
        }
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_runs = decoder.count("runs", RUN_BYTES)?;
    let mut n_unknown = 0;
    let mut runs = decoder.rows(n_runs, |decoder| decode_run(decoder, &mut n_unknown))?;
    if !decoder.is_at_end() {
        for run in &mut runs {
            let features = decoder.text("features of a processor")?;
            run.host.cpu_features = features.split_whitespace().map(str::to_owned).collect();
        }
    }
    if !decoder.is_at_end() {
        for run in &mut runs {
            let known = |nanos: u64| (nanos > 0).then_some(nanos);
            run.canary.first_nanos = known(decoder.varint("time of the canary")?);
            run.canary.last_nanos = known(decoder.varint("time of the canary")?);
        }
    }
    runs.sort_by_key(|run| run.id);
    profile.runs = runs;
    warn_of_unknown(profile, "recorders", n_unknown);
    match profile.runs.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => {
            Err(decoder.refuse("runs", "every run once", format!("run {:032x} again", pair[0].id.0)))
        }
        None => Ok(()),
    }
}

fn decode_run(decoder: &mut Decoder<'_>, n_unknown: &mut u64) -> Result<Run, Error> {
    let mut id = [0; 16];
    id.copy_from_slice(decoder.bytes("run number", 16)?);
    let mask = decoder.varint("fields of a run")?;
    if mask >> N_BITS != 0 {
        return Err(decoder.refuse(
            "fields of a run",
            format!("a mask of {N_BITS} bits"),
            format!("{mask:#x}"),
        ));
    }
    let has = |bit: u32| mask >> bit & 1 == 1;
    let mut numbers = [None; 9];
    for (bit, number) in (0..).zip(&mut numbers) {
        *number = has(bit).then(|| decoder.varint("number of a run")).transpose()?;
    }
    let mut texts = [const { None }; 7];
    for (bit, text) in (9..).zip(&mut texts) {
        *text = has(bit).then(|| decoder.text("text of a run").map(str::to_owned)).transpose()?;
    }
    let labels = if has(LABELS_BIT) { decode_labels(decoder)? } else { BTreeMap::new() };
    let recorders = if has(RECORDERS_BIT) { decode_recorders(decoder, n_unknown)? } else { BTreeSet::new() };

    let mut run = Run { id: RunId(u128::from_le_bytes(id)), labels, recorders, ..Run::default() };
    let [started, duration, cpu, cores, memory, own_cpu, per_scope, inside_scope, own_memory] = numbers;
    run.started_at_unix_nanos = started.unwrap_or(0);
    run.duration_nanos = duration.unwrap_or(0);
    run.cpu_nanos = cpu;
    run.host.cores = match cores.map(u32::try_from) {
        Some(Err(_)) => return Err(decoder.refuse("cores", "an integer of 32 bits", format!("{cores:?}"))),
        Some(Ok(cores)) => Some(cores),
        None => None,
    };
    run.host.memory_bytes = memory;
    run.cost.own_cpu_nanos = own_cpu;
    run.cost.per_scope_picos = per_scope;
    run.cost.inside_scope_picos = inside_scope;
    run.cost.memory_bytes = own_memory;
    let [command, commit, name, os, kernel, arch, cpu] = texts;
    (run.command, run.commit) = (command, commit);
    run.host.name = name.unwrap_or_default();
    run.host.os = os.unwrap_or_default();
    run.host.kernel = kernel.unwrap_or_default();
    run.host.arch = arch.unwrap_or_default();
    run.host.cpu = cpu.unwrap_or_default();
    Ok(run)
}

fn decode_labels(decoder: &mut Decoder<'_>) -> Result<BTreeMap<String, String>, Error> {
    let n_labels = decoder.count("labels of a run", 2)?;
    let mut labels = BTreeMap::new();
    for _ in 0..n_labels {
        let key = decoder.text("label of a run")?;
        let value = decoder.text("label of a run")?;
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(decoder.refuse("labels of a run", "every key once", format!("{key:?} again")));
        }
    }
    Ok(labels)
}

fn decode_recorders(decoder: &mut Decoder<'_>, n_unknown: &mut u64) -> Result<BTreeSet<Recorder>, Error> {
    let n_recorders = decoder.count("recorders", 1)?;
    let numbers = decoder.bytes("recorders", n_recorders)?;
    let known = |number: &u8| RECORDERS.get(usize::from(*number)).copied();
    *n_unknown += numbers.iter().filter(|number| known(number).is_none()).count() as u64;
    Ok(numbers.iter().filter_map(known).collect())
}
