//! Which site of the recorder an operation belongs to, made when it is new to a thread.
//!
//! Sites are kept for good and have figures of 5 KiB on each thread, so there are limits. A line tells the first few shapes of
//! an operation apart; after that shapes are told apart by powers of two, and then not at all. Beyond a total, all lines of an
//! operation share one row. What is told less finely is counted.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use calor::{CallWork, Site};

use super::dtype;
use super::kind::{Kind, kind};
use super::lines::Line;
use super::operands::{Operand, Operands};
use super::work::{Work, result, work};

/// Shapes of one operation at one line that are told apart exactly, and then by powers of two.
const EXACT_SHAPES: usize = 8;
const ROUGH_SHAPES: usize = 8;
/// Sites in all; further lines share a row of their operation.
const MAX_SITES: usize = 2_048;
/// Operands whose shapes and types are written out.
const MOST_OPERANDS: usize = 8;
/// Longer names are cut.
const MOST_OF_NAME: usize = 120;
/// What the autograd engine calls a step of the way back, before the name of what goes back.
const ENGINE_STEP: &str = "autograd::engine::evaluate_function: ";

/// What a thread remembers of calls of one operation with operands of one shape.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// `None` for what is not recorded.
    pub(super) site: Option<&'static Site>,
    /// What this call does, where not all calls at the site do the same.
    pub(super) work: Option<Work>,
    /// Whether what it does is known, by itself or by the one around it.
    pub(super) has_work: bool,
}

impl Row {
    pub(super) const NONE: Self = Self { site: None, work: None, has_work: false };
}

/// What is told of a call, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) work: Work,
    pub(crate) backend: &'static str,
}

/// What a line told of operands, exactly and about: since the last clear, and ever, which is what it has sites for.
#[derive(Default)]
struct Met {
    exactly: HashSet<String>,
    roughly: HashSet<String>,
    ever_exactly: HashSet<String>,
    ever_roughly: HashSet<String>,
}

/// Name, file, line and labels.
type Place = (String, String, u32, Vec<(&'static str, String)>);

#[derive(Default)]
struct Rows {
    /// Sites by name, place and labels.
    sites: HashMap<Place, &'static Site>,
    /// What is told of operands, by operation and line.
    operands: HashMap<(String, String, u32), Met>,
    n_several_shapes: u64,
    n_several_lines: u64,
}

static ROWS: Mutex<Option<Rows>> = Mutex::new(None);
/// Whether any operation was on a device that works beside the host.
static HAS_GPU: AtomicBool = AtomicBool::new(false);

/// Whether operations ran on a GPU, or another device that works beside the host.
pub(super) fn has_gpu() -> bool {
    HAS_GPU.load(Relaxed)
}

/// Forgets which shapes lines have met, so that a recording that begins anew tells of itself alone. Sites stay, and so do the
/// lines that have some: without room for others they would have none any more.
pub(super) fn forget() {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(rows) = rows.as_mut() {
        for met in rows.operands.values_mut() {
            met.exactly.clear();
            met.roughly.clear();
        }
        (rows.n_several_shapes, rows.n_several_lines) = (0, 0);
    }
    HAS_GPU.store(false, Relaxed);
}

/// How many rows stand for several shapes of a line, and how many calls were new to a row for several lines.
pub(super) fn coarse_rows() -> (u64, u64) {
    let rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    rows.as_ref().map_or((0, 0), |rows| (rows.n_several_shapes, rows.n_several_lines))
}

/// The row of an operation, called by a line if one is known. `operands` are `None` where they are not looked at.
pub(super) fn operation(
    name: &str,
    (is_outermost, is_inside_work): (bool, bool),
    line: Option<Line>,
    operands: Option<&Operands>,
) -> Row {
    if !is_outermost && is_trifle(name) {
        return Row::NONE;
    }
    let Told { name, mut labels, work, backend } = told(name, operands);
    let has_work = work != Work::default();
    if is_inside_work {
        // What the one around it told is this very work. It is a row of its own, since elsewhere it may not be.
        labels.push(("work", "outer".to_owned()));
    }
    let work = if is_inside_work { Work::default() } else { work };
    if backend != "cpu" && backend != "blas" && backend != "meta" {
        HAS_GPU.store(true, Relaxed);
    }
    let line = line.unwrap_or_default();
    let grain = grain(&name, &labels, &line, operands);
    if grain != Grain::Exact {
        labels.retain(|(key, _)| {
            matches!(*key, "op" | "work") || (grain == Grain::Rough && *key != "contiguous")
        });
        labels.push(("shapes", if grain == Grain::Rough { "rounded" } else { "various" }.to_owned()));
    }
    if let (Grain::Rough, Some(operands)) = (grain, operands) {
        let rounded = listed(operands, |tensor| shape(&rounded(&tensor.sizes)));
        labels
            .iter_mut()
            .filter(|(key, _)| *key == "shape")
            .for_each(|(_, shape)| shape.clone_from(&rounded));
    }
    let has_line = grain != Grain::Operation;
    if has_line && !line.function.is_empty() {
        labels.push(("caller", line.function));
    }
    let labels: Vec<(&'static str, &str)> = labels.iter().map(|(key, value)| (*key, &value[..])).collect();
    let (file, line) = if has_line { (&line.file[..], line.line) } else { ("", 0) };
    let site = site(&name, file, line, &labels);
    let each = if grain == Grain::Exact { work } else { Work::default() };
    let backend = operands.map(|_| backend);
    site.set_call_work(CallWork { elements: each.elements, bytes: each.bytes, flops: each.flops, backend });
    let work = (grain != Grain::Exact && work != Work::default()).then_some(work);
    Row { site: Some(site), work, has_work }
}

/// Whether an operation inside another moves nothing and computes nothing: it is a part of the one around it.
fn is_trifle(name: &str) -> bool {
    let name = name.strip_prefix("aten::").unwrap_or(name);
    kind(name) == Kind::View || ["to", "result_type"].contains(&name)
}

/// The row of a step back: what goes back (`AddmmBackward0`), or the engine around it on a thread of its own.
pub(super) fn backward(name: &str, line: Option<Line>) -> Row {
    let name = name.strip_prefix("torch::autograd::").unwrap_or(name);
    let line = line.unwrap_or_default();
    Row { site: Some(site(name, &line.file, line.line, &[("phase", "backward")])), ..Row::NONE }
}

/// The row of the engine's own ranges. Where `backward()` was called there is a scope of that name around them already; on the
/// engine's threads there is none, so this is it.
pub(super) fn engine(is_on_calling_thread: bool) -> Row {
    let made = || site("backward", "", 0, &[("phase", "backward")]);
    Row { site: (!is_on_calling_thread).then(made), ..Row::NONE }
}

/// Whether a range is the engine's own.
pub(super) fn is_engine(name: &str) -> bool {
    name.starts_with(ENGINE_STEP)
}

/// The row of a range that a program or PyTorch itself has marked: `record_function("x")`, steps of optimizers, batches of
/// loaders.
pub(super) fn marked(name: &str) -> Row {
    let made = |name: &str, labels: &[(&'static str, &str)]| site(name, "", 0, labels);
    let site = if let Some(loader) = name.strip_prefix("enumerate(DataLoader)#") {
        let name = if loader.is_empty() { "DataLoader" } else { loader };
        made(name, &[("role", "input")])
    } else if let Some(step) =
        name.strip_prefix("Optimizer.step#").or(name.strip_prefix("Optimizer.zero_grad#"))
    {
        made(step, &[("phase", "optimizer")])
    } else {
        made(name, &[])
    };
    Row { site: Some(site), ..Row::NONE }
}

/// The site of a name and a place, made if need be. Beyond the limit, which only names that programs make up come to, one
/// stands for all.
fn site(name: &str, file: &str, line: u32, labels: &[(&'static str, &str)]) -> &'static Site {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = rows.get_or_insert_default();
    let owned = labels.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
    let place = (cut(name).to_owned(), file.to_owned(), line, owned);
    if let Some(site) = rows.sites.get(&place) {
        return site;
    }
    if rows.sites.len() >= 2 * MAX_SITES {
        rows.n_several_lines += 1;
        return Site::named("(other ranges of PyTorch)");
    }
    let site = Site::made(&place.0, "torch", file, line, labels);
    rows.sites.insert(place, site);
    site
}

/// What is told of a call: its name as people write it, what it worked on, and how much that was.
pub(crate) fn told(name: &str, operands: Option<&Operands>) -> Told {
    let name = name.strip_prefix("aten::").unwrap_or(name);
    let base =
        name.strip_suffix('_').filter(|base| !base.is_empty() && !name.ends_with("__")).unwrap_or(name);
    let kind = kind(base);
    let mut labels = vec![("op", "torch".to_owned())];
    let mut told = (Work::default(), "cpu");
    if let Some(operands) = operands.filter(|operands| !operands.tensors.is_empty()) {
        let tensors = &operands.tensors[..];
        labels.push(("shape", listed(operands, |tensor| shape(&tensor.sizes))));
        let mut dtypes = listed(operands, |tensor| dtype::name(tensor.dtype).unwrap_or("unknown").to_owned());
        let is_in_place = base.len() < name.len();
        if let Some(result) = result(kind, is_in_place, tensors).and_then(dtype::name) {
            let _ = write!(dtypes, "->{result}");
        }
        labels.push(("dtype", dtypes));
        labels.push(("device", device(tensors)));
        if is_in_place {
            labels.push(("out", "given".to_owned()));
        }
        labels.push(("contiguous", tensors.iter().all(is_contiguous).to_string()));
        // What runs elsewhere is only begun in the time that is measured here, so there is no rate to tell.
        let is_here = tensors.iter().all(|tensor| tensor.device.0 == 0);
        let work = if is_here { work(base, kind, is_in_place, operands) } else { Work::default() };
        told = (work, backend(kind, tensors));
    }
    Told { name: cut(name).to_owned(), labels, work: told.0, backend: told.1 }
}

/// How finely a row tells calls apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    /// One shape.
    Exact,
    /// Shapes of about one size.
    Rough,
    /// All shapes at a line.
    Line,
    /// All lines of an operation.
    Operation,
}

fn grain(name: &str, labels: &[(&str, String)], line: &Line, operands: Option<&Operands>) -> Grain {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = rows.get_or_insert_default();
    let has_room = rows.sites.len() < MAX_SITES;
    let key = (name.to_owned(), line.file.clone(), line.line);
    if !has_room && !rows.operands.contains_key(&key) {
        rows.n_several_lines += 1;
        return Grain::Operation;
    }
    let met = rows.operands.entry(key).or_default();
    let Some(operands) = operands else { return Grain::Exact };
    let whole: String = labels.iter().map(|(_, value)| &value[..]).collect::<Vec<_>>().join(" ");
    let about = || listed(operands, |tensor| shape(&rounded(&tensor.sizes)));
    let (grain, is_new) = met.grain(whole, about, has_room);
    rows.n_several_shapes += u64::from(is_new && grain != Grain::Exact);
    grain
}

impl Met {
    /// How finely a call is told, and whether that row is new since the last clear. Without room for further sites, those that the
    /// line had before the last clear are used again.
    fn grain(&mut self, exactly: String, about: impl FnOnce() -> String, has_room: bool) -> (Grain, bool) {
        if self.exactly.contains(&exactly) {
            return (Grain::Exact, false);
        }
        if if has_room { self.exactly.len() < EXACT_SHAPES } else { self.ever_exactly.contains(&exactly) } {
            self.ever_exactly.insert(exactly.clone());
            self.exactly.insert(exactly);
            return (Grain::Exact, true);
        }
        let about = about();
        if self.roughly.contains(&about) {
            return (Grain::Rough, false);
        }
        if if has_room { self.roughly.len() < ROUGH_SHAPES } else { self.ever_roughly.contains(&about) } {
            self.ever_roughly.insert(about.clone());
            self.roughly.insert(about);
            return (Grain::Rough, true);
        }
        // One without a name stands for all that are not told apart.
        (Grain::Line, self.roughly.insert(String::new()))
    }
}

/// One word for each operand; those of long lists only as far as that is told.
fn listed(operands: &Operands, word: impl Fn(&Operand) -> String) -> String {
    let tensors = &operands.tensors;
    let mut words: Vec<String> = tensors.iter().take(MOST_OPERANDS).map(word).collect();
    let n_more = tensors.len().saturating_sub(MOST_OPERANDS) + operands.n_left_out;
    // Lists of equal operands are short.
    words.dedup_by(|later, earlier| n_more > 0 && later == earlier);
    words.join(",")
}

/// Sizes as they are written: `512x64`; a number without axes is `scalar`.
fn shape(sizes: &[i64]) -> String {
    if sizes.is_empty() {
        return "scalar".to_owned();
    }
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

fn rounded(sizes: &[i64]) -> Vec<i64> {
    let round =
        |size: &i64| i64::try_from(size.max(&0).cast_unsigned().next_power_of_two()).unwrap_or(i64::MAX);
    sizes.iter().map(round).collect()
}

fn is_contiguous(tensor: &Operand) -> bool {
    let mut expected = 1_i64;
    tensor.sizes.iter().zip(&tensor.strides).rev().all(|(&size, &stride)| {
        let is = stride == expected || size == 1;
        expected = expected.wrapping_mul(size);
        is
    })
}

/// Kinds of devices by the numbers that PyTorch gives them.
const DEVICES: [(u8, &str); 8] =
    [(0, "cpu"), (1, "cuda"), (6, "hip"), (9, "xla"), (12, "xpu"), (13, "mps"), (14, "meta"), (18, "hpu")];

/// The device that the operation runs on: that of the first operand which is not on the CPU, since numbers may be there.
fn device(tensors: &[Operand]) -> String {
    let on = tensors.iter().map(|tensor| tensor.device).find(|(kind, _)| *kind != 0);
    let (kind, number) = on.unwrap_or((0, -1));
    let name = DEVICES.iter().find(|(known, _)| *known == kind).map_or("other", |(_, name)| name);
    if number >= 0 && kind != 0 { format!("{name}:{number}") } else { name.to_owned() }
}

fn backend(kind: Kind, tensors: &[Operand]) -> &'static str {
    let on = tensors.iter().map(|tensor| tensor.device.0).find(|kind| *kind != 0).unwrap_or(0);
    let is_product = matches!(kind, Kind::Product(_));
    match DEVICES.iter().find(|(known, _)| *known == on) {
        Some((0, _)) if is_product && tensors.iter().all(|tensor| dtype::is_floating(tensor.dtype)) => "blas",
        Some((_, name)) => name,
        None => "other",
    }
}

fn cut(name: &str) -> &str {
    let end = name.char_indices().map(|(at, _)| at).nth(MOST_OF_NAME).unwrap_or(name.len());
    &name[..end]
}
