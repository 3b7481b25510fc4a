//! `calor convert`: a profile from any format that can be read to any that can be written.

mod format_word;
mod list;
mod missing;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use calor_formats::{Format, Metric, WriteOptions};
use calor_model::Profile;
use calor_report::{Language, Options, ReportFormat};
use clap::Args;

use crate::language::LanguageChoice;
use crate::{input, metric, news, output, progress, terminal};

const EXAMPLES: &str = "\
Examples:
  calor convert profile.calor profile.pb.gz
  calor convert profile.calor --to speedscope -o profile.speedscope.json
  calor convert profile.calor --to folded --metric scopes -o -
  cat profile.calor | calor convert - --to csv > table.csv
  calor convert --list";

const USAGE: &str = "\
calor convert [OPTIONS] <IN> [OUT] [--to <FORMAT>]
       calor convert --list";

/// Turn a profile into another format
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP, override_usage = USAGE)]
pub(crate) struct Arguments {
    /// The profile, of any format that --list shows; - reads standard input
    #[arg(value_name = "IN", required_unless_present = "list")]
    input: Option<PathBuf>,
    /// The file to write; - is standard output
    #[arg(value_name = "OUT", conflicts_with = "output")]
    out: Option<PathBuf>,
    /// The same as OUT
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// The format to write [default: by the ending of OUT]
    #[arg(long, value_name = "FORMAT", value_parser = format_word::FormatWord)]
    to: Option<Format>,
    /// What fills a format of one number a call path [default: the first of these that the profile has]
    #[arg(long, value_name = "METRIC", value_parser = metric::words())]
    metric: Option<Metric>,
    #[command(flatten)]
    language: LanguageChoice,
    /// Show the formats, which way each goes and how their files end
    #[arg(long, conflicts_with_all = ["input", "out", "output", "to", "metric", "python_only", "native_only"])]
    list: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(input) = &arguments.input else { return output::write(None, list::table().as_bytes()) };
    let out = arguments.out.as_deref().or(arguments.output.as_deref());
    output::refuse_input(input, out)?;
    let format = arguments.format(out)?;
    check_place(out, format)?;
    let profile = arguments.language.view(Cow::Owned(input::profile(input)?))?;
    if profile.is_empty() {
        news::say(format_args!("note: {} is a profile in which nothing was recorded", input.display()));
    }
    let metric = arguments.metric.map(|metric| Metric::choose(Some(metric), &profile)).transpose()?;
    if let Some(metric) = metric.filter(|_| holds_everything(format)) {
        news::say(format_args!("note: {format} holds all there is, with or without --metric {metric}"));
    }
    let bytes = progress::waited(&format!("writing {format}"), || {
        encoded(&profile, format, metric, arguments.language.language())
    })?;
    output::write(out, &bytes)?;
    missing::tell(&profile, format, metric, out);
    Ok(())
}

impl Arguments {
    fn format(&self, out: Option<&Path>) -> Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        let Some(out) = out.filter(|out| !output::is_standard(out)) else {
            bail!(
                "no format to write: name one with --to, such as --to folded; `calor convert --list` shows all"
            );
        };
        match out.file_name().and_then(|name| Format::for_file_name(&name.to_string_lossy())) {
            Some(format) if can_write(format) => Ok(format),
            Some(format) => bail!("{format} can be read but not written: name another format with --to"),
            None => match ending(out).and_then(format_word::other_command) {
                Some(advice) => bail!("{advice}"),
                None => bail!(
                    "{}: the ending names no format; name one with --to, such as --to folded; \
                     `calor convert --list` shows all",
                    out.display()
                ),
            },
        }
    }
}

/// What stands behind the last dot of a file's name.
fn ending(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// Refuses to fill a terminal with bytes that are no text.
fn check_place(out: Option<&Path>, format: Format) -> Result<()> {
    let is_terminal = out.is_none_or(output::is_standard) && terminal::is_there();
    if is_terminal && matches!(format, Format::Native | Format::Pprof) {
        bail!("{format} is no text and would garble the terminal: name a file with -o, or pipe it on");
    }
    Ok(())
}

fn encoded(profile: &Profile, format: Format, metric: Option<Metric>, language: Language) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if format == Format::Json {
        let options = Options { format: ReportFormat::Json, language, ..Options::default() };
        calor_report::render(profile, &options, &mut bytes)?;
    } else {
        let options = metric.map_or_else(WriteOptions::default, WriteOptions::with_metric);
        calor_formats::write(profile, format, &options, &mut bytes)?;
    }
    Ok(bytes)
}

/// Whether a metric makes no difference to a format.
fn holds_everything(format: Format) -> bool {
    matches!(format, Format::Native | Format::Csv | Format::Json)
}

/// The words for everything that can be read, for messages.
pub(crate) fn readable_words() -> String {
    let words: Vec<&str> = list::rows().into_iter().filter(|row| row.reads).map(|row| row.word).collect();
    words.join(", ")
}

/// Whether the command can write a format: JSON is the report's.
fn can_write(format: Format) -> bool {
    format.can_write() || format == Format::Json
}
