//! `calor annotate`: one function from near.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::{Unchosen, annotate, choose_function};
use calor_report::{AnnotationOptions, annotation_json, annotation_text};
use clap::{Args, ValueEnum};

use crate::terminal::{self, Look};
use crate::{input, output};

const EXAMPLES: &str = "\
Examples:
  calor annotate profile.calor dot_product
  calor annotate profile.calor matmul --lines
  calor annotate profile.calor matmul --instructions --top 20 --context 8
  calor annotate profile.calor matmul --format json";

/// Show the hottest lines and instructions of a function, and which vectors it uses
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    file: PathBuf,
    /// Its name, the end of it, or a part that no other function has
    function: String,
    /// How it looks
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show lines of the source alone
    #[arg(long, conflicts_with = "instructions")]
    lines: bool,
    /// Show instructions alone
    #[arg(long)]
    instructions: bool,
    /// Show at most N of the hottest lines and instructions
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Show N instructions on either side of a hot one
    #[arg(long, value_name = "N", default_value_t = 4)]
    context: usize,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For scripts: `calor schema annotate/1`
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let profile = input::profile(&arguments.file)?;
    let file = arguments.file.display();
    let name = match choose_function(&profile, &arguments.function) {
        Ok(name) => name,
        Err(unchosen) => bail!("{}", refusal(&arguments.function, &unchosen)),
    };
    let Some(annotation) = annotate(&profile, name) else {
        bail!("no sample of {file} is of `{name}`");
    };
    let options = AnnotationOptions {
        lines: !arguments.instructions,
        instructions: !arguments.lines,
        top: arguments.top,
        context: arguments.context,
        width: terminal::width(),
        color: arguments.look.is_coloured(false),
    };
    let sources = Sources::default();
    let line = |file: &str, line: u32| sources.line(file, line);
    let page = match arguments.format {
        Format::Text => annotation_text(&profile, &annotation, &options, &line),
        Format::Json => annotation_json(&profile, &annotation, &options, &line)?,
    };
    output::write(None, page.as_bytes())
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

/// Source files that were read; one that cannot be read is no reason to fail.
#[derive(Default)]
struct Sources {
    files: RefCell<HashMap<String, Vec<String>>>,
}

/// Larger files are no source that somebody wrote.
const MOST_SOURCE_BYTES: u64 = 16 << 20;

impl Sources {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| read(file).unwrap_or_default());
        lines.get(usize::try_from(line).ok()?.checked_sub(1)?).cloned()
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let data = std::fs::metadata(file).ok()?;
    if !data.is_file() || data.len() > MOST_SOURCE_BYTES {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}
