//! Pages about the heap alone: one question and its answer, or all of them in short.

use std::io::Write;

use calor_analysis::{
    HeapAnswer, HeapGroup, HeapOrder, HeapSide, HeapTree, Suppressions, ThreadChoice, check_heap,
    heap_difference_by, selection,
};
use calor_model::Profile;

use crate::document::Section;
use crate::options::OTHER_ROWS;

use crate::section::heap::{
    chart, difference, facts, gaps, growth, histograms, leaks, overview, passing, paths, tree,
};
use crate::section::not_seen;
use crate::text::palette::Palette;
use crate::{Error, html, json, markdown, text};

/// Rows of each list where all questions are answered.
const SHORT_ROWS: usize = 8;
/// Lines of a call tree.
const TREE_ROWS: usize = 40;

/// What is asked about a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapQuestion {
    /// What matters most, on one screen.
    #[default]
    Overview,
    /// All that there is.
    Everything,
    /// Who allocates most.
    Allocated,
    /// Who held most when the heap was largest.
    Peak,
    /// What was never freed.
    Leaks,
    /// What the next event of its thread freed.
    Temporary,
    /// What grows.
    Growth,
    /// How large blocks are and how long they live.
    Sizes,
}

impl HeapQuestion {
    /// The figure that paths are listed by; `None` where no list of paths answers the question.
    #[must_use]
    pub fn order(self) -> Option<HeapOrder> {
        match self {
            Self::Overview | Self::Everything | Self::Allocated => Some(HeapOrder::Allocated),
            Self::Peak => Some(HeapOrder::Peak),
            Self::Leaks => Some(HeapOrder::Live),
            Self::Temporary => Some(HeapOrder::Temporary),
            Self::Growth | Self::Sizes => None,
        }
    }
}

/// How a page about the heap looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a forge.
    Markdown,
    /// For programs.
    Json,
    /// For a browser: one file that needs nothing else.
    Html,
    /// For spreadsheets: one row a call path, where the question is about those.
    Csv,
}

/// Options of a page about the heap.
#[derive(Clone, Debug, Default)]
pub struct HeapOptions {
    /// How it looks.
    pub format: HeapFormat,
    /// What is asked; a page for programs answers all.
    pub question: HeapQuestion,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
    /// Whose allocations are listed.
    pub threads: ThreadChoice,
    /// Leaks that are known.
    pub suppressions: Suppressions,
    /// What call paths are added up by in lists. Programs always get whole paths, and so do tables for spreadsheets.
    pub group: HeapGroup,
    /// Whether paths are drawn as a call tree, where the question is about paths.
    pub is_tree: bool,
}

impl HeapOptions {
    fn listed_by(&self) -> HeapGroup {
        match self.format {
            HeapFormat::Json | HeapFormat::Csv => HeapGroup::WholePath,
            HeapFormat::Text | HeapFormat::Markdown | HeapFormat::Html => self.group,
        }
    }
}

/// Writes a page about the heap of a profile.
///
/// # Errors
/// When the heap was not recorded, or not by thread and one is chosen, there is no thread of that name, or `out` cannot be
/// written to.
pub fn render_heap(profile: &Profile, options: &HeapOptions, out: &mut impl Write) -> Result<(), Error> {
    let heap = HeapAnswer::of(profile, &options.threads, &options.suppressions, options.listed_by())?;
    if options.format == HeapFormat::Csv {
        return write_table(profile, &heap, options, out);
    }
    if options.format == HeapFormat::Json {
        let listed = heap.allocators(profile, &options.threads);
        return json::heap_page::write(profile, &heap, &listed, options.top, out);
    }
    draw(&sections(profile, &heap, options), subject(profile), options, out)
}

/// The paths that answer the question, in its order, with all their figures.
fn write_table(
    profile: &Profile,
    heap: &HeapAnswer,
    options: &HeapOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let order = options.question.order().filter(|_| !options.is_tree);
    let order = order.ok_or(Error::HeapNotInCsv)?;
    let paths = heap.listed(order).iter().map(|path| path.stack);
    let chosen = selection::on_threads(profile, &options.threads);
    let rows = paths.take(options.top.unwrap_or(usize::MAX));
    calor_formats::csv::write_paths(&chosen, rows, out).map_err(|error| match error {
        calor_formats::Error::Write(error) => Error::Write(error),
        other => Error::Write(std::io::Error::other(other)),
    })
}

/// What a page is about.
fn subject(profile: &Profile) -> &str {
    profile.runs.first().and_then(|run| run.command.as_deref()).unwrap_or("profile")
}

/// Writes what two heaps differ in; `what` says what of them is compared.
///
/// # Errors
/// When the heap of a side was not recorded, or `out` cannot be written to.
pub fn render_heap_difference(
    before: HeapSide<'_>,
    after: HeapSide<'_>,
    what: &str,
    options: &HeapOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let profiles = (before.profile(), after.profile());
    check_heap(profiles.0)?;
    check_heap(profiles.1)?;
    let group = options.listed_by();
    let found = heap_difference_by(before, after, group);
    if options.format == HeapFormat::Csv {
        return Err(Error::HeapNotInCsv);
    }
    if options.format == HeapFormat::Json {
        return json::heap_page::write_difference((before, after), profiles, &found, options.top, out);
    }
    let rows = options.top.unwrap_or(2 * OTHER_ROWS);
    let section = difference::section(profiles.0, profiles.1, (&found, group), what, rows);
    let mut sections = vec![section];
    let is_one = std::ptr::eq(profiles.0, profiles.1);
    for (profile, when) in [(profiles.0, " before"), (profiles.1, " after")] {
        if let Some(mut gaps) = gaps::section(profile).filter(|_| !is_one || when == " after") {
            gaps.title.push_str(if is_one { "" } else { when });
            sections.push(gaps);
        }
    }
    draw(&sections, subject(profiles.1), options, out)
}

fn sections(profile: &Profile, heap: &HeapAnswer, options: &HeapOptions) -> Vec<Section> {
    let answer = answer(profile, heap, options);
    match options.question {
        HeapQuestion::Overview | HeapQuestion::Everything if !options.is_tree => answer,
        // One list alone is read by itself too: how sure it is, and what it lacks, is part of it.
        _ => {
            let heading = [facts::heading(profile, heap, options.format == HeapFormat::Text)];
            let is_cut = gaps::is_cut(profile);
            let gaps = || gaps::section(profile);
            let before = gaps().filter(|_| is_cut);
            let after = gaps().filter(|_| !is_cut);
            heading.into_iter().chain(before).chain(answer).chain(after).collect()
        }
    }
}

fn answer(profile: &Profile, heap: &HeapAnswer, options: &HeapOptions) -> Vec<Section> {
    let rows = |usual: usize| options.top.unwrap_or(usual);
    let list = |order: HeapOrder, rows: usize| match order {
        HeapOrder::Temporary if !heap.totals.knows_temporary() => paths::unknown(order),
        _ => paths::section(profile, &heap.places, order, heap.listed(order), rows),
    };
    let long = rows(2 * OTHER_ROWS);
    if let (true, Some(order)) = (options.is_tree, options.question.order()) {
        let bytes = HeapTree::new(profile, &options.threads, order, options.group);
        return vec![tree::section(profile, &bytes, order, rows(TREE_ROWS))];
    }
    match options.question {
        HeapQuestion::Allocated => vec![list(HeapOrder::Allocated, long)],
        HeapQuestion::Peak => vec![list(HeapOrder::Peak, long)],
        HeapQuestion::Temporary => {
            vec![list(HeapOrder::Temporary, long), passing::section(profile, heap, long)]
        }
        HeapQuestion::Leaks => vec![leaks::section(profile, heap, long)],
        HeapQuestion::Growth => {
            let found = growth::section(profile, heap, long);
            [Some(found), chart::section(profile, heap)].into_iter().flatten().collect()
        }
        HeapQuestion::Sizes => {
            let found = histograms::sections(profile);
            match found.is_empty() {
                true => vec![histograms::sizes_unknown(profile)],
                false => found,
            }
        }
        HeapQuestion::Overview if options.format != HeapFormat::Html => {
            overview::sections(profile, heap, options)
        }
        // A page in a browser has room for all.
        HeapQuestion::Overview | HeapQuestion::Everything => {
            let short = rows(if options.format == HeapFormat::Html { 2 * OTHER_ROWS } else { SHORT_ROWS });
            let mut all = vec![with_threads(facts::section(profile, heap), &options.threads)];
            if gaps::is_cut(profile) {
                all.push(not_seen::of_warnings(&profile.warnings));
            }
            all.extend(chart::section(profile, heap));
            all.push(list(HeapOrder::Allocated, short));
            all.push(list(HeapOrder::Peak, short));
            all.push(leaks::section(profile, heap, short));
            all.push(list(HeapOrder::Temporary, short));
            all.push(passing::section(profile, heap, short));
            all.push(growth::section(profile, heap, short));
            all.extend(histograms::sections(profile));
            if !gaps::is_cut(profile) {
                all.push(not_seen::of_warnings(&profile.warnings));
            }
            all
        }
    }
}

/// What of a page is of the chosen threads alone.
pub(crate) fn with_threads(section: Section, threads: &ThreadChoice) -> Section {
    match threads {
        ThreadChoice::All => section,
        _ => section.with_intro(
            "Allocations of the chosen threads alone; peak, memory, growth, sizes and lifetimes are of the whole program.",
        ),
    }
}

fn draw(
    sections: &[Section],
    subject: &str,
    options: &HeapOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let page = match options.format {
        HeapFormat::Html => html::of_sections("Calor heap", subject, sections),
        HeapFormat::Markdown => markdown::sections(sections),
        _ => text::sections(sections, options.width, Palette { is_coloured: options.color }),
    };
    Ok(out.write_all(page.as_bytes())?)
}
