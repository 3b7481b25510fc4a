//! The code of hot functions: one row a function, its bytes and the source of its pieces, and how often each
//! instruction was met.

use calor_model::{CodeKey, CodeLine, FunctionCode, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a function, a piece of its source and a sampled instruction take at least.
const ROW_BYTES: usize = 8;
const LINE_BYTES: usize = 4;
const COUNT_BYTES: usize = 2;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let code = &encoder.profile.code;
    encoder.count(code.len());
    encoder.strings("code function", code.iter().map(|(key, _)| key.name));
    encoder.optional_strings("code module", code.iter().map(|(key, _)| key.module));
    encoder.strings("code build", code.iter().map(|(key, _)| key.build));
    encoder.deltas(code.iter().map(|(key, _)| key.start));
    encoder.column(code.iter().map(|(_, function)| function.size));
    encoder.column(code.iter().map(|(_, function)| function.bytes.len() as u64));
    code.iter().for_each(|(_, function)| encoder.bytes(&function.bytes));

    // Of two accounts of the same piece no reader could tell which holds.
    let lines: Vec<Vec<CodeLine>> = code.iter().map(|(_, function)| ascending(&function.lines)).collect();
    encoder.column(lines.iter().map(|lines| lines.len() as u64));
    for lines in &lines {
        encoder.column(gaps(lines.iter().map(|line| line.offset)));
    }
    encoder.optional_strings("code line function", lines.iter().flatten().map(|line| line.function));
    encoder.optional_strings("code line file", lines.iter().flatten().map(|line| line.file));
    encoder.deltas(lines.iter().flatten().map(|line| line.line.map_or(0, |line| u64::from(line) + 1)));

    encoder.column(code.iter().map(|(_, function)| function.counts.len() as u64));
    for (_, function) in code.iter() {
        encoder.column(gaps(function.counts.keys().copied()));
    }
    encoder.column(code.iter().flat_map(|(_, function)| function.counts.values().copied()));
}

fn ascending(lines: &[CodeLine]) -> Vec<CodeLine> {
    let mut lines = lines.to_vec();
    lines.sort_by_key(|line| line.offset);
    lines.dedup_by_key(|line| line.offset);
    lines
}

/// Ascending offsets as what lies between them.
fn gaps(offsets: impl Iterator<Item = u32>) -> impl Iterator<Item = u64> {
    let mut next = 0;
    offsets.map(move |offset| {
        let gap = u64::from(offset) - next;
        next = u64::from(offset) + 1;
        gap
    })
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("functions with code", ROW_BYTES)?;
    let names = decoder.rows(n_rows, |decoder| decoder.string("code function", profile))?;
    let modules = decoder.rows(n_rows, |decoder| decoder.optional_string("code module", profile))?;
    let builds = decoder.rows(n_rows, |decoder| decoder.string("code build", profile))?;
    let starts = decoder.deltas("code start", n_rows)?;
    let sizes = decoder.column("code size", n_rows)?;
    let lengths = decoder.rows(n_rows, |decoder| decoder.count("code bytes", 1))?;
    let mut functions = Vec::with_capacity(n_rows);
    for (size, n_bytes) in sizes.into_iter().zip(lengths) {
        let bytes = decoder.bytes("code bytes", n_bytes)?.to_vec();
        functions.push(FunctionCode { size, bytes, ..FunctionCode::default() });
    }
    decode_lines(decoder, profile, &mut functions)?;
    decode_counts(decoder, &mut functions)?;
    for (row, function) in functions.into_iter().enumerate() {
        let (name, module, build) = (names[row], modules[row], builds[row]);
        let key = CodeKey { name, module, build, start: starts[row] };
        profile.code.add(key, function, &profile.strings);
        if profile.code.len() != row + 1 {
            return Err(decoder.refuse(
                "functions with code",
                "every function once",
                format!("row {row} again"),
            ));
        }
    }
    Ok(())
}

fn decode_lines(
    decoder: &mut Decoder<'_>,
    profile: &Profile,
    functions: &mut [FunctionCode],
) -> Result<(), Error> {
    let lengths = decoder.rows(functions.len(), |decoder| decoder.count("code lines", LINE_BYTES))?;
    for (function, n_lines) in functions.iter_mut().zip(lengths) {
        let line = |offset| CodeLine { offset, function: None, file: None, line: None };
        function.lines = offsets(decoder, "code line offset", n_lines)?.into_iter().map(line).collect();
    }
    for line in lines_of(functions) {
        line.function = decoder.optional_string("code line function", profile)?;
    }
    for line in lines_of(functions) {
        line.file = decoder.optional_string("code line file", profile)?;
    }
    let mut last = 0_u64;
    for line in lines_of(functions) {
        last = last.wrapping_add_signed(decoder.signed("code line")?);
        line.line = match last.checked_sub(1).map(u32::try_from) {
            None => None,
            Some(Ok(number)) => Some(number),
            Some(Err(_)) => return Err(decoder.refuse("code line", "a line of 32 bits", last.to_string())),
        };
    }
    Ok(())
}

fn lines_of(functions: &mut [FunctionCode]) -> impl Iterator<Item = &mut CodeLine> {
    functions.iter_mut().flat_map(|function| &mut function.lines)
}

fn decode_counts(decoder: &mut Decoder<'_>, functions: &mut [FunctionCode]) -> Result<(), Error> {
    let lengths =
        decoder.rows(functions.len(), |decoder| decoder.count("sampled instructions", COUNT_BYTES))?;
    let mut sampled = Vec::with_capacity(functions.len());
    for n_counts in lengths {
        sampled.push(offsets(decoder, "offset of a sampled instruction", n_counts)?);
    }
    for (function, offsets) in functions.iter_mut().zip(sampled) {
        for offset in offsets {
            function.counts.insert(offset, decoder.varint("samples of an instruction")?);
        }
    }
    Ok(())
}

fn offsets(decoder: &mut Decoder<'_>, what: &'static str, n_rows: usize) -> Result<Vec<u32>, Error> {
    let mut next = 0_u64;
    decoder.rows(n_rows, |decoder| {
        let offset = next.saturating_add(decoder.varint(what)?);
        next = offset.saturating_add(1);
        u32::try_from(offset).map_err(|_| decoder.refuse(what, "an offset of 32 bits", offset.to_string()))
    })
}
