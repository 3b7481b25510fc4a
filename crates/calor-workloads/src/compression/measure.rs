//! One case: data, an algorithm at a level, a size of blocks. Compressed, decompressed, compared byte for byte, and only then
//! timed. All in memory, with one context for all blocks, as `zstd -b` and `lz4 -b` do it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use calor::{CallWork, Scope, Site};

use super::allocated;
use super::codec::{Compressor, Decompressor, Gauge};
use super::{Block, Setting, Source};
use crate::Error;
use crate::clock::thread_nanos;
use crate::repeat::{Clock, Plan, Times, site};

/// Passes over small data are taken together until a repetition is so long: below, the clock is part of the result.
const LEAST_REPETITION: Duration = Duration::from_millis(1);
/// Where a pass takes longer, fewer of them have to do.
const LONG_PASS: Duration = Duration::from_millis(150);
const LEAST_LONG: u32 = 3;

/// What was measured of a case.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The algorithm and its level.
    pub setting: Setting,
    /// The blocks.
    pub block: Block,
    /// Bytes of data.
    pub bytes_in: usize,
    /// Bytes that it became.
    pub bytes_out: usize,
    /// What compressing and decompressing took.
    pub compress: Pace,
    /// The same of decompressing.
    pub decompress: Pace,
    /// The most memory of the compressor, without input and output; `None` where nobody tells.
    pub compress_memory: Option<u64>,
    /// The same of the decompressor.
    pub decompress_memory: Option<u64>,
    /// Whether all came back as it was.
    pub is_verified: bool,
}

/// Repetitions of some passes over the data.
#[derive(Clone, Debug)]
pub struct Pace {
    /// What each took.
    pub times: Times,
    /// Passes in each.
    pub passes: u32,
}

impl Pace {
    /// CPU time for each byte of data in each repetition, in nanoseconds.
    #[must_use]
    pub fn nanos_per_byte(&self, bytes: usize) -> Vec<f64> {
        let bytes = bytes as f64 * f64::from(self.passes);
        self.times.cpu_ns.iter().map(|nanos| (*nanos).max(1) as f64 / bytes).collect()
    }
}

impl Measured {
    /// How many times smaller it became.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.bytes_in as f64 / self.bytes_out.max(1) as f64
    }
}

/// Measures a case.
///
/// # Errors
///
/// The library failed. What does not come back as it was is no error, but told in the result.
pub fn measure(setting: Setting, source: &Source, block: Block, plan: &Plan) -> Result<Measured, Error> {
    let data = &source.data[..];
    let size = block.bytes(data.len()).min(data.len());
    let mut compressor = setting.compressor()?;
    let mut decompressor = setting.decompressor()?;
    let mut packed = Packed::room(data.len(), size, &*compressor);
    packed.fill(&mut *compressor, data, size)?;
    // Not zeros, which could pass for the data.
    let mut back: Vec<u8> = data.iter().map(|byte| !byte).collect();
    packed.unpack(&mut *decompressor, &mut back, size)?;
    let is_equal = back == data;
    let bytes_out = packed.bytes();

    let labels = labels(setting, source, block);
    let labels: Vec<(&'static str, &str)> =
        labels.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let case = |verb: &str| format!("{verb} {setting}, {}, {block}", source.name);
    let touched = (data.len() + bytes_out) as u64;

    let name = case("compress");
    let compress = paced(
        plan,
        |passes| {
            let work = CallWork { bytes: touched * u64::from(passes), ..CallWork::default() };
            (site("compression", &name, &labels, Some(work)), data.len() as u64, bytes_out as u64)
        },
        || packed.fill(&mut *compressor, data, size),
    )?;
    let name = case("decompress");
    let decompress = paced(
        plan,
        |passes| {
            let work = CallWork { bytes: touched * u64::from(passes), ..CallWork::default() };
            (site("compression", &name, &labels, Some(work)), 0, 0)
        },
        || packed.unpack(&mut *decompressor, &mut back, size),
    )?;

    Ok(Measured {
        setting,
        block,
        bytes_in: data.len(),
        bytes_out,
        compress,
        decompress,
        compress_memory: compressor_memory(setting, &*compressor, data, size)?,
        decompress_memory: decompressor_memory(setting, &*decompressor, &packed, size)?,
        is_verified: is_equal && back == data,
    })
}

/// What tells the scopes of cases apart; the rule about levels compares those of the same data.
fn labels(setting: Setting, source: &Source, block: Block) -> Vec<(&'static str, String)> {
    let mut labels = vec![("codec", setting.algorithm.name().to_owned())];
    labels.extend(setting.level.map(|level| ("level", level.to_string())));
    labels.push(("data", format!("{}, {block}", source.name)));
    labels
}

/// Repeats passes by plan, each repetition a call of the scope. Only scopes with bytes in and out count them.
fn paced(
    plan: &Plan,
    scope: impl FnOnce(u32) -> (&'static Site, u64, u64),
    mut pass: impl FnMut() -> Result<(), Error>,
) -> Result<Pace, Error> {
    let begin = Instant::now();
    pass()?;
    let once = begin.elapsed().max(Duration::from_nanos(20));
    let passes = LEAST_REPETITION.as_nanos().div_ceil(once.as_nanos()).clamp(1, 50_000) as u32;
    let least = if once > LONG_PASS { plan.least.min(LEAST_LONG) } else { plan.least };
    let (site, bytes_in, bytes_out) = scope(passes);
    let mut times = Times::default();
    let begin = Instant::now();
    for done in 0..plan.most {
        if done >= least && begin.elapsed() >= plan.time {
            break;
        }
        let (wall, cpu) = (Instant::now(), thread_nanos());
        let scope = Scope::enter(site);
        for _ in 0..passes {
            black_box(pass()?);
        }
        if bytes_in > 0 {
            let n = u64::from(passes);
            scope.add("bytes_in", bytes_in * n).add("bytes_out", bytes_out * n);
        }
        let cpu = thread_nanos().saturating_sub(cpu);
        Clock::Cpu.tell(&scope, cpu);
        drop(scope);
        times.push(wall.elapsed(), cpu);
    }
    Ok(Pace { times, passes })
}

/// Compressed blocks, each in room for the worst case.
struct Packed {
    room: Vec<u8>,
    /// Room of a block.
    stride: usize,
    lengths: Vec<usize>,
}

impl Packed {
    fn room(length: usize, size: usize, compressor: &dyn Compressor) -> Self {
        let (stride, n_blocks) = (compressor.bound(size), length.div_ceil(size));
        // Touched now: the first pass would pay for it otherwise.
        Self { room: vec![1; stride * n_blocks], stride, lengths: vec![0; n_blocks] }
    }

    fn fill(&mut self, compressor: &mut dyn Compressor, data: &[u8], size: usize) -> Result<(), Error> {
        let rooms = self.room.chunks_mut(self.stride).zip(&mut self.lengths);
        for (block, (room, length)) in data.chunks(size).zip(rooms) {
            *length = compressor.compress(block, room)?;
        }
        Ok(())
    }

    fn unpack(&self, decompressor: &mut dyn Decompressor, back: &mut [u8], size: usize) -> Result<(), Error> {
        for (block, room) in self.blocks().zip(back.chunks_mut(size)) {
            let expected = room.len();
            let length = decompressor.decompress(block, room)?;
            if length != expected {
                // Told as not verified: what is not written stays as it was.
                room[length.min(expected)..].fill(0);
            }
        }
        Ok(())
    }

    fn blocks(&self) -> impl Iterator<Item = &[u8]> {
        self.room.chunks(self.stride).zip(&self.lengths).map(|(room, length)| &room[..*length])
    }

    fn bytes(&self) -> usize {
        self.lengths.iter().sum()
    }
}

fn compressor_memory(
    setting: Setting,
    used: &dyn Compressor,
    data: &[u8],
    size: usize,
) -> Result<Option<u64>, Error> {
    if let Gauge::Told(bytes) = used.memory() {
        return Ok(Some(bytes));
    }
    let mut room = vec![0; used.bound(size)];
    let mut failure = None;
    let grown = allocated::growth(|| match setting.compressor() {
        Ok(mut fresh) => {
            failure = fresh.compress(&data[..size], &mut room).err();
            Some(fresh)
        }
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    failure.map_or(Ok(grown), Err)
}

fn decompressor_memory(
    setting: Setting,
    used: &dyn Decompressor,
    packed: &Packed,
    size: usize,
) -> Result<Option<u64>, Error> {
    if let Gauge::Told(bytes) = used.memory() {
        return Ok(Some(bytes));
    }
    let Some(block) = packed.blocks().next() else { return Ok(None) };
    let mut room = vec![0; size];
    let mut failure = None;
    let grown = allocated::growth(|| match setting.decompressor() {
        Ok(mut fresh) => {
            failure = fresh.decompress(block, &mut room).err();
            Some(fresh)
        }
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    failure.map_or(Ok(grown), Err)
}
