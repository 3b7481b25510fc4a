//! What to report and how it should look.

use calor_analysis::findings::Findings;
use calor_analysis::{
    Grouping, MachineRoof, Order, PathDetail, ReportQuestion, ReportRows, Source, ThreadChoice,
};
use calor_model::{Language, Profile, SampleKind};

use crate::{Error, Metric, Remarks, ReportFormat};

/// Rows of the lists of hot paths on a page, unless the options say otherwise.
const HOT_PATHS: usize = 30;
/// Rows of the list of functions that goes before them.
const FUNCTIONS: usize = 10;
/// Rows of the other lists.
pub(crate) const OTHER_ROWS: usize = 15;

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
    /// What [`judge`](calor_analysis::findings::judge) finds in the part that is reported.
    pub findings: Findings,
    /// Whether the process recorded itself: it may have waited for its user, which nobody could save.
    pub is_of_itself: bool,
    /// Remarks of the caller's own, behind all else; `None` for none.
    pub remarks: Option<Remarks>,
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
    /// What these options ask of a profile, or of the part of one that they choose. A page shows paths as readers look
    /// for them, programs get all of each, and a table names them as they were recorded.
    pub(crate) fn question(&self, profile: &Profile) -> Result<ReportQuestion, Error> {
        Ok(ReportQuestion {
            threads: self.threads.clone(),
            source: self.metric.map(|metric| source(metric, profile)).transpose()?,
            order: self.order,
            grouping: self.grouping,
            detail: match self.format {
                ReportFormat::Json => PathDetail::Whole,
                ReportFormat::Csv => PathDetail::Recorded,
                ReportFormat::Text | ReportFormat::Markdown | ReportFormat::Html => PathDetail::Folded,
            },
            subtract_overhead: self.subtract_overhead,
            roof: self.roof.clone(),
            rows: ReportRows {
                hot_paths: self.limit(HOT_PATHS),
                functions: self.limit(FUNCTIONS),
                others: self.limit(OTHER_ROWS),
            },
        })
    }

    /// How many rows a list has that takes `usual` on a page; `None` for all.
    fn limit(&self, usual: usize) -> Option<usize> {
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
            findings: Findings::default(),
            is_of_itself: false,
            remarks: None,
            roof: None,
        }
    }
}

/// What hot paths of a metric are of.
fn source(metric: Metric, profile: &Profile) -> Result<Source, Error> {
    let source = match metric {
        Metric::Scopes => Source::Scopes,
        Metric::Cpu => Source::Samples(SampleKind::Cpu),
        Metric::Wall => Source::Samples(SampleKind::Wall),
        Metric::OffCpu => Source::Samples(SampleKind::OffCpu),
        _ => return Err(Error::MetricNotListed { metric }),
    };
    let available = Metric::available(profile);
    if available.contains(&metric) {
        return Ok(source);
    }
    let words: Vec<&str> = available.into_iter().map(Metric::word).collect();
    let available = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
    Err(Error::MetricMissing { metric, available })
}
