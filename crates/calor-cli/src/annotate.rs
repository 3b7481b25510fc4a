//! `calor annotate`: one function from near.

mod source;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::{Namesake, Unchosen, Whereabouts, annotate, choose_function, namesakes, short_name};
use calor_model::FrameKind;
use calor_report::{AnnotationOptions, annotation_json, annotation_text};
use clap::Args;

use self::source::Sources;
use crate::format::Written;
use crate::page::{Brief, Page};
use crate::{input, number, terminal};

const EXAMPLES: &str = "\
Examples:
  calor annotate profile.calor dot_product
  calor annotate profile.calor matmul --lines
  calor annotate profile.calor matmul --instructions --top 20 --context 8
  calor annotate profile.calor forward --file nn/linear.py
  calor annotate profile.calor matmul --format json -o matmul.json";

const WRITTEN: Written = Written::new("an annotation");

/// Show the hottest lines and instructions of a function, and which vectors it uses
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    file: PathBuf,
    /// Its name, the end of it, or a part that no other function has
    #[arg(value_parser = name)]
    function: String,
    /// The one of this source file, where several have that name: its path or the end of it
    #[arg(long = "file", value_name = "PATH")]
    source: Option<String>,
    /// The one of this program or library, such as libc.so.6
    #[arg(long, value_name = "NAME")]
    module: Option<String>,
    /// Show lines of the source alone
    #[arg(long, conflicts_with = "instructions")]
    lines: bool,
    /// Show instructions alone
    #[arg(long)]
    instructions: bool,
    /// Show at most N of the hottest lines and instructions
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::from_one, allow_negative_numbers = true)]
    top: usize,
    /// Show N instructions on either side of a hot one
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = number::whole, allow_negative_numbers = true)]
    context: usize,
    #[command(flatten)]
    page: Page<Brief>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    arguments.page.refuse_input(&arguments.file)?;
    let format = arguments.page.format(WRITTEN)?;
    let profile = input::profile(&arguments.file)?;
    let file = arguments.file.display();
    let name = match choose_function(&profile, &arguments.function, shown) {
        Ok(name) => name,
        Err(unchosen) => bail!("{}", refusal(&arguments.function, &unchosen)),
    };
    let there = Whereabouts { file: arguments.source.as_deref(), module: arguments.module.as_deref() };
    let Some(annotation) = annotate(&profile, name, there) else {
        match namesakes(&profile, name) {
            found if found.is_empty() => bail!("no sample of {file} is of `{name}`"),
            found => {
                bail!("no `{name}` is there: choose another --file or --module; it is in{}", places(&found))
            }
        }
    };
    let options = AnnotationOptions {
        lines: !arguments.instructions,
        instructions: !arguments.lines,
        top: arguments.top,
        context: arguments.context,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    let sources = Sources::default();
    let line = |file: &str, line: u32| sources.line(file, line);
    let shown = annotation.lines.iter().take(if options.lines { options.top } else { 0 });
    let files: BTreeSet<&str> = shown.filter_map(|line| line.file).collect();
    let notes = source::notes(&profile, &annotation, &files);
    let page = match format {
        Brief::Text => annotation_text(&profile, &annotation, &options, &line, &notes),
        Brief::Json => annotation_json(&profile, &annotation, &options, &line, &notes)?,
    };
    arguments.page.write(page.as_bytes())
}

/// Why it is not known which function is meant, and which there are.
fn refusal(wanted: &str, unchosen: &Unchosen<'_>) -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("\n  {name}")).collect::<String>();
    match unchosen {
        Unchosen::Several(names, n_all) => {
            let which = if *n_all > names.len() { ", of which the hottest are" } else { "" };
            format!("{n_all} functions fit `{wanted}`{which}: give more of the name{}", list(names))
        }
        Unchosen::None(names) => {
            format!("no function with samples is called `{wanted}`; the hottest are{}", list(names))
        }
        Unchosen::NoSamples => {
            "the profile has no samples, only those tell of lines and instructions: record the program with `calor record`"
                .to_owned()
        }
    }
}

/// Where functions of a name are, one line each.
fn places(namesakes: &[Namesake<'_>]) -> String {
    let place = |namesake: &Namesake<'_>| match (namesake.file, namesake.module) {
        (Some(file), Some(module)) => format!("\n  {file} (module {module})"),
        (Some(file), None) => format!("\n  {file}"),
        (None, Some(module)) => format!("\n  module {module}"),
        (None, None) => "\n  (no file is known)".to_owned(),
    };
    namesakes.iter().map(place).collect()
}

/// A compiled function's name as reports show it.
fn shown(name: &str) -> String {
    short_name(FrameKind::Native, name).into_owned()
}

/// A name, or a part of one; nothing is part of every name.
fn name(given: &str) -> Result<String, String> {
    match given.trim() {
        "" => Err("expected the name of a function or a part of it; `calor report` lists them".to_owned()),
        _ => Ok(given.to_owned()),
    }
}
