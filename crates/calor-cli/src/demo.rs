//! `calor demo`: everything Calor shows, on a program that comes along. It goes the way any program would: recorded
//! through the SDK into a file, read back from that file, reported by the same code as `calor report`.

mod inference;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_model::Profile;
use calor_report::flame::{FlameInput, html};
use calor_report::quantity::{bytes, count, counted};
use calor_report::{Options, ReportFormat};
use calor_workloads::transformer::Preset;
use clap::{Args, ValueEnum};

use self::inference::Load;
use crate::settings::Settings;
use crate::store::saving::SaveChoice;
use crate::terminal::{self, Look};
use crate::{input, news, output, replacement};

const EXAMPLES: &str = "\
Examples:
  calor demo
  calor demo --size small --tokens 10 --inferences 2
  calor demo --output /tmp/demo > report.txt";

/// A demo of more would not end while somebody waits.
const MOST_INFERENCES: u32 = 10_000;

/// Profile a small transformer that comes along
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The folder for the profile and its pages
    #[arg(short, long, value_name = "DIR", default_value = "calor-demo")]
    output: PathBuf,
    /// Which model to run
    #[arg(long, value_enum, default_value_t = Size::Both)]
    size: Size,
    /// Tokens each inference writes: up to 48 (small, both) or 96 (medium)
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = tokens, allow_negative_numbers = true)]
    tokens: u32,
    /// Inferences with each model
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = inferences, allow_negative_numbers = true)]
    inferences: u32,
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
    arguments.check()?;
    let here = std::env::current_dir().ok();
    let saving = arguments.saving.prepare(&Settings::load()?.store, here.as_deref())?;
    for (key, value) in saving.labels() {
        calor::set_label(key.as_str(), value.as_str());
    }
    let folder = &arguments.output;
    fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder; choose a writable place with --output: {}", folder.display())
    })?;
    arguments.announce();
    let recorded = folder.join("profile.calor");
    arguments.load().record(&recorded)?;

    let mut profile = input::profile(&recorded)?;
    saving.mark(&mut profile);
    for (name, content) in [
        ("report.html", arguments.page(&profile, ReportFormat::Html)?),
        ("report.md", arguments.page(&profile, ReportFormat::Markdown)?),
        ("flame.html", flame_graph(&profile)?),
    ] {
        let path = folder.join(name);
        replacement::replace(&path, &content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    output::write(None, &arguments.page(&profile, ReportFormat::Text)?)?;
    news::say(closing(folder));
    saving.save(&profile, arguments.settings(), Some(&recorded))
}

impl Arguments {
    fn presets(&self) -> &'static [Preset] {
        match self.size {
            Size::Small => &[Preset::Small],
            Size::Medium => &[Preset::Medium],
            Size::Both => &Preset::ALL,
        }
    }

    fn load(&self) -> Load {
        let [tokens, inferences] = [self.tokens, self.inferences].map(|n| n as usize);
        Load { presets: self.presets(), tokens, inferences }
    }

    /// What was run, for those who compare runs.
    fn settings(&self) -> BTreeMap<String, String> {
        let models: Vec<&str> = self.presets().iter().map(|preset| preset.name()).collect();
        let settings = [
            ("models", models.join(",")),
            ("tokens", self.tokens.to_string()),
            ("inferences", self.inferences.to_string()),
        ];
        settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// Refuses more tokens than a model can look back on, before anything is made.
    fn check(&self) -> Result<()> {
        for preset in self.presets() {
            let (most, name, tokens) = (inference::most_tokens(*preset), preset.name(), self.tokens);
            if tokens as usize > most {
                let wider = match preset {
                    Preset::Small => {
                        format!(", or up to {} with --size medium", inference::most_tokens(Preset::Medium))
                    }
                    Preset::Medium => String::new(),
                };
                bail!(
                    "--tokens {tokens} is more than the {name} model can write: ask for 1 to {most}{wider}"
                );
            }
        }
        Ok(())
    }

    fn announce(&self) {
        let mut text = String::from("Profiling a GPT-style transformer in plain Rust, with random weights:");
        for preset in self.presets() {
            let parameters = count(preset.config().parameters() as u64);
            let pace = if self.inferences > 1 { ", two at a time" } else { "" };
            text += &format!(
                "\n  {:6}  {parameters} parameters: {} x {}{pace}",
                preset.name(),
                counted(self.inferences.into(), "inference"),
                counted(self.tokens.into(), "token"),
            );
        }
        text.push('\n');
        news::say(&text);
    }

    fn page(&self, profile: &Profile, format: ReportFormat) -> Result<Vec<u8>> {
        let color = format == ReportFormat::Text && self.look.is_coloured(false);
        let options = Options { format, color, width: terminal::width(), ..Options::default() };
        let mut page = Vec::new();
        calor_report::render(profile, &options, &mut page)?;
        Ok(page)
    }
}

/// A number of tokens; that it is not too large for the model is seen once the model is known.
fn tokens(given: &str) -> Result<u32, String> {
    let [small, medium] = [Preset::Small, Preset::Medium].map(inference::most_tokens);
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

fn flame_graph(profile: &Profile) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    html::write(profile, &FlameInput::of_profile(profile), &html::HtmlOptions::default(), &mut page)?;
    Ok(page)
}

/// What was written, and what to do with it.
fn closing(folder: &Path) -> String {
    let shown = folder.display();
    let size =
        |name: &str| fs::metadata(folder.join(name)).map_or_else(|_| String::new(), |file| bytes(file.len()));
    let profile = in_shell(&folder.join("profile.calor"));
    format!(
        "
Wrote {shown}/profile.calor   the profile, {}
      {shown}/report.html     the report as one page for the browser, {}
      {shown}/report.md       the report for a comment on a pull request, {}
      {shown}/flame.html      a flame graph to explore in the browser, {}

Next: calor report {profile} --by calls
      calor report {profile} --group function --top 10
      calor report {profile} --context decode
      calor report {profile} --format json
      calor flame {profile} --invert -o inverted.svg
      calor convert {profile} profile.pb.gz",
        size("profile.calor"),
        size("report.html"),
        size("report.md"),
        size("flame.html"),
    )
}

/// A path as it is typed in a shell.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
