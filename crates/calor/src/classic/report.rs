//! What a profiler knows, as a page: Calor's report of its profile, and the bottlenecks found in it.

use std::fmt;
use std::path::Path;

use calor_analysis::findings::{Circumstances, judge};
use calor_model::Profile;
pub use calor_report::ReportFormat;
use calor_report::{Options, Remark, Remarks, render};
use serde_json::json;

use super::bottleneck::Bottleneck;
use super::error::{Error, Result};

/// A profiler's summary. Printing it gives the text; [`export`](Report::export) writes any format to a file.
#[derive(Clone, Debug)]
pub struct Report {
    profile: Profile,
    bottlenecks: Vec<Bottleneck>,
}

impl Report {
    /// A report of a profile and of what stands out in it.
    #[must_use]
    pub fn new(profile: Profile, bottlenecks: Vec<Bottleneck>) -> Self {
        Self { profile, bottlenecks }
    }

    /// The profile it is of.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What stands out, the worst first.
    #[must_use]
    pub fn bottlenecks(&self) -> &[Bottleneck] {
        &self.bottlenecks
    }

    /// The page in a format.
    ///
    /// # Errors
    /// When the report cannot be made of this profile.
    pub fn render(&self, format: ReportFormat) -> Result<String> {
        let findings = judge(&self.profile, &Circumstances::default().of_report()).findings;
        let mut page = Vec::new();
        render(
            &self.profile,
            &Options { format, findings, remarks: Some(self.remarks()), ..Options::default() },
            &mut page,
        )?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }

    /// Writes the page to a file, replacing one that is there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, format: ReportFormat) -> Result<()> {
        let path = path.as_ref();
        let page = self.render(format)?;
        std::fs::write(path, page).map_err(|cause| Error::Export { path: path.to_owned(), cause })
    }

    /// What stands out, as the last section of the page.
    fn remarks(&self) -> Remarks {
        let remark = |found: &Bottleneck| Remark {
            severity: found.severity.to_string(),
            name: found.name.clone(),
            description: found.description.clone(),
            suggestion: found.suggestion.clone(),
            json: json!({
                "kind": found.kind.word(),
                "severity": found.severity.to_string(),
                "name": found.name,
                "description": found.description,
                "suggestion": found.suggestion,
                "measured": found.measured,
                "threshold": found.threshold,
            }),
        };
        Remarks {
            id: "bottlenecks",
            title: "Bottlenecks",
            list: self.bottlenecks.iter().map(remark).collect(),
            none: "none above the thresholds",
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.render(ReportFormat::Text) {
            Ok(page) => f.write_str(page.trim_end()),
            Err(error) => write!(f, "no report: {error}"),
        }
    }
}
