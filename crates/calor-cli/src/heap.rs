//! `calor heap`: one page for questions about memory.

mod difference;
mod known_leaks;
mod moment;

use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::{HeapGroup, HeapOrder, Suppressions, heap_of_mappings};
use calor_model::Profile;
use calor_report::{HeapFormat, HeapOptions, HeapQuestion, ThreadChoice, render_heap};
use clap::{ArgGroup, Args, ValueEnum};

use crate::format::Written;
use crate::page::{Page, Tabled, Top};
use crate::{input, terminal};

const EXAMPLES: &str = "\
Examples:
  calor heap profile.calor                              what matters most
  calor heap profile.calor --peak                       who held at the peak
  calor heap profile.calor --peak --tree                the same as a call tree
  calor heap profile.calor --peak --group path          by path, not by line
  calor heap profile.calor --leaks --suppressions known.txt
  calor heap profile.calor --growth                     what grows, how surely
  calor heap profile.calor -o heap.html                 all of it, for a browser
  calor heap --diff before.calor after.calor            what two runs hold
  calor heap --diff profile.calor --from 10s --to 60s   two moments of one
  calor heap profile.calor --format json | jq '.heap.peak_bytes'";

const AFTER: &str = "\
A file of suppressions has lines such as `leak:init_once`: what stands behind the colon is found anywhere in the name of a
function, its module or its source file; `*` stands for any text, `^` and `$` for its ends, and `#` begins a remark.

Pictures: `calor flame FILE --metric peak -o peak.svg`, or allocated, live, temporary.";

const WRITTEN: Written =
    Written { name: "a page about a heap", drawn_by: Some("calor flame FILE --metric peak -o OUT") };

/// Show who allocates, what was held at the peak, leaks, growth and sizes
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(group = ArgGroup::new("question").args(["all", "allocated", "peak", "leaks", "temporary", "growth", "sizes"]))]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input. With --diff two of them
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// All that there is: every list, sizes, lifetimes, and memory over time
    #[arg(long)]
    all: bool,
    /// Who allocated most
    #[arg(long)]
    allocated: bool,
    /// Who held most when the heap was largest
    #[arg(long)]
    peak: bool,
    /// What was not freed when the program ended
    #[arg(long)]
    leaks: bool,
    /// What the next event of its thread on the heap freed
    #[arg(long)]
    temporary: bool,
    /// What grew from snapshot to snapshot, by least squares, and memory over time
    #[arg(long)]
    growth: bool,
    /// How large blocks were and how long they lived
    #[arg(long)]
    sizes: bool,
    /// Leave out leaks that this file names, and say how much they are
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// Compare two profiles by what was not freed (or with --allocated, --peak or --temporary by that), or two moments of
    /// one
    #[arg(long, conflicts_with_all = ["all", "growth", "sizes", "suppressions", "thread"])]
    diff: bool,
    /// The first moment, such as 10s or 2min [default: the first snapshot]
    #[arg(long, value_name = "TIME", value_parser = moment::nanos, requires = "diff")]
    from: Option<u64>,
    /// The second moment [default: the last snapshot]
    #[arg(long, value_name = "TIME", value_parser = moment::nanos, requires = "diff")]
    to: Option<u64>,
    /// Draw a call tree of what was allocated, or with --peak, --leaks or --temporary of that
    #[arg(long, conflicts_with_all = ["all", "growth", "sizes", "suppressions", "diff"])]
    tree: bool,
    /// List only what came from the allocator, or only what the program mapped itself
    #[arg(long, value_enum, value_name = "KIND", conflicts_with_all = ["all", "growth", "sizes", "diff"])]
    only: Option<Kind>,
    /// List lines of the program, whoever called them, its functions, or each call path to such a line [default: line]
    #[arg(long, value_enum, conflicts_with_all = ["tree", "sizes"])]
    group: Option<Group>,
    /// List call paths with all that libraries and the allocator have in them, not by the line of the program
    #[arg(long, conflicts_with = "group")]
    whole_paths: bool,
    /// List only what threads of this name allocated, where counts are kept by thread (not by `calor record`)
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    page: Page<Tabled>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Group {
    /// The line that asked for the memory
    Line,
    /// All lines of a function
    Function,
    /// The call path to a line
    Path,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Blocks of the allocator
    Malloc,
    /// Memory that the program mapped itself
    Mmap,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    for file in &arguments.files {
        arguments.page.refuse_input(file)?;
    }
    let options = arguments.options()?;
    let mut page = Vec::new();
    match &arguments.files[..] {
        [_, _] if !arguments.diff => bail!("two profiles are compared with --diff: add it, or name one"),
        [file] if !arguments.diff => {
            render_heap(&arguments.chosen(input::profile(file)?)?, &options, &mut page)?;
        }
        files => difference::write(files, arguments, &options, &mut page)?,
    }
    arguments.page.write(&page)
}

impl Arguments {
    fn options(&self) -> Result<HeapOptions> {
        let format = HeapFormat::from(self.page.format(WRITTEN)?);
        Ok(HeapOptions {
            format,
            question: self.question(),
            top: self.top.rows,
            width: terminal::width(),
            color: self.page.is_coloured(),
            threads: self.thread.clone().map_or(ThreadChoice::All, ThreadChoice::Named),
            suppressions: self.suppressions(format)?,
            group: self.group(format)?,
            is_tree: self.tree,
        })
    }

    /// What lists have a row for.
    fn group(&self, format: HeapFormat) -> Result<HeapGroup> {
        if self.group.is_some() && matches!(format, HeapFormat::Json | HeapFormat::Csv) {
            bail!(
                "rows of json and csv are whole call paths: leave --group out and add them up by file and line"
            );
        }
        Ok(match self.group {
            _ if self.whole_paths => HeapGroup::WholePath,
            None | Some(Group::Line) => HeapGroup::Line,
            Some(Group::Function) => HeapGroup::Function,
            Some(Group::Path) => HeapGroup::Path,
        })
    }

    fn question(&self) -> HeapQuestion {
        let asked = [
            (self.all, HeapQuestion::Everything),
            (self.allocated, HeapQuestion::Allocated),
            (self.peak, HeapQuestion::Peak),
            (self.leaks, HeapQuestion::Leaks),
            (self.temporary, HeapQuestion::Temporary),
            (self.growth, HeapQuestion::Growth),
            (self.sizes, HeapQuestion::Sizes),
        ];
        let asked = asked.into_iter().find_map(|(is_asked, question)| is_asked.then_some(question));
        asked.unwrap_or_default()
    }

    /// The part of a heap that is asked for.
    fn chosen(&self, profile: Profile) -> Result<Profile> {
        let Some(kind) = self.only else { return Ok(profile) };
        if self.question() == HeapQuestion::Overview && !self.tree {
            bail!(
                "--only chooses among what is listed: add --allocated, --peak, --leaks, --temporary or --tree"
            );
        }
        Ok(heap_of_mappings(&profile, matches!(kind, Kind::Mmap)))
    }

    /// The figure that runs are compared by.
    fn order(&self) -> HeapOrder {
        match self.question() {
            HeapQuestion::Allocated => HeapOrder::Allocated,
            HeapQuestion::Peak => HeapOrder::Peak,
            HeapQuestion::Temporary => HeapOrder::Temporary,
            _ => HeapOrder::Live,
        }
    }

    fn suppressions(&self, format: HeapFormat) -> Result<Suppressions> {
        let Some(path) = &self.suppressions else { return Ok(Suppressions::default()) };
        let lists_leaks = match self.question() {
            HeapQuestion::Leaks | HeapQuestion::Everything => true,
            HeapQuestion::Overview => matches!(format, HeapFormat::Json | HeapFormat::Html),
            _ => format == HeapFormat::Json,
        };
        if !lists_leaks {
            bail!("--suppressions leaves known leaks out of their list: add --leaks or --all");
        }
        known_leaks::read(path)
    }
}
