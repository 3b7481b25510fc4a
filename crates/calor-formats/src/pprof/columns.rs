//! The sample types of a file as columns: which role each has in a profile, and what is left out.

use calor_model::{Profile, Warning};

use super::file::{File, decode};
use super::message::ValueType;
use super::role::{self, Amounts, ROLES, Role};
use super::texts::Texts;
use super::wire::invalid;
use crate::Error;

/// More sample types than any tool writes.
const MAX_COLUMNS: usize = 64;

/// The columns of a file.
pub(super) struct Columns {
    /// The role of each column, and how many of the role's unit one of its values is.
    columns: Vec<Option<(Role, u64)>>,
    /// The nanoseconds that one sample stands for, where the file says so.
    nanos_per_sample: Option<u64>,
    n_negative: u64,
}

/// A sample type as it is named.
struct Named {
    name: String,
    unit: String,
    is_default: bool,
}

impl Columns {
    pub(super) fn read(file: &File<'_>, texts: &Texts<'_>, profile: &mut Profile) -> Result<Self, Error> {
        if let Some(piece) = file.sample_types.get(MAX_COLUMNS) {
            let expected = format!("at most {MAX_COLUMNS} sample types");
            return Err(invalid(expected, file.sample_types.len().to_string(), piece.offset));
        }
        let mut named = Vec::new();
        for &piece in &file.sample_types {
            let sample_type: ValueType = decode(piece, "a sample type")?;
            // Names are put into warnings, so they are cut where no name is so long.
            let word = |index| texts.get(index, piece.offset).map(|text| text.chars().take(100).collect());
            let (name, unit) = (word(sample_type.name)?, word(sample_type.unit)?);
            let is_default = sample_type.name == file.default_sample_type;
            named.push(Named { name, unit, is_default });
        }
        let mut columns = Self { columns: roles(&named, profile), nanos_per_sample: None, n_negative: 0 };
        if let Some(piece) = file.period_type {
            let unit = texts.get(decode::<ValueType>(piece, "the period's type")?.unit, piece.offset)?;
            let period = u64::try_from(file.period).ok().filter(|&period| period > 0 && role::is_time(&unit));
            columns.nanos_per_sample = period.map(|period| period.saturating_mul(role::scale(&unit)));
        }
        Ok(columns)
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether one of the columns has this role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.columns.iter().flatten().any(|(known, _)| *known == role)
    }

    /// The values of a sample by role. What is below zero, as in the difference of two profiles, is left out.
    pub(super) fn amounts(&mut self, values: &[i64]) -> Amounts {
        let mut amounts = Amounts::default();
        for (column, &value) in self.columns.iter().zip(values) {
            let Some((role, scale)) = *column else { continue };
            match u64::try_from(value) {
                Ok(value) => amounts[role] = value.saturating_mul(scale),
                Err(_) => self.n_negative += 1,
            }
        }
        amounts
    }

    /// Puts in the number of samples where only their time is told, and the other way round.
    pub(super) fn complete(&self, amounts: &mut Amounts, count: Role, nanos: Role) {
        match (self.has(count), self.has(nanos)) {
            (false, true) if amounts[nanos] > 0 => {
                let per_sample = self.nanos_per_sample.unwrap_or(u64::MAX);
                amounts[count] = amounts[nanos].div_ceil(per_sample);
            }
            (true, false) => {
                amounts[nanos] = amounts[count].saturating_mul(self.nanos_per_sample.unwrap_or(0));
            }
            _ => {}
        }
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        if self.n_negative > 0 {
            let message = "values below zero were left out: the file seems to be the difference of two profiles; \
                           compare the two instead";
            profile.warn(Warning::counted("negative_values", message, self.n_negative));
        }
    }
}

/// The role of each column. Each role is taken once; a file of which no column is known has the one that other
/// tools would show read as what its unit comes nearest to.
fn roles(named: &[Named], profile: &mut Profile) -> Vec<Option<(Role, u64)>> {
    let mut roles: Vec<Option<Role>> = named.iter().map(|one| role::by_name(&one.name, &one.unit)).collect();
    let has = |roles: &[Option<Role>], role| roles.contains(&Some(role));
    if !has(&roles, Role::CpuNanos) {
        // Plain samples belong to the time that stands beside them.
        let beside = [(Role::WallNanos, Role::WallCount), (Role::OffCpuNanos, Role::OffCpuCount)];
        if let Some((_, count)) =
            beside.into_iter().find(|(nanos, count)| has(&roles, *nanos) && !has(&roles, *count))
        {
            roles
                .iter_mut()
                .filter(|role| **role == Some(Role::CpuCount))
                .for_each(|role| *role = Some(count));
        }
    }
    if roles.iter().all(Option::is_none) {
        let shown = named.iter().position(|one| one.is_default).unwrap_or(named.len() - 1);
        let role = role::by_unit(&named[shown].unit);
        roles[shown] = Some(role);
        let message = format!(
            "the sample type {:?} ({}) is not known and was read as {}",
            named[shown].name, named[shown].unit, ROLES[role as usize].1
        );
        profile.warn(Warning::new("sample_type_guessed", message));
    }
    let mut columns: Vec<Option<(Role, u64)>> = Vec::new();
    for (role, one) in roles.into_iter().zip(named) {
        let is_new = |role: &Role| columns.iter().flatten().all(|(known, _)| known != role);
        let column = role.filter(is_new).map(|role| (role, role::scale(&one.unit)));
        if column.is_none() {
            let message =
                format!("values of the sample type {:?} ({}) have no place in a profile", one.name, one.unit);
            profile.warn(Warning::new("sample_type_left_out", message));
        }
        columns.push(column);
    }
    columns
}
