//! Writes a profile: the sample types, one sample for each place that has a value, and the tables after them.

use std::io::Write;

use calor_model::{LabelSetId, LabelTable, Profile, ThreadId};

use super::cells::{self, Cell};
use super::labels::identity;
use super::locations::Locations;
use super::message::{Label, Sample, field};
use super::output::Output;
use super::role::{ROLES, Role};
use super::run;
use super::tables::Tables;
use crate::{Error, Metric, WriteOptions};

/// Writes a profile as a gzip file with a sample type for everything it holds, or for the metric that is asked
/// for alone.
///
/// # Errors
/// When the profile does not have what is asked for, or `out` cannot be written to.
pub fn write(profile: &Profile, options: &WriteOptions, out: impl Write) -> Result<(), Error> {
    let run_labels = run::labels(profile);
    let mut roles = cells::roles(profile, options.metric)?;
    if roles.is_empty() {
        // A file without any sample type is none that could be read.
        roles.extend([Role::CpuCount, Role::CpuNanos]);
    }
    let mut writer = Writer {
        profile,
        tables: Tables::new(run_labels),
        locations: Locations::new(profile),
        thread_labels: vec![None; profile.threads.len()],
        label_sets: vec![None; profile.labels.len()],
        sample: Sample::default(),
        output: Output::new(out),
        roles,
    };
    writer.sample_types()?;
    let cells = cells::cells(profile, &writer.roles);
    for of_one_place in cells.chunk_by(|a, b| a.place() == b.place()) {
        writer.sample(of_one_place)?;
    }
    writer.gpu()?;
    writer.facts(&cells, options.metric)?;
    writer.finish()
}

/// A file on its way out.
pub(super) struct Writer<'a, W: Write> {
    pub(super) profile: &'a Profile,
    pub(super) roles: Vec<Role>,
    pub(super) tables: Tables<'a>,
    pub(super) locations: Locations<'a>,
    /// The labels that tell a thread, and those of a set, as far as they were needed.
    thread_labels: Vec<Option<Vec<Label>>>,
    label_sets: Vec<Option<Vec<Label>>>,
    pub(super) sample: Sample,
    pub(super) output: Output<W>,
}

impl<W: Write> Writer<'_, W> {
    fn sample_types(&mut self) -> Result<(), Error> {
        for role in &self.roles {
            let (_, name, unit) = ROLES[*role as usize];
            let sample_type = self.tables.value_type(name, unit);
            self.output.message(field::SAMPLE_TYPE, &sample_type)?;
        }
        Ok(())
    }

    fn sample(&mut self, cells: &[Cell]) -> Result<(), Error> {
        let (stack, thread, labels) = cells[0].place();
        self.start_sample();
        for cell in cells {
            self.add_value(cell.role, cell.value);
        }
        self.locations.extend(&mut self.sample.location_ids, stack, &mut self.tables);
        self.add_labels(thread, labels);
        self.output.message(field::SAMPLE, &self.sample)
    }

    pub(super) fn start_sample(&mut self) {
        self.sample.location_ids.clear();
        self.sample.labels.clear();
        self.sample.values.clear();
        self.sample.values.resize(self.roles.len(), 0);
    }

    pub(super) fn add_value(&mut self, role: Role, value: u64) {
        if let Ok(place) = self.roles.binary_search(&role) {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            self.sample.values[place] = self.sample.values[place].saturating_add(value);
        }
    }

    fn add_labels(&mut self, thread: ThreadId, labels: LabelSetId) {
        let text = |id| self.profile.strings.get(id);
        let set = self.profile.labels.get(labels);
        // A label of the program's own that looks like one of a thread must not be taken for it.
        let is_misleading = set.iter().any(|(key, _)| identity(text(*key)).is_some());
        let row = self.profile.threads.get(thread);
        let name = text(row.name);
        if is_misleading || !name.is_empty() || row.tid != 0 || row.pid != 0 {
            let tables = &mut self.tables;
            let of_thread = self.thread_labels[thread.index()].get_or_insert_with(|| {
                let mut of_thread = vec![tables.text_label("thread", name)];
                of_thread.push(tables.number_label("tid", row.tid as i64));
                of_thread.push(tables.number_label("pid", i64::from(row.pid)));
                of_thread
            });
            self.sample.labels.extend(&*of_thread);
        }
        if labels != LabelTable::none() {
            let tables = &mut self.tables;
            let of_set = self.label_sets[labels.index()].get_or_insert_with(|| {
                set.iter().map(|(key, value)| tables.text_label(text(*key), text(*value))).collect()
            });
            self.sample.labels.extend(&*of_set);
        }
    }

    /// When, for how long and how often.
    fn facts(&mut self, cells: &[Cell], asked_for: Option<Metric>) -> Result<(), Error> {
        let run_labels = run::labels(self.profile);
        for (label, field) in [
            (run::DROP_FRAMES, field::DROP_FRAMES),
            (run::KEEP_FRAMES, field::KEEP_FRAMES),
            (run::DOC_URL, field::DOC_URL),
        ] {
            if let Some(text) = run_labels.get(label) {
                let index = self.tables.string(text);
                self.output.number(field, index)?;
            }
        }
        let started =
            self.profile.runs.iter().map(|run| run.started_at_unix_nanos).filter(|&at| at > 0).min();
        self.output.number(field::TIME_NANOS, saturated(started.unwrap_or(0)))?;
        self.output.number(field::DURATION_NANOS, saturated(self.profile.duration_nanos()))?;
        if let Some((period, unit, name)) = run::period(self.profile, &run_labels, cells) {
            let period_type = self.tables.value_type(&name, &unit);
            self.output.message(field::PERIOD_TYPE, &period_type)?;
            self.output.number(field::PERIOD, period)?;
        }
        for comment in run::comments(self.profile) {
            let index = self.tables.string(&comment);
            self.output.number(field::COMMENT, index)?;
        }
        let names = || self.roles.iter().map(|role| ROLES[*role as usize].1);
        let kept =
            run_labels.get(run::DEFAULT_SAMPLE_TYPE).and_then(|kept| names().find(|name| name == kept));
        let metric = asked_for.unwrap_or_else(|| Metric::default_for(self.profile));
        let shown = ROLES[cells::value_role(metric) as usize].1;
        let shown = kept.or_else(|| names().find(|name| *name == shown)).unwrap_or_default();
        let index = self.tables.string(shown);
        self.output.number(field::DEFAULT_SAMPLE_TYPE, index)
    }

    fn finish(mut self) -> Result<(), Error> {
        for mapping in &self.tables.mappings {
            self.output.message(field::MAPPING, mapping)?;
        }
        for location in &self.tables.locations {
            self.output.message(field::LOCATION, location)?;
        }
        for function in &self.tables.functions {
            self.output.message(field::FUNCTION, function)?;
        }
        for text in &self.tables.string_list {
            self.output.text(field::STRING_TABLE, text)?;
        }
        self.output.finish()
    }
}

fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
