//! Views by language, for the commands that show or write a profile.

use std::borrow::Cow;

use anyhow::Result;
use calor_analysis::selection;
use calor_model::Profile;
use calor_report::Language;
use clap::Args;

use crate::news;

#[derive(Args)]
pub(crate) struct LanguageChoice {
    /// Show Python functions alone; compiled code counts with the function that called it
    #[arg(long, conflicts_with = "native_only")]
    python_only: bool,
    /// Show compiled code alone; one frame stands for the Python functions between
    #[arg(long)]
    native_only: bool,
}

impl LanguageChoice {
    pub(crate) fn language(&self) -> Language {
        match (self.python_only, self.native_only) {
            (true, _) => Language::Python,
            (_, true) => Language::Native,
            _ => Language::All,
        }
    }

    /// The profile as it is to be shown.
    pub(crate) fn view<'p>(&self, profile: Cow<'p, Profile>) -> Result<Cow<'p, Profile>> {
        self.note(&profile);
        Ok(selection::language(profile, self.language())?)
    }

    /// Says that there is nothing to hide.
    pub(crate) fn note(&self, profile: &Profile) {
        if self.language() == Language::Native && !profile.has_python() {
            news::say("note: no Python frames in this profile: --native-only changes nothing");
        }
    }
}
