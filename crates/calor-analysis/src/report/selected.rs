//! The part of a profile that a report is of: what happened in one context, and the functions of one language.

use std::borrow::Cow;

use calor_model::{Language, Profile};

use crate::{Error, selection};

/// A part of a profile, and what it was taken from: a view of Python alone has none of the calls that tell why it waits.
#[derive(Clone, Debug)]
pub struct SelectedProfile<'p> {
    in_context: Cow<'p, Profile>,
    /// `None` where functions of all languages are shown.
    in_language: Option<Profile>,
    language: Language,
}

impl<'p> SelectedProfile<'p> {
    /// The part inside a context, or all of it, with the functions of a language alone.
    ///
    /// # Errors
    /// When the program entered no context of that name, or there are no functions of that language.
    pub fn new(profile: &'p Profile, context: Option<&str>, language: Language) -> Result<Self, Error> {
        let in_context = selection::context(profile, context)?;
        let in_language = match selection::language(Cow::Borrowed(&in_context), language)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(changed),
        };
        Ok(Self { in_context, in_language, language })
    }

    /// The part that is reported.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        self.in_language.as_ref().unwrap_or(&self.in_context)
    }

    /// The same part with the functions of all languages.
    pub(super) fn of_all_languages(&self) -> &Profile {
        &self.in_context
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }
}
