//! `calor flame`: a profile as a flame graph, a picture or a page.

mod heap;
mod input;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use calor_analysis::{heap_on_short_paths, selection};
use calor_formats::{Format, Metric};
use calor_model::Profile;
use calor_report::flame::{ColourScheme, FlameInput, FlameTreeOptions, html, svg};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::language::LanguageChoice;
use crate::{metric, news, output, progress, terminal};

const EXAMPLES: &str = "\
Examples:
  calor flame profile.calor -o flame.svg                 # a picture
  calor flame profile.calor -o flame.html                # a page to explore
  calor flame profile.calor --by-thread -o threads.html  # each thread by itself
  calor flame profile.calor --invert --color kind -o inverted.svg  # by callers
  calor flame profile.calor --metric scopes --min-width 0.5 -o scopes.svg
  calor flame profile.calor --thread 'worker 1' --context decode -o decode.svg
  cat profile.calor | calor flame - --title 'before the change' > flame.svg";

const WRITTEN: Written = Written::new("a flame graph");

/// Draw a flame graph
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    file: PathBuf,
    /// Write to this file; - is standard output [default: standard output, or in a terminal FILE's name with .svg]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// A picture or a page to explore [default: by the ending of OUT, otherwise svg]
    #[arg(long, value_enum)]
    format: Option<Picture>,
    /// What weighs [default: the first of these that the profile has]
    #[arg(long, value_name = "METRIC", value_parser = metric::words())]
    metric: Option<Metric>,
    /// Start at the innermost functions and lead to their callers; a page opens that way
    #[arg(long)]
    invert: bool,
    /// Draw each thread on its own, also those that share a name; a page opens that way
    #[arg(long)]
    by_thread: bool,
    /// Draw only threads of this name
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    /// Draw only what happened inside the context of this name
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    #[command(flatten)]
    language: LanguageChoice,
    /// What colours tell; a legend says which is which
    #[arg(long, value_enum, default_value_t = Colours::Hot)]
    color: Colours,
    /// Leave out frames narrower than this part of the whole; a page hides them at first [default: what is too narrow to be seen]
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    min_width: Option<f64>,
    /// Draw paths of the heap with every frame, also those of Python's imports and of functions that call themselves
    #[arg(long)]
    whole_paths: bool,
    /// What stands above it [default: the command that was recorded]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Picture {
    /// A picture that every browser and many viewers show
    Svg,
    /// A page with zoom, search and all metrics
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colours {
    /// Nothing: warm colours that set neighbours apart, cool ones for Python
    Hot,
    /// The module a function is of
    Module,
    /// The kind of code: scopes, native, Python, kernel, GPU
    Kind,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    output::refuse_input(&arguments.file, arguments.output.as_deref())?;
    let format = WRITTEN.format(arguments.format, arguments.output.as_deref())?;
    let profile = crate::input::profile(&arguments.file)?;
    let profile = selection::context(&profile, arguments.context.as_deref())?;
    let profile = arguments.language.view(profile)?;
    let profile = arguments.fold_heap(format, profile);
    let mut input = input::collect(&profile, arguments.metric, arguments.thread.as_deref())?;
    if let Some(title) = &arguments.title {
        input.title.clone_from(title);
    }
    let is_of_heap = heap::is_of_heap(&input);
    news::short_warnings(&profile, |code| is_of_heap && !heap::is_about_heap(code));
    let picture = progress::waited("drawing the flame graph", || arguments.draw(format, &profile, &input))?;
    output::write(arguments.place(format)?.as_deref(), &picture)
}

impl Arguments {
    /// A picture of a heap that is not too high. A page has room, and shows time as well.
    fn fold_heap<'p>(&self, format: Picture, profile: Cow<'p, Profile>) -> Cow<'p, Profile> {
        let is_asked = self.metric.is_some_and(heap::is_metric) && !self.whole_paths;
        let folded = (is_asked && format == Picture::Svg).then(|| heap_on_short_paths(&profile)).flatten();
        match folded {
            Some(folded) => {
                news::say(
                    "note: calls of a function by itself and Python's imports are folded; --whole-paths draws them",
                );
                Cow::Owned(folded)
            }
            None => profile,
        }
    }

    fn draw(&self, format: Picture, profile: &Profile, input: &FlameInput) -> std::io::Result<Vec<u8>> {
        let mut picture = Vec::new();
        match format {
            Picture::Html => {
                let view = html::FirstView {
                    is_inverted: self.invert,
                    is_by_thread: self.by_thread,
                    colours: self.colours(),
                    min_share: self.min_width.unwrap_or(0.0) / 100.0,
                };
                let options = html::HtmlOptions { view, ..html::HtmlOptions::default() };
                html::write(profile, input, &options, &mut picture)?;
            }
            Picture::Svg => {
                let tree = FlameTreeOptions {
                    is_by_thread: self.by_thread,
                    is_inverted: self.invert,
                    min_share: self.min_width.unwrap_or(0.0) / 100.0,
                    ..FlameTreeOptions::default()
                };
                svg::draw(profile, &input.metrics[0], tree, &self.look(&input.title), &mut picture)?;
            }
        }
        Ok(picture)
    }

    fn look(&self, title: &str) -> svg::SvgOptions {
        let usual = svg::SvgOptions::default();
        svg::SvgOptions {
            title: title.to_owned(),
            // What was asked for is a part of the whole, not of the picture, which has margins.
            min_width: match self.metric {
                _ if self.min_width.is_some() => 0.0,
                Some(metric) if heap::is_metric(metric) && !self.whole_paths => heap::MIN_WIDTH,
                _ => usual.min_width,
            },
            colours: self.colours(),
            ..usual
        }
    }

    fn colours(&self) -> ColourScheme {
        match self.color {
            Colours::Hot => ColourScheme::Hot,
            Colours::Module => ColourScheme::Module,
            Colours::Kind => ColourScheme::Kind,
        }
    }

    /// Where it goes. A terminal cannot show a picture, so a file is made there.
    fn place(&self, format: Picture) -> Result<Option<PathBuf>> {
        if self.output.is_some() || !terminal::is_there() {
            return Ok(self.output.clone());
        }
        let ending = if format == Picture::Svg { "svg" } else { "html" };
        let made = PathBuf::from(format!("{}.{ending}", stem(&self.file)));
        let is_input =
            made.canonicalize().is_ok_and(|made| self.file.canonicalize().is_ok_and(|file| made == file));
        if is_input {
            bail!(
                "the picture would take the place of its profile: name another file with -o: {}",
                made.display()
            );
        }
        Ok(Some(made))
    }
}

/// The name of a profile without its folder and its ending.
fn stem(file: &Path) -> String {
    if output::is_standard(file) {
        return "flame".to_owned();
    }
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let endings = Format::ALL.into_iter().flat_map(Format::endings).chain(&["json.gz", "txt", "html"]);
    let without = endings.filter_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'));
    without.filter(|stem| !stem.is_empty()).min_by_key(|stem| stem.len()).unwrap_or(&name).to_owned()
}

/// A part of the picture's width.
fn percent(given: &str) -> Result<f64, String> {
    let number = given.trim_end_matches('%').trim_end().parse().ok();
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "expected a percentage from 0 to 100, such as 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_named_after_its_profile() {
        for (file, name) in [
            ("-", "flame"),
            ("runs/profile.calor", "profile"),
            ("cpu.pb.gz", "cpu"),
            ("a.b.speedscope.json", "a.b"),
            ("notes", "notes"),
            (".calor", ".calor"),
        ] {
            assert_eq!(stem(Path::new(file)), name, "{file}");
        }
    }
}
