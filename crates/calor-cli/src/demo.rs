//! `calor demo`: what Calor shows, on models that come along. It goes the way any program would: recorded by the SDK and
//! the sampler into files, read back from those, and told by the same code as `calor report` and its relatives.

mod closing;
mod inference;
mod pages;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use calor_analysis::quantity::{count, counted};
use calor_report::{Options, ReportFormat};
use calor_workloads::model::Preset;
use calor_workloads::model::bench::{Choice, MOST_INFERENCES, Size as Model};
use clap::{Args, ValueEnum};

use self::inference::{Load, Recorded};
use crate::bench::watched::ended_by_signals;
use crate::store::saving::{SaveChoice, Saving};
use crate::terminal::{self, Look};
use crate::{findings, machine, news, output, progress, project};

const EXAMPLES: &str = "\
Examples:
  calor demo
  calor demo --size small --tokens 10 --inferences 2
  calor demo --output /tmp/demo --save=no > report.txt";

const AFTER: &str = "\
The models are those of `calor bench model`. Both runs are kept in the store, as demo-small and demo-medium, unless --save=no \
or calor.toml say otherwise.";

/// Decides weights, prompts and samples.
const SEED: u64 = 2025;
/// Rows of the lists that are printed; the pages have more.
const ROWS: usize = 5;

/// Profile a small and a medium transformer that come along
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The folder for profiles and pages
    #[arg(short, long, value_name = "DIR", default_value = "calor-demo")]
    output: PathBuf,
    /// Which model to run
    #[arg(long, value_enum, default_value_t = Size::Both)]
    size: Size,
    /// Tokens each inference writes: up to 64 (small, both) or 128 (medium) [default: 50]
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    tokens: Option<u32>,
    /// Inferences with each model
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = inferences, allow_negative_numbers = true)]
    inferences: u32,
    /// Record scopes alone, without samples
    #[arg(long)]
    no_cpu: bool,
    #[command(flatten)]
    saving: SaveChoice,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, ValueEnum)]
enum Size {
    /// 128 wide, 2 layers, 4 heads: 470,528 parameters
    Small,
    /// 256 wide, 4 layers, 8 heads: 3,454,464 parameters
    Medium,
    /// One after the other
    Both,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let choice = arguments.choice();
    choice.check()?;
    let here = std::env::current_dir().ok();
    let saving = arguments.saving.prepare_unless_refused(&project::settings()?.store, here.as_deref())?;
    let folder = &arguments.output;
    fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder; choose a writable place with --output: {}", folder.display())
    })?;
    arguments.announce(&choice)?;
    // Before anything runs beside it: reports and the roofline hold operations against it.
    machine::this(false);
    let load = Load { choice: &choice, has_samples: !arguments.no_cpu };
    let record = |preset: &Preset| load.record(*preset, folder, &saving);
    let interrupted = format!(
        "interrupted: {} has what was recorded by then, other pages in it are older, and the store keeps nothing of it",
        folder.display()
    );
    let (recorded, written) = ended_by_signals(&interrupted, || -> Result<_> {
        let recorded = arguments.presets().iter().map(record).collect::<Result<Vec<Recorded>>>()?;
        let written = progress::waited("making the pages", || pages::write(folder, &recorded))?;
        Ok((recorded, written))
    })?;
    output::write(None, &arguments.told(&recorded)?)?;
    news::say(format_args!(
        "\nWrote {}:\n{}",
        folder.display(),
        pages::list(&written, terminal::width_of_news())
    ));
    arguments.save(&saving, &choice, &recorded)?;
    news::say(closing::next(&recorded, saving.is_wanted()));
    Ok(())
}

impl Arguments {
    fn presets(&self) -> &'static [Preset] {
        match self.size {
            Size::Small => &[Preset::Small],
            Size::Medium => &[Preset::Medium],
            Size::Both => &Preset::BOTH,
        }
    }

    fn choice(&self) -> Choice {
        Choice {
            sizes: self.presets().iter().copied().map(Model::Preset).collect(),
            inferences: self.inferences,
            tokens: self.tokens,
            seed: SEED,
            ..Choice::default()
        }
    }

    fn announce(&self, choice: &Choice) -> Result<()> {
        let pace = if self.inferences > 1 && inference::threads() > 1 { ", two at a time" } else { "" };
        news::say_wrapped(&format!(
            "Profiling a GPT-2 style transformer, {} with each model{pace}:",
            counted(self.inferences.into(), "inference"),
        ));
        for preset in self.presets() {
            let config = preset.config();
            let (prompt, tokens) = choice.lengths(&config)?;
            news::say(format_args!(
                "  {:6}  {:>9} parameters, prompt of {prompt}, {}",
                preset.name(),
                count(config.parameters() as u64),
                counted(tokens as u64, "token"),
            ));
        }
        news::say("");
        Ok(())
    }

    /// What is printed: the report of the largest model with what rules find.
    fn told(&self, recorded: &[Recorded]) -> Result<Vec<u8>> {
        let (width, color) = (terminal::width(), self.look.is_coloured(false));
        let Some(largest) = recorded.last() else { return Ok(Vec::new()) };
        let options =
            Options { format: ReportFormat::Text, top: Some(ROWS), width, color, ..Options::default() };
        let mut page = pages::report_page(largest.run.profile(), options)?;
        let subject = largest.file.display().to_string();
        if let Some(nothing) = findings::nothing(&subject, largest.run.profile(), color)? {
            page.push(b'\n');
            page.extend(nothing);
        }
        Ok(page)
    }

    fn save(&self, saving: &Saving, choice: &Choice, recorded: &[Recorded]) -> Result<()> {
        let mut told = Vec::new();
        for one in recorded {
            let (_, tokens) = choice.lengths(&one.preset.config())?;
            let settings = [
                ("models", one.preset.name().to_owned()),
                ("tokens", tokens.to_string()),
                ("inferences", self.inferences.to_string()),
                ("rate", if self.no_cpu { 0 } else { inference::RATE }.to_string()),
            ];
            let settings: BTreeMap<String, String> =
                settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            let name = one.name();
            saving.save_named(Some(&name), &one.run, settings, Some(&one.file), |saved| {
                told.push(format!("{name} as {}", saved.id));
            })?;
        }
        if !told.is_empty() {
            news::say_wrapped(&format!("Saved {}: see `calor store ls`", told.join(", ")));
            news::say("");
        }
        Ok(())
    }
}

/// A number of tokens; that it is not too large for the model is seen once the model is known.
fn tokens(given: &str) -> Result<u32, String> {
    let [small, medium] = Preset::BOTH.map(|preset| preset.config().context);
    number(given, u32::MAX)
        .ok_or_else(|| format!("expected a whole number from 1 to {small}, with --size medium to {medium}"))
}

fn inferences(given: &str) -> Result<u32, String> {
    number(given, MOST_INFERENCES)
        .ok_or_else(|| format!("expected a whole number from 1 to {}", count(MOST_INFERENCES.into())))
}

fn number(given: &str, most: u32) -> Option<u32> {
    given.parse().ok().filter(|number| (1..=most).contains(number))
}
