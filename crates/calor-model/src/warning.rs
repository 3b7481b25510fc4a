//! What a profile could not see. Partial failure is normal for a profiler: it hands over what was seen and
//! says what is missing, with a number where there is one.

/// What is said of a file or a recording that lacks some of what was recorded.
const CUT: [&str; 5] = ["chunk_damaged", "cut_off", "file_cut_off", "file_truncated", "recording_cut_off"];

/// One thing that was not seen, or not seen well.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Warning {
    /// A short word for programs, such as `spans_lost`.
    pub code: String,
    /// A sentence for people: what happened and what to do about it.
    pub message: String,
    /// How often it happened; `None` where counting makes no sense.
    pub count: Option<u64>,
}

impl Warning {
    /// A warning without a count.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), count: None }
    }

    /// The same with a count.
    #[must_use]
    pub fn counted(code: &str, message: impl Into<String>, count: u64) -> Self {
        Self { count: Some(count), ..Self::new(code, message) }
    }

    /// Whether it says that some of what was recorded is missing: of such a file or recording no figure is whole.
    #[must_use]
    pub fn is_of_cut(&self) -> bool {
        CUT.contains(&self.code.as_str())
    }
}

/// Adds a warning to a list: a known one (same code and message) has its count raised instead. The list
/// stays sorted, so that lists merged in any order are equal.
pub fn add_warning(warnings: &mut Vec<Warning>, warning: Warning) {
    let key = |w: &Warning| (w.code.clone(), w.message.clone());
    match warnings.binary_search_by_key(&key(&warning), key) {
        Ok(at) => {
            let own = &mut warnings[at].count;
            *own = match (*own, warning.count) {
                (Some(own), Some(more)) => Some(own.saturating_add(more)),
                (own, more) => own.or(more),
            };
        }
        Err(at) => warnings.insert(at, warning),
    }
}
