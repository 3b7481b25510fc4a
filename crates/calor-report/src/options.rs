//! What to report and how it should look.

use calor_analysis::findings::Suppression;
use calor_analysis::{Grouping, MachineRoof, Order, ThreadChoice};
use calor_model::Language;

use crate::{Metric, ReportFormat};

/// Options of a report; the default is the whole profile as plain text of 100 columns.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format.
    pub format: ReportFormat,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON and CSV, all.
    pub top: Option<usize>,
    /// Columns of the terminal; only text knows a width.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
    /// Which threads are reported.
    pub threads: ThreadChoice,
    /// The context to report alone; `None` for the whole profile.
    pub context: Option<String>,
    /// Whose functions are shown.
    pub language: Language,
    /// What hot paths are sorted by.
    pub order: Order,
    /// The metric that hot paths and the call hierarchy show alone; `None` for all that are lists of paths.
    pub metric: Option<Metric>,
    /// Whether hot paths are call paths or functions.
    pub grouping: Grouping,
    /// Whether the recorder's own cost is taken out of the times.
    pub subtract_overhead: bool,
    /// How much of the profile a page carries; only Markdown and HTML carry any.
    pub carry: Carry,
    /// Findings that are not to be told.
    pub suppressions: Vec<Suppression>,
    /// Whether the process recorded itself: it may have waited for its user, which nobody could save.
    pub is_of_itself: bool,
    /// What the machine of the profile can do, for operations that are held against it; `None` where nobody measured it.
    pub roof: Option<MachineRoof>,
}

/// How much of its profile a page carries out of sight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Carry {
    /// What fits: a Markdown page stays short enough for a comment on a forge, an HTML page small enough to open at once.
    #[default]
    Fitting,
    /// All of it, however long the page gets.
    Whole,
    /// Nothing.
    Nothing,
}

impl Options {
    /// How many rows a list has that takes `usual` on a page; `None` for all.
    pub(crate) fn limit(&self, usual: usize) -> Option<usize> {
        match self.format {
            ReportFormat::Json | ReportFormat::Csv => self.top,
            _ => Some(self.top.unwrap_or(usual)),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: ReportFormat::default(),
            top: None,
            width: 100,
            color: false,
            threads: ThreadChoice::default(),
            context: None,
            language: Language::All,
            order: Order::default(),
            metric: None,
            grouping: Grouping::default(),
            subtract_overhead: false,
            carry: Carry::default(),
            suppressions: Vec::new(),
            is_of_itself: false,
            roof: None,
        }
    }
}
