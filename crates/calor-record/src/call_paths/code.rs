//! The code of the hottest functions, for whoever wants to know which of their instructions took the time. Samples are
//! counted by instruction through the whole recording, and the code is read once, at its end, from files that are open
//! anyway; so it is in the last part of a recording alone and costs nothing before.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use calor_model::{CodeKey, CodeLine, FunctionCode, Profile, SampleKind, Warning};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::images::{ImageId, Images};
use super::naming::{short_name, unnamed};
use super::spaces::Location;
use super::tally::{Step, Tally};
use calor_symbols::image::Image;
use calor_symbols::unwind::FunctionStarts;
use calor_symbols::{Symbol, Symbolizer};

/// Instructions that are told apart; more are met only by programs whose time is spread over everything they have.
const MOST_INSTRUCTIONS: usize = 1 << 18;
/// The part of all samples from which on a function's code is kept, and how many there have to be.
const LEAST_SHARE: f64 = 0.005;
const LEAST_SAMPLES: u64 = 2;
/// FunctionStarts, and bytes of code of one and of all. Code compresses badly, and a profile is to stay small.
const MOST_FUNCTIONS: usize = 128;
const MOST_BYTES: usize = 64 << 10;
const MOST_BYTES_IN_ALL: usize = 256 << 10;
/// The part of all samples from which on it is told that a function's code is not there.
const WORTH_A_WORD: f64 = 0.01;
/// Of larger functions only the source of sampled instructions is kept, with that of what is near them.
const LARGE_BYTES: u64 = 4 << 10;
const NEAR_BYTES: u64 = 64;

/// Where running threads were found, by instruction.
#[derive(Debug, Default)]
pub(crate) struct Instructions {
    counts: HashMap<(ImageId, u64), u64, RandomState>,
    /// All samples of running threads, wherever they were.
    n_samples: u64,
}

impl Instructions {
    /// Adds what was found since the last time.
    pub(crate) fn add(&mut self, tally: &Tally) {
        for (key, weight) in tally.weights().filter(|(key, _)| key.kind == SampleKind::Cpu) {
            self.add_samples(tally, key.node, weight.count);
        }
    }

    /// Adds samples of one path.
    pub(crate) fn add_samples(&mut self, tally: &Tally, node: u32, count: u64) {
        self.n_samples += count;
        let Some(Step::User(Location { image: Some(image), address })) = tally.innermost(node) else {
            return;
        };
        let is_full = self.counts.len() >= MOST_INSTRUCTIONS;
        if !is_full || self.counts.contains_key(&(image, address)) {
            *self.counts.entry((image, address)).or_default() += count;
        }
    }

    /// Puts the code of the hottest functions into the profile.
    pub(crate) fn write(&self, images: &Images, symbolizer: &mut Symbolizer, profile: &mut Profile) {
        let mut functions = self.functions(images, symbolizer);
        functions.sort_by_key(|function| (std::cmp::Reverse(function.n_samples), function.range.start));
        let least = LEAST_SAMPLES.max((LEAST_SHARE * self.n_samples as f64) as u64);
        let (mut n_bytes, mut n_kept, mut n_left_out) = (0, 0, 0);
        for function in functions.iter().filter(|function| function.n_samples >= least) {
            let bytes = function.bytes();
            if n_kept == MOST_FUNCTIONS || n_bytes + bytes.len() > MOST_BYTES_IN_ALL {
                let is_hot = function.n_samples as f64 >= WORTH_A_WORD * self.n_samples as f64;
                n_left_out += u64::from(is_hot);
                continue;
            }
            (n_bytes, n_kept) = (n_bytes + bytes.len(), n_kept + 1);
            function.write(bytes, symbolizer, profile);
        }
        if n_left_out > 0 {
            profile.warn(Warning::counted("code_left_out", LEFT_OUT, n_left_out));
        }
    }

    /// The functions that the instructions are of, as far as it is known where they begin and end.
    fn functions<'i>(&self, images: &'i Images, symbolizer: &mut Symbolizer) -> Vec<Function<'i>> {
        let mut by_image: HashMap<ImageId, Vec<(u64, u64)>, RandomState> = HashMap::default();
        for ((image, address), count) in &self.counts {
            by_image.entry(*image).or_default().push((*address, *count));
        }
        let mut functions = Vec::new();
        for (image, mut counts) in by_image {
            let opened = images.opened(image);
            let Some(image) = opened.image.as_ref().filter(|image| image.is_x86_64()) else { continue };
            counts.sort_unstable();
            let mut ranges = FunctionStarts::new(image);
            let mut open: Option<Function<'i>> = None;
            for (address, count) in counts {
                if open.as_ref().is_none_or(|function| !function.range.contains(&address)) {
                    functions.extend(open.take());
                    let range = ranges.range_of(address).or_else(|| symbolizer.range_of(image, address));
                    open = range.map(|range| Function::new(short_name(&opened.name), image, range));
                }
                if let Some(function) = &mut open {
                    function.n_samples += count;
                    function.counts.insert(address, count);
                }
            }
            functions.extend(open);
        }
        functions
    }
}

/// A function with samples.
struct Function<'i> {
    module: &'i str,
    image: &'i Arc<Image>,
    range: Range<u64>,
    n_samples: u64,
    counts: BTreeMap<u64, u64>,
}

impl<'i> Function<'i> {
    fn new(module: &'i str, image: &'i Arc<Image>, range: Range<u64>) -> Self {
        Self { module, image, range, n_samples: 0, counts: BTreeMap::new() }
    }

    /// Its code, or as much of it as is kept.
    fn bytes(&self) -> &'i [u8] {
        let size = usize::try_from(self.range.end - self.range.start).unwrap_or(usize::MAX);
        let bytes = self.image.loaded_from(self.range.start).unwrap_or_default();
        &bytes[..bytes.len().min(size).min(MOST_BYTES)]
    }

    fn write(&self, bytes: &[u8], symbolizer: &mut Symbolizer, profile: &mut Profile) {
        let Range { start, end } = self.range;
        let hottest =
            self.counts.iter().max_by_key(|(_, count)| **count).map_or(start, |(address, _)| *address);
        let name = symbolizer.resolve(self.image, &[hottest]).pop().unwrap_or_default().into_iter().next();
        let name = name.map_or_else(|| unnamed(self.module, start), |symbol| symbol.name.to_string());
        let key = CodeKey {
            name: profile.strings.intern(&name),
            module: Some(profile.strings.intern(self.module)),
            build: profile.strings.intern(&self.build(bytes)),
            start,
        };
        let offset = |address: u64| u32::try_from(address - start).unwrap_or(u32::MAX);
        let code = FunctionCode {
            size: end - start,
            bytes: bytes.to_vec(),
            lines: self.lines(symbolizer, profile),
            counts: self.counts.iter().map(|(address, count)| (offset(*address), *count)).collect(),
        };
        profile.code.add(key, code, &profile.strings);
    }

    /// What tells this build of the function from others.
    fn build(&self, bytes: &[u8]) -> String {
        match self.image.build_id() {
            Some(id) => id.iter().map(|byte| format!("{byte:02x}")).collect(),
            None => format!("code-{:08x}", crc32fast::hash(bytes)),
        }
    }

    fn lines(&self, symbolizer: &mut Symbolizer, profile: &mut Profile) -> Vec<CodeLine> {
        let Range { start, end } = self.range;
        let is_large = end - start > LARGE_BYTES;
        let is_near = |piece: &Range<u64>| {
            let near = piece.start.saturating_sub(NEAR_BYTES)..piece.end.saturating_add(NEAR_BYTES);
            !is_large || self.counts.range(near).next().is_some()
        };
        let mut lines: Vec<CodeLine> = Vec::new();
        let mut reached = start;
        let mut push = |address: u64, source: Option<Symbol>| {
            let (Ok(offset), strings) = (u32::try_from(address - start), &mut profile.strings) else {
                return;
            };
            let line = CodeLine {
                offset,
                function: source.as_ref().map(|symbol| strings.intern(&symbol.name)),
                file: source
                    .as_ref()
                    .and_then(|symbol| symbol.file.as_deref())
                    .map(|file| strings.intern(file)),
                line: source.as_ref().and_then(|symbol| symbol.line),
            };
            let is_known = lines.last().is_some_and(|last| CodeLine { offset: last.offset, ..line } == *last);
            let is_nothing = lines.is_empty() && line.function.is_none();
            if !is_known && !is_nothing {
                lines.push(line);
            }
        };
        for (piece, symbol) in symbolizer.pieces(self.image, self.range.clone()) {
            if is_near(&piece) {
                if piece.start > reached {
                    push(reached, None);
                }
                push(piece.start, Some(symbol));
                reached = piece.end;
            }
        }
        if reached < end {
            push(reached, None);
        }
        lines
    }
}

const LEFT_OUT: &str = "functions with more than 1 % of the samples have no code in the profile, because there is too \
                        much of it; `calor annotate` shows the hottest ones";

#[cfg(test)]
mod tests {
    use calor_model::SampleWeight;
    use object::{Object, ObjectSymbol, SymbolKind};

    use super::*;
    use crate::call_paths::tally::TallyKey;
    use calor_symbols::SymbolOptions;
    use calor_symbols::unwind::Unwinder;

    #[test]
    fn functions_with_enough_samples_are_kept_with_their_code_and_counts() {
        let path = std::env::current_exe().expect("a test has a file");
        let (mut images, mut unwinder, mut tally) = (Images::default(), Unwinder::new(), Tally::default());
        let key = ("/bin/test".to_owned(), (0, 0), 0);
        let id = images.get_or_open(key, &mut unwinder, || {
            Image::open("/bin/test", &path).map(Some).map_err(|error| error.to_string())
        });
        let image = images.opened(id).image.as_ref().expect("it was opened");
        let file = object::File::parse(image.bytes()).expect("it is an ELF file");
        let is_own = |name: &str| name.contains("calor_record");
        let mut functions = file.symbols().filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.size() > 64 && symbol.name().is_ok_and(is_own)
        });
        let (hot, cold) =
            (functions.next().expect("there are many"), functions.last().expect("there are many"));
        let mut add = |address, kind, count| {
            let step = Step::User(Location { image: Some(id), address });
            let node = tally.path([Step::InKernel, step]).expect("there are steps");
            let key = TallyKey { node, pid: 1, tid: 1, kind, lock: None };
            tally.add(key, SampleWeight { count, nanos: count });
        };
        add(hot.address(), SampleKind::Cpu, 5);
        add(hot.address() + hot.size() - 1, SampleKind::Cpu, 2);
        add(hot.address() + 1, SampleKind::OffCpu, 9);
        add(cold.address(), SampleKind::Cpu, 1);

        let options = SymbolOptions { cache: None, ..SymbolOptions::default() };
        let (mut symbolizer, mut profile) = (Symbolizer::new(options), Profile::default());
        let mut instructions = Instructions::default();
        instructions.add(&tally);
        symbolizer.resolve(image, &[hot.address(), cold.address()]);
        instructions.write(&images, &mut symbolizer, &mut profile);

        let rows: Vec<_> = profile.code.iter().collect();
        let [(key, code)] = rows[..] else { panic!("one function has enough samples: {rows:?}") };
        assert_eq!((key.start, code.size), (hot.address(), hot.size()));
        let last = u32::try_from(hot.size() - 1).expect("it is small");
        assert_eq!(code.counts, [(0, 5), (last, 2)].into());
        let bytes = image.loaded_from(hot.address()).expect("it is loaded");
        assert_eq!(code.bytes, bytes[..code.bytes.len()]);
        assert!(!code.bytes.is_empty() && code.line_at(0).is_some_and(|line| line.function.is_some()));
        assert_eq!(key.module.map(|module| profile.strings.get(module)), Some("test"));
    }
}
